"""What a run leaves to look at on Prefect's page: a table of figures, a link to its report. Nothing without a run.

publish("build", {"train": 188, "validation": 11}, Path("out/demo/report.html"))
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proofpress.pages.storage import Place


def publish(name: str, figures: Mapping[str, Any], report: Place | None = None) -> bool:
    """Publish figures as a table and the report as a link; whether there was a flow run to publish them for.

    name: becomes the artifacts' key, so that one page shows how they changed from run to run.
    """
    if "prefect" not in sys.modules:  # nobody has started a flow: do not wait for an import
        return False
    from prefect.artifacts import create_link_artifact, create_table_artifact
    from prefect.context import FlowRunContext

    if FlowRunContext.get() is None:
        return False
    key = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    rows = [{"what": what, "value": _plain(value)} for what, value in figures.items()]
    create_table_artifact(rows, key=f"{key}-figures", description=f"What {name} came to")
    if report is not None:
        link = report.resolve().as_uri() if isinstance(report, Path) else report
        create_link_artifact(link, link_text="report", key=f"{key}-report", description=f"The report of {name}")
    return True


def _plain(value: Any) -> str | int | float | bool | None:
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
