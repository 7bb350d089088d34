"""The commands as Prefect flows, for deployments: ``proofpress.flows.scheduled.build`` and its likes.

Each is the plain function of the same name and nothing more; what a run made comes back as a small mapping.

    from proofpress.flows.scheduled import build
    parameters = {"recipe": {"name": "demo", "press": {"pages": 500}}, "out": "out/demo"}
    build.serve(name="nightly", cron="0 3 * * *", parameters=parameters)
"""

from pathlib import Path
from typing import Any

from proofpress.flows.runners import set_prefect_defaults

set_prefect_defaults()

from prefect import flow  # noqa: E402  Prefect reads its settings when it is imported

from proofpress.flows import build as builds  # noqa: E402
from proofpress.flows import clean as cleans  # noqa: E402
from proofpress.flows import judge as judges  # noqa: E402
from proofpress.flows import train as trainings  # noqa: E402
from proofpress.flows.config import BuildRecipe, JudgeRecipe  # noqa: E402


@flow
def build(recipe: BuildRecipe, out: Path, runner: str = "processes", workers: int | None = None) -> dict[str, Any]:
    """Print, clean, judge and shard a dataset."""
    return dict(builds.build(recipe, out, runner=runner, workers=workers).manifest["splits"])


@flow
def clean(corpus: str, path: Path, out: Path, runner: str = "processes", workers: int | None = None) -> dict[str, Any]:
    """Clean one public corpus into a dataset."""
    return dict(cleans.clean(corpus, path, out, runner=runner, workers=workers).manifest["splits"])


@flow
def judge(
    dataset: Path, out: Path, recipe: JudgeRecipe, runner: str = "processes", workers: int | None = None
) -> dict[str, Any]:
    """Judge a dataset into a new one."""
    return dict(judges.judge(dataset, out, recipe, runner=runner, workers=workers).manifest["splits"])


@flow
def train_sft(recipe: Path, datasets: list[Path], out: Path, resume: bool = True) -> dict[str, Any]:
    """Train the model, going on from its last checkpoint."""
    return trainings.train_sft(recipe, datasets, out, resume)
