"""Schedules: the loop's recipe as Prefect deployments, served from this machine until it is stopped.

    serve(load_refresh(Path("recipes/refresh.yaml")), Path("out/loop"))

``prefect.yaml`` at the top of the repository has the same for work pools, where other machines do the work. A server
should run beside (``prefect server start``, ``PREFECT_API_URL``); without one Prefect starts its own for as long as
this lasts. No deployment runs twice at once, and of two that write into one folder the second ends and is tried again.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofpress.flows.loop_recipe import RefreshRecipe
from proofpress.flows.runners import set_prefect_defaults
from proofpress.pages.errors import RequestError

if TYPE_CHECKING:
    from prefect.deployments.runner import RunnerDeployment

#: Of each shard in a scheduled run: how often it is tried again, and after how many seconds.
RETRIES = {
    "PREFECT_TASKS_DEFAULT_RETRIES": "3",
    "PREFECT_TASKS_DEFAULT_RETRY_DELAY_SECONDS": "[5, 30, 180]",
    "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": "60",
}


NAMES = ("build", "clean", "mine", "refresh")


def serve(recipe: RefreshRecipe, out: Path, limit: int = 1, runner: str = "processes") -> None:
    """Serve the deployments until stopped. limit: runs at once; more than one share the machine's cores.

    Raises ``RequestError`` as ``deployments`` does.
    """
    os.environ.update({name: os.environ.get(name, value) for name, value in RETRIES.items()})
    set_prefect_defaults()
    from prefect import serve as serve_deployments

    serve_deployments(*deployments(recipe, out, runner), limit=limit)


def deployments(recipe: RefreshRecipe, out: Path, runner: str = "processes") -> "list[RunnerDeployment]":
    """One deployment for each schedule; its parameters are the recipe, for which Prefect's page shows a form.

    Raises ``RequestError`` where nothing is scheduled, or something that the recipe does not have.
    """
    wanted = {name: cron for name in NAMES if (cron := getattr(recipe.schedules, name))}
    if not wanted:
        raise RequestError(f"{recipe.name}: schedules: nothing is scheduled; give `refresh: '0 3 * * *'` or its likes")
    if "clean" in wanted and not recipe.build.corpora:
        raise RequestError(f"{recipe.name}: schedules.clean: the build has no corpora to clean")
    set_prefect_defaults()
    from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
    from prefect.deployments.runner import EntrypointType
    from prefect.schedules import Cron

    from proofpress.flows import scheduled

    out = out.resolve()  # a served run starts in a folder of its own
    plain = recipe.model_copy(update={"build": _resolved(recipe)}).model_dump(mode="json")
    corpora = {**plain["build"], "press": None}
    flows: dict[str, tuple[Any, dict[str, Any]]] = {
        "build": (scheduled.update, {"recipe": plain["build"], "out": str(out / "build")}),
        "clean": (scheduled.update, {"recipe": corpora, "out": str(out / "clean")}),
        "mine": (scheduled.mine_latest, {"recipe": plain, "loop": str(out)}),
        "refresh": (scheduled.refresh, {"recipe": plain, "out": str(out)}),
    }
    one = ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.ENQUEUE)
    return [
        flows[name][0].to_deployment(
            name=f"{recipe.name}-{name}",
            schedule=Cron(cron, timezone=recipe.schedules.timezone),
            parameters={**flows[name][1], "runner": runner},
            concurrency_limit=one,
            tags=["proofpress", recipe.name],
            description=f"{name} of the loop {recipe.name}, in {out}",
            entrypoint_type=EntrypointType.MODULE_PATH,
        )
        for name, cron in wanted.items()
    ]


def _resolved(recipe: RefreshRecipe) -> Any:
    """The build with absolute paths: a served run need not start where this one did."""
    corpora = tuple(one.model_copy(update={"path": one.path.resolve()}) for one in recipe.build.corpora)
    against = tuple(folder.resolve() for folder in recipe.build.decontaminate)
    return recipe.build.model_copy(update={"corpora": corpora, "decontaminate": against})
