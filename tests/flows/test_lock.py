import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from proofpress.flows.lock import held
from proofpress.pages.errors import WorkError

HOLD = """
import sys, time
from pathlib import Path
from proofpress.flows.lock import held
with held(Path(sys.argv[1]), "mine"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_holder_is_named_with_its_age_and_a_kill_gives_the_lock_back(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path / "lock")], stdout=subprocess.PIPE)
    assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
    with pytest.raises(WorkError) as refused, held(tmp_path / "lock", "out: at work"):
        pass
    assert str(refused.value).startswith(f"out: at work (process {holder.pid} on ") and " seconds)" in str(
        refused.value
    )
    holder.kill()
    holder.communicate()
    with held(tmp_path / "lock", "out: at work"):
        assert json.loads((tmp_path / "lock").read_text())["process"] == os.getpid()
    assert (tmp_path / "lock").read_text() == "", "nobody holds it"


@pytest.mark.parametrize(
    ("seconds", "age"),
    [(0, "0 seconds"), (-5, "0 seconds"), (119, "119 seconds"), (600, "10 minutes"), (9e4, "25 hours")],
)
def test_ages_are_told_as_people_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, age: str) -> None:
    with held(tmp_path / "lock", "x"):
        now = time.time()
        monkeypatch.setattr("proofpress.flows.lock.time.time", lambda: now + seconds)
        with pytest.raises(WorkError, match=f"for {age}"), held(tmp_path / "lock", "x"):
            pass


@pytest.mark.parametrize("written", ["", "{", "[]", '{"process": 1}'])
def test_a_lock_that_says_nothing_is_held_all_the_same(tmp_path: Path, written: str) -> None:
    with held(tmp_path / "lock", "x"):
        (tmp_path / "lock").write_text(written)
        with pytest.raises(WorkError, match="since a moment"), held(tmp_path / "lock", "x"):
            pass
