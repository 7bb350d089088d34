"""The dataset card: the ``README.md`` of a dataset folder, made from its manifest alone.

Hubs read its YAML head (splits, licences, tags); people read what was made, what was rejected and why.

    (folder / "README.md").write_text(card(manifest))
"""

from collections.abc import Mapping
from typing import Any

import yaml


def card(manifest: Mapping[str, Any]) -> str:
    """The card of the dataset that a manifest describes.

    Reads ``name``, ``splits`` (split -> rows), ``sources`` (name -> {licence, made, kept, rejected}), ``rejected``
    ("stage: reason" -> count), ``recipe_hash`` and ``versions`` of the manifest.
    """
    splits = [
        {"split": split, "path": f"data/{split}-*.parquet"} for split, rows in manifest["splits"].items() if rows > 0
    ]
    head = {
        "pretty_name": manifest["name"],
        "license": "other",
        "task_categories": ["image-to-text"],
        "tags": ["document-ocr", "synthetic", "proofpress"],
        "configs": [{"config_name": "default", "data_files": splits}],
    }
    lines = [
        "---",
        yaml.safe_dump(head, sort_keys=False, allow_unicode=True).rstrip(),
        "---",
        "",
        f"# {manifest['name']}",
        "",
        "Pages with exact labels for training document-OCR models, printed or cleaned and then proofed by Proofpress.",
        "Each row is one page or crop: `image`, its label `text` (Markdown, KaTeX's LaTeX, HTML tables), `elements`",
        "and `words` with polygons, `source` with its licence, the `recipe` to make it again, `checks` it passed.",
        "",
        "```python",
        "import datasets",
        'pages = datasets.load_dataset("path/to/this/folder")',
        "```",
        "",
        "## What is in it",
        "",
        "| source | licence | made | kept | rejected |",
        "|---|---|--:|--:|--:|",
    ]
    for name, source in sorted(manifest["sources"].items()):
        made, kept = source["made"], source["kept"]
        lines.append(f"| {name} | {source['licence']} | {made} | {kept} | {made - kept} |")
    lines += ["", "| split | rows |", "|---|--:|"]
    lines += [f"| {split} | {rows} |" for split, rows in manifest["splits"].items()]
    lines += ["", "## What was rejected, and why", ""]
    if manifest["rejected"]:
        lines += ["| stage and reason | count |", "|---|--:|"]
        lines += [f"| {reason} | {count} |" for reason, count in sorted(manifest["rejected"].items())]
        lines += ["", "Each reject stands in `rejects/` with its evidence and its original."]
    else:
        lines.append("Nothing.")
    versions = ", ".join(f"{name} {version}" for name, version in sorted(manifest["versions"].items()))
    lines += [
        "",
        "## How to make it again",
        "",
        f"Recipe `{manifest['recipe_hash']}`, whole in `manifest.json`, with {versions}. The same recipe on the same",
        "browser and fonts gives the same bytes.",
        "",
    ]
    return "\n".join(lines)
