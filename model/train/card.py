"""The card of a trained model: what it is, what it was made from, how well it reads.

card(network, recipe, step=500, characters=4_000_000, before={}, after=figures)
"""

from collections.abc import Mapping
from typing import Any

import yaml

from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.train.recipe import RunRecipe


def card(
    network: JinaOCR, recipe: RunRecipe, step: int, characters: int, before: Mapping[str, Any], after: Mapping[str, Any]
) -> str:
    """Markdown with the front matter that model hubs read. before, after: figures of ``evaluate``, or empty."""
    config = network.config
    parameters = sum(parameter.numel() for parameter in network.parameters())
    changed = recipe.model_dump(mode="json", exclude_defaults=True)
    lines = [
        "---",
        "library_name: proofpress",
        "pipeline_tag: image-to-text",
        "tags: [ocr, document-ocr]",
        "---",
        f"# {config.name}, {parameters:,} parameters",
        "",
        f"Trained for {step:,} steps ({characters:,} label characters) from `{recipe.init}` with Proofpress's "
        f"`{type(recipe).__name__}`. Data and versions stand in `run.json` beside this folder.",
        "",
        "    reader = Reader.load(folder);  reader.read([image])",
        "",
        *_figures("Before", before),
        *_figures("After", after),
        "## Recipe",
        "",
        "What differs from the defaults:",
        "",
        "```yaml",
        yaml.safe_dump(changed, sort_keys=False).rstrip(),
        "```",
        "",
    ]
    return "\n".join(lines)


def _figures(title: str, figures: Mapping[str, Any]) -> list[str]:
    """A table of the held-out figures by task."""
    if not figures:
        return []
    names = sorted({name for found in figures["tasks"].values() for name, value in found.items() if _is_number(value)})
    rows = [
        f"## {title}, on held-out rows",
        "",
        "| task | " + " | ".join(names) + " |",
        "|---" * (len(names) + 1) + "|",
    ]
    for task, found in sorted(figures["tasks"].items()):
        cells = (f"{found[name]:.4g}" if _is_number(found.get(name)) else "" for name in names)
        rows.append(f"| {task} | " + " | ".join(cells) + " |")
    return [*rows, ""]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float))
