"""Where the installed assets lie: KaTeX and the fonts, put there by ``make setup``, never copied into the repository.

They come from npm and are found, in this order, in the folder named by ``PROOFPRESS_ASSETS``, in ``node_modules`` of a
checkout, and in ``~/.cache/proofpress/node_modules`` for an installed wheel.

    >>> katex_js().name
    'katex.min.js'
"""

import json
import os
from functools import cache
from pathlib import Path

from proofpress.pages.errors import RequestError

VARIABLE = "PROOFPRESS_ASSETS"
CHECKOUT = Path(__file__).resolve().parent.parent / "node_modules"
CACHE = Path("~/.cache/proofpress/node_modules")


def node_modules() -> Path:
    """The folder that holds ``katex`` and ``@fontsource``.

    Raises ``RequestError``, naming every folder tried and the way to install them, if none has them.
    """
    chosen = os.environ.get(VARIABLE)
    places = [Path(chosen)] if chosen else [CHECKOUT, CACHE.expanduser()]
    for place in places:
        if (place / "katex" / "package.json").is_file() and (place / "@fontsource").is_dir():
            return place
    tried = ", ".join(str(place) for place in places)
    raise RequestError(
        f"KaTeX and the fonts are not installed (looked in {tried}): run `make setup`, "
        f"or set {VARIABLE} to a node_modules folder with katex and @fontsource"
    )


def katex_js() -> Path:
    """KaTeX itself, one script."""
    return node_modules() / "katex" / "dist" / "katex.min.js"


def katex_css() -> Path:
    """KaTeX's style sheet; its font URLs are relative to its folder."""
    return node_modules() / "katex" / "dist" / "katex.min.css"


def katex_symbols() -> Path:
    """KaTeX's table of symbols in its source: which command draws which character of which font."""
    return node_modules() / "katex" / "src" / "symbols.js"


def font_packages() -> tuple[Path, ...]:
    """One folder per font family, sorted by name."""
    return tuple(sorted(path.parent for path in (node_modules() / "@fontsource").glob("*/package.json")))


@cache
def package_version(package: Path) -> str:
    """The version that the package's own manifest states."""
    return str(json.loads((package / "package.json").read_text(encoding="utf-8"))["version"])
