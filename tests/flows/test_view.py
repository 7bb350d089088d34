import http.client
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page

from proofpress.flows.build import build
from proofpress.flows.config import BuildRecipe
from proofpress.flows.review_log import ReviewLog, read_lines
from proofpress.flows.shelf import Shelf
from proofpress.flows.view import Viewer, review_of
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.record import Check
from proofpress.pages.shards import read_manifest, read_records, write_manifest, write_shard
from proofpress.pages.storage import read_bytes

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
OWN = ("http://127.0.0.1:",)  # addresses that a page may ask


@pytest.fixture
def dataset(tmp_path: Path, quick_press, recipe: BuildRecipe) -> Path:
    return build(recipe, tmp_path / "out").folder


@pytest.fixture
def viewer(dataset: Path) -> Iterator[Viewer]:
    yield from serve(dataset)


def serve(dataset, suspects=()) -> Iterator[Viewer]:
    shelf = Shelf.open(dataset)
    with Viewer(shelf, ReviewLog.open(review_of(shelf)), suspects) as viewer:
        thread = threading.Thread(target=viewer.serve_forever, args=(0.05,))
        thread.start()
        yield viewer
        viewer.shutdown()
        thread.join()


def ask(viewer: Viewer, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", viewer.server_address[1], timeout=10)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    return answer.status, answer.read()


def wait_for(page: Page, said: str) -> None:
    page.get_by_role("status").filter(has_text=said).wait_for(timeout=10_000)


def test_rows_are_accepted_and_rejected_by_keys(viewer: Viewer, dataset: Path, page: Page):
    page.said.clear()
    page.goto(viewer.url)
    rows = len(viewer.shelf.entries)
    wait_for(page, f"Row 1 of {rows}")
    page.keyboard.press("a")
    wait_for(page, f"Accepted. Row 2 of {rows}")
    page.keyboard.press("j")
    wait_for(page, f"Row 3 of {rows}")
    page.get_by_label("Note").fill("blurred, and a r j in it")
    page.get_by_label("Note").blur()
    page.keyboard.press("r")
    wait_for(page, f"Rejected. Row 4 of {rows}")
    page.keyboard.press("k")
    wait_for(page, f"Row 3 of {rows}")
    assert page.get_by_role("button", name="Reject").get_attribute("aria-pressed") == "true"
    assert page.get_by_label("Note").input_value() == "blurred, and a r j in it"
    page.keyboard.press("u")
    wait_for(page, "Not decided any more")
    lines = read_lines(dataset / "review.jsonl")
    entries = viewer.shelf.entries
    assert [(line["id"], line["decision"]) for line in lines] == [
        (entries[0].id, "accept"),
        (entries[2].id, "reject"),
        (entries[2].id, "undecided"),
    ]
    assert (lines[1]["shard"], lines[1]["row"], lines[1]["note"]) == (
        entries[2].shard,
        entries[2].row,
        "blurred, and a r j in it",
    )
    assert page.said == []


def test_the_buttons_and_filters_do_what_the_keys_do(viewer: Viewer, page: Page):
    page.goto(viewer.url)
    kept = [entry for entry in viewer.shelf.entries if entry.kept == "kept"]
    page.get_by_label("Kept", exact=True).select_option("kept")
    wait_for(page, f"Row 1 of {len(kept)}")
    page.get_by_label("Kept", exact=True).focus()
    page.keyboard.press("b")  # a select takes its own keys
    page.get_by_role("button", name="Reject").click()
    wait_for(page, f"Rejected. Row 2 of {len(kept)}")
    assert page.get_by_role("button", name="Boxes").get_attribute("aria-pressed") == "true"
    page.get_by_label("Review", exact=True).select_option("reject")
    wait_for(page, "Row 1 of 1")
    assert page.get_by_role("article").get_by_role("heading").first.inner_text() == kept[0].id
    page.get_by_label("Review", exact=True).select_option("accept")
    wait_for(page, "No row is like that.")
    assert not page.get_by_role("article").is_visible()


def test_keys_can_be_switched_off_and_held_ones_decide_once(viewer: Viewer, page: Page):
    page.goto(viewer.url)
    wait_for(page, "Row 1")
    page.keyboard.down("a")
    page.keyboard.down("a")  # as a held key repeats
    page.keyboard.up("a")
    wait_for(page, "Accepted. Row 2")
    page.get_by_label("Keys", exact=True).uncheck()
    page.keyboard.press("r")
    page.get_by_role("button", name="Next").click()
    wait_for(page, "Row 3")
    assert [line["decision"] for line in viewer.log.decisions.values()] == ["accept"]


def test_the_picture_shows_with_its_boxes_in_place(viewer: Viewer, page: Page):
    page.goto(viewer.url)
    wait_for(page, "Row 1")
    page.wait_for_function("document.getElementById('picture').naturalWidth === 240")
    picture, box = page.locator("#picture").bounding_box(), page.locator("polygon").first.bounding_box()
    scale = picture["width"] / 240  # the box is from (10, 10) to (230, 40)
    assert box["x"] + box["width"] / 2 - picture["x"] == pytest.approx(120 * scale, abs=2)
    assert box["y"] + box["height"] / 2 - picture["y"] == pytest.approx(25 * scale, abs=2)
    page.keyboard.press("b")
    assert not page.locator("polygon").first.is_visible()


def test_nothing_of_a_corpus_runs(dataset: Path, page: Page):
    path = sorted((dataset / "data").glob("train-*.parquet"))[0]
    records = list(read_records(dataset, "train"))[: read_manifest(dataset)["files"][f"data/{path.name}"]["rows"]]
    hostile = replace(records[0], text=HOSTILE, checks=(Check(HOSTILE, "failed", HOSTILE, HOSTILE),))
    write_shard(path, [hostile, *records[1:]])
    write_manifest(dataset, {**read_manifest(dataset), "name": HOSTILE})
    for viewer in serve(dataset):
        page.said.clear()
        page.goto(viewer.url)
        page.get_by_label("Reason", exact=True).select_option(HOSTILE)
        wait_for(page, "Row 1 of 1")
        assert page.locator("#label").inner_text() == HOSTILE
        assert page.title() == f"{HOSTILE} · Proofpress viewer"
        assert page.said == []


def test_suspects_of_a_mining_are_shown_with_what_was_read(dataset: Path, page: Page):
    entry = Shelf.open(dataset).entries[3]
    suspect = {"id": entry.id, "reason": "confident", "evidence": "reads otherwise", "reading": "quite another"}
    for viewer in serve(dataset, [suspect]):
        page.goto(viewer.url)
        page.get_by_label("Only the 1 suspects").check()
        wait_for(page, "Row 1 of 1")
        assert page.locator("#why").inner_text().split("\n") == ["suspect: confident", "reads otherwise"]
        assert page.locator("#reading").inner_text() == "quite another"


def test_every_control_has_a_name_and_keys_are_told(viewer: Viewer, page: Page):
    page.goto(viewer.url)
    wait_for(page, "Row 1")
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input")].filter(
            (one) => !(one.labels?.length || one.textContent.trim())).map((one) => one.outerHTML)"""
    )
    assert unnamed == []
    assert page.locator("#picture").get_attribute("alt")
    assert page.get_by_role("button", name="Accept").get_attribute("aria-keyshortcuts") == "A"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/../../etc/passwd", 404),
        ("/%2e%2e/etc/passwd", 404),
        ("/view.html.j2", 404),
        ("/image/../manifest.json", 404),
        ("/row/-1", 404),
        ("/row/999999", 404),
        ("/image/99999999999999999999", 404),
        ("/row/%31", 404),
        ("/rows?shard=x", 400),
        ("/rows?task=page", 200),
    ],
)
def test_no_request_names_a_file(viewer: Viewer, path: str, status: int):
    answered, body = ask(viewer, "GET", path)
    assert answered == status
    assert status == 200 or "error" in json.loads(body)


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({}, b"{}", 403),
        ({"X_Proofpress_Token": "wrong"}, b"{}", 403),
        ({"X_Proofpress_Token": "right", "Host": "rebound.example"}, b"{}", 403),
        ({"X_Proofpress_Token": "right"}, b"{", 400),
        ({"X_Proofpress_Token": "right"}, b"[1]", 400),
        ({"X_Proofpress_Token": "right"}, b'{"place": 0, "decision": "burn"}', 400),
        ({"X_Proofpress_Token": "right"}, b'{"place": true, "decision": "accept"}', 400),
        ({"X_Proofpress_Token": "right"}, b'{"place": 1000, "decision": "accept"}', 400),
        ({"X_Proofpress_Token": "right"}, b"x" * 20_000, 413),
    ],
)
def test_only_the_viewers_own_page_decides(viewer: Viewer, dataset: Path, headers: dict, body: bytes, status: int):
    right = {name: viewer.token if value == "right" else value for name, value in headers.items()}
    assert ask(viewer, "POST", "/review", body, **right)[0] == status
    assert not (dataset / "review.jsonl").exists()


def test_the_server_listens_to_this_machine_alone(viewer: Viewer):
    assert viewer.server_address[0] == "127.0.0.1"
    assert ask(viewer, "GET", "/", Host="rebound.example")[0] == 403
    with pytest.raises(RequestError, match="cannot be listened on"):
        Viewer(viewer.shelf, viewer.log, port=viewer.server_address[1])


def test_rows_are_found_by_what_they_are(dataset: Path):
    shelf = Shelf.open(dataset)
    rejects = shelf.find({"kept": "rejects"})
    assert rejects == shelf.find({"reason": "proof: text.differs", "task": ""})
    assert [shelf.row(place)["id"] for place in rejects] == [shelf.entries[place].id for place in rejects]
    assert len(shelf.find({})) == 30
    assert shelf.find({"split": "validation", "kept": "kept"}) != shelf.find({"split": "train", "kept": "kept"})
    assert dict(shelf.choices()["kept"]) == {"kept": 30 - len(rejects), "rejects": len(rejects)}
    (dataset / shelf.entries[0].shard).unlink()
    with pytest.raises(WorkError, match="cannot be read"):
        shelf.row(0)


def test_a_review_is_kept_though_a_kill_left_half_a_line(tmp_path: Path):
    path = tmp_path / "review.jsonl"
    log = ReviewLog.open(path)
    log.add({"id": "a", "decision": "accept"})
    with path.open("ab") as file:
        file.write(b'{"id": "b", "deci')
    again = ReviewLog.open(path)
    again.add({"id": "c", "decision": "reject"})
    assert [line["id"] for line in read_lines(path)] == ["a", "c"]
    path.write_bytes(path.read_bytes().rstrip(b"\n"))  # as an editor may leave it
    ReviewLog.open(path).add({"id": "d", "decision": "reject"})
    assert list(ReviewLog.open(path).decisions) == ["a", "c", "d"]
    path.write_text("name,decision\n")
    with pytest.raises(RequestError, match="line 1 is not of a review"):
        ReviewLog.open(path)


def test_two_viewers_of_one_dataset_lose_no_decision(tmp_path: Path):
    def decide(viewer: int) -> None:
        log = ReviewLog.open(tmp_path / "review.jsonl")
        for row in range(50):
            log.add({"id": f"{viewer}-{row}", "decision": "accept"})

    threads = [threading.Thread(target=decide, args=(viewer,)) for viewer in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_lines(tmp_path / "review.jsonl")) == 100


def test_a_dataset_of_a_store_is_viewed_and_reviewed_where_it_lies(store, quick_press, recipe: BuildRecipe):
    url = f"{store.url}/small"
    build(recipe, url)
    for viewer in serve(url):
        assert json.loads(ask(viewer, "GET", "/row/0")[1])["id"] == viewer.shelf.entries[0].id
        assert ask(viewer, "GET", "/image/0")[1][:4] == b"\x89PNG"
        body = b'{"place": 0, "decision": "reject"}'
        for _ in range(2):
            assert ask(viewer, "POST", "/review", body, X_Proofpress_Token=viewer.token)[0] == 200
    assert read_bytes(f"{url}/review.jsonl").count(b"\n") == 2
