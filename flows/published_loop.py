"""A loop whose versions lie in a store: turned in a working folder of this machine, each version then published whole.

Shards, locks and checkpoints stay in the working folder, below ``PROOFPRESS_CACHE``. What a version is goes to the
store, ``version.json`` last and ``current.json`` after it. A machine that has not the newest version fetches it first,
so that the loop goes on anywhere; shards that its folder lacks are made again there, to the same bytes. One machine at
a time turns a loop: a store has no lock.

    refresh_published(load_refresh(Path("recipes/refresh.yaml")), "s3://bucket/loop")
"""

import shutil
from pathlib import Path
from typing import Any

from proofpress.flows.lock import held
from proofpress.flows.loop_recipe import RefreshRecipe
from proofpress.flows.publish import draft_of
from proofpress.flows.refresh import CURRENT, PLAN, VERSION, Refreshed, refresh
from proofpress.pages.errors import RequestError
from proofpress.pages.storage import at, get, put, read_bytes, remove, sizes

#: Folders of a version that are only of use where it is made.
LEFT_OUT = ("work", "checkpoints")


def refresh_published(recipe: RefreshRecipe, url: str, again: bool = False, **how: Any) -> Refreshed:
    """``refresh``, whose errors it raises too, with its versions at a URL. The result's folder is the working one."""
    folder = draft_of(url)
    folder.mkdir(parents=True, exist_ok=True)
    with held(folder / "publish.lock", f"{url}: another refresh is at work here"):
        fetch_versions(url, folder)
        done = refresh(recipe, folder, again, **how)
        publish_versions(folder, url)
    return done


def fetch_versions(url: str, folder: Path) -> None:
    """Have every version that is whole at the URL in the folder. ``RequestError`` where one there is another."""
    there = sizes(url)
    for path in sorted(name for name in there if _is_version(name)):
        version, here = path.removesuffix(f"/{VERSION}"), folder / path
        if here.is_file():
            if here.read_bytes() != read_bytes(at(url, path)):
                raise RequestError(
                    f"{url}: its {version} is not the one made here, in {folder}: another machine turned the loop; "
                    "delete that folder to go on from what is published"
                )
            continue
        shutil.rmtree(here.parent, ignore_errors=True)  # unfinished, and overtaken
        for name in there:
            if name.startswith(f"{version}/") and name != path:
                get(f"{url}/{name}", folder / name)
        get(f"{url}/{path}", here)


def publish_versions(folder: Path, url: str) -> None:
    """Put every version that is whole in the folder at the URL, or what is left to put, and then which is newest."""
    there = sizes(url)
    for path in sorted(folder.glob(f"versions/*/{VERSION}")):
        version = path.parent.relative_to(folder).as_posix()
        if f"{version}/{VERSION}" not in there:
            _publish(path.parent, f"{url}/{version}")
    if CURRENT not in there or read_bytes(at(url, CURRENT)) != (folder / CURRENT).read_bytes():
        put(folder / CURRENT, f"{url}/{CURRENT}")


def _publish(version: Path, url: str) -> None:
    there = sizes(url)
    if PLAN in there and read_bytes(at(url, PLAN)) != (version / PLAN).read_bytes():
        for name in there:  # of an upload that was killed, of a version made from something else
            remove(at(url, name))
        there = {}
    if PLAN not in there:
        put(version / PLAN, f"{url}/{PLAN}")
    for name, size in sizes(version).items():
        wanted = name not in (VERSION, PLAN) and not any(part in LEFT_OUT for part in Path(name).parts)
        if wanted and there.get(name) != size:  # an object is whole or not there, and under this plan of these bytes
            put(version / name, f"{url}/{name}")
    put(version / VERSION, f"{url}/{VERSION}")


def _is_version(name: str) -> bool:
    top, _, rest = name.partition("/")
    number, _, file = rest.partition("/")
    return top == "versions" and number.isdigit() and file == VERSION
