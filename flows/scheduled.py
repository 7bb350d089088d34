"""The commands as Prefect flows, for deployments: ``proofpress.flows.scheduled.build`` and its likes.

Each is the plain function of the same name, tried again where the work failed, with its figures and its report as
artifacts. Recipes are the parameters, so Prefect's page shows a form for them.

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
from proofpress.flows import mine as mines  # noqa: E402
from proofpress.flows import refresh as refreshes  # noqa: E402
from proofpress.flows import standing  # noqa: E402
from proofpress.flows import train as trainings  # noqa: E402
from proofpress.flows.artifacts import publish  # noqa: E402
from proofpress.flows.config import BuildRecipe, JudgeRecipe  # noqa: E402
from proofpress.flows.dataset import Made  # noqa: E402
from proofpress.flows.loop_recipe import MineRecipe, RefreshRecipe  # noqa: E402
from proofpress.flows.observing import ByModel  # noqa: E402
from proofpress.pages.storage import Place, at  # noqa: E402

#: What failed goes on from where it was left. Shards are tried again sooner and with back-off (``serve.RETRIES``).
RETRIES, BACK_OFF = 2, 300  # seconds; of a flow, Prefect takes one figure


@flow(retries=RETRIES, retry_delay_seconds=BACK_OFF)
def build(recipe: BuildRecipe, out: Place, runner: str = "processes", workers: int | None = None) -> dict[str, Any]:
    """Print, clean, judge and shard a dataset."""
    return _published("build", builds.build(recipe, out, runner=runner, workers=workers))


@flow(retries=RETRIES, retry_delay_seconds=BACK_OFF)
def clean(corpus: str, path: Path, out: Place, runner: str = "processes", workers: int | None = None) -> dict[str, Any]:
    """Clean one public corpus into a dataset."""
    return _published("clean", cleans.clean(corpus, path, out, runner=runner, workers=workers))


@flow(retries=RETRIES, retry_delay_seconds=BACK_OFF)
def judge(
    dataset: Path, out: Place, recipe: JudgeRecipe, runner: str = "processes", workers: int | None = None
) -> dict[str, Any]:
    """Judge a dataset into a new one."""
    return _published("judge", judges.judge(dataset, out, recipe, runner=runner, workers=workers))


@flow(retries=RETRIES, retry_delay_seconds=BACK_OFF)
def mine(
    dataset: Path,
    out: Path,
    recipe: MineRecipe,
    model: str = "nano",
    runner: str = "processes",
    workers: int | None = None,
) -> dict[str, Any]:
    """Find what a model fails at in a dataset, and what to print for it."""
    readers = ByModel(model, recipe.read_twice)
    return _published_mining(mines.mine(dataset, out, recipe, readers, runner=runner, workers=workers))


@flow(retries=RETRIES, retry_delay_seconds=BACK_OFF)
def refresh(
    recipe: RefreshRecipe, out: Path, runner: str = "processes", workers: int | None = None, again: bool = False
) -> dict[str, Any]:
    """Once around the loop; a new version where something has changed."""
    done = refreshes.refresh(recipe, out, again, runner=runner, workers=workers)
    decision = done.manifest["decision"]
    figures = {
        "version": done.manifest["version"],
        "new": not done.was_there,
        "promoted": decision["promoted"],
        "why": decision["why"],
        **{f"weight of {name}": weight for name, weight in done.manifest["weights"].items()},
    }
    publish("refresh", figures, done.version.folder / refreshes.DATASET / "report.html")
    return figures


@flow(retries=RETRIES, retry_delay_seconds=BACK_OFF)
def update(recipe: BuildRecipe, out: Path, runner: str = "processes", workers: int | None = None) -> dict[str, Any]:
    """Bring a dataset up to date: what is new is printed and cleaned, all else stays."""
    return _published("update", standing.bring_up_to_date(recipe, out, runner=runner, workers=workers))


@flow(retries=RETRIES, retry_delay_seconds=BACK_OFF)
def mine_latest(
    recipe: RefreshRecipe, loop: Path, runner: str = "processes", workers: int | None = None
) -> dict[str, Any]:
    """Mine the newest dataset of a loop with its model."""
    return _published_mining(standing.mine_latest(recipe, loop, runner=runner, workers=workers))


@flow
def train_sft(recipe: Path, datasets: list[Path], out: Path, resume: bool = True) -> dict[str, Any]:
    """Train the model, going on from its last checkpoint."""
    return trainings.train_sft(recipe, datasets, out, resume)


def _published(name: str, made: Made) -> dict[str, Any]:
    splits = dict(made.manifest["splits"])
    rejected = {f"rejected: {reason}": count for reason, count in made.manifest["rejected"].items()}
    publish(name, {**splits, **rejected}, at(made.folder, "report.html"))
    return splits


def _published_mining(made: Made) -> dict[str, Any]:
    mined = made.manifest["mined"]
    found = {**mined["mix"], **{f"weight of {name}": weight for name, weight in mined["weights"].items()}}
    found |= {f"suspect: {reason}": count for reason, count in mined["suspects"].items()}
    publish("mine", found, at(made.folder, "review.html"))
    return found
