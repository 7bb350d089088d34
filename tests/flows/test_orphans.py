import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="watching needs /proc")

#: Starts a child in a session of its own, as daemons and browsers do, tells its number, and waits or ends.
PARENT = """
import subprocess, sys, time
from proofpress.flows.orphans import end_all, leave_none_behind
leave_none_behind()
sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
child = subprocess.Popen(sleep, start_new_session=True)
print(child.pid, flush=True)
{end}
"""


def is_alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] != "Z"


@pytest.mark.parametrize(
    ("end", "how"),
    [
        ("time.sleep(60)", signal.SIGKILL),
        ("time.sleep(60)", signal.SIGTERM),
        ("raise SystemExit", None),
        ("end_all(); time.sleep(60)", None),
    ],
)
def test_children_end_with_the_command_however_it_ends(end, how):
    parent = subprocess.Popen([sys.executable, "-c", PARENT.format(end=end)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert how is None or is_alive(child)
    if how is not None:
        os.kill(parent.pid, how)
    deadline = time.monotonic() + 10
    while is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    alive = is_alive(child)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert not alive


def test_processes_of_others_are_left_alone():
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    parent = subprocess.run([sys.executable, "-c", PARENT.format(end="")], check=True, capture_output=True)
    time.sleep(0.3)
    assert parent.returncode == 0 and is_alive(other.pid)
    other.kill()
    other.wait()
