"""The viewer: a dataset's rows in the browser, to filter, look at, accept and reject with the keys of the keyboard.

A small server of the standard library on this machine alone. What a corpus wrote is only ever sent as JSON or as a
picture, under a policy by which nothing runs but the viewer's own script; no request names a file.

    with Viewer(Shelf.open(folder), ReviewLog.open(folder / "review.jsonl")) as viewer:
        print(viewer.url); viewer.serve_forever()
"""

import http.server
import json
import secrets
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from proofpress.flows.report import MAX_EVIDENCE, environment
from proofpress.flows.review_log import DECISIONS, ReviewLog
from proofpress.flows.shelf import FILTERS, Shelf
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.record import image_suffix
from proofpress.pages.storage import Place, at

HOST = "127.0.0.1"
MAX_BODY = 10_000  # bytes of a decision
MAX_LABEL = 100_000  # characters of a label
MAX_ELEMENTS = 2_000
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
REVIEWS = ("open", *DECISIONS[:2])


def review_of(shelf: Shelf) -> Place:
    """Where decisions about a dataset go: beside it, under a name that its manifest does not have."""
    return at(shelf.folder, "reviewed.jsonl" if "review.jsonl" in shelf.manifest["files"] else "review.jsonl")


class Viewer(http.server.ThreadingHTTPServer):
    """The server. url: to open. suspects: lines of a mining's review.jsonl, to look at first."""

    daemon_threads = True

    def __init__(self, shelf: Shelf, log: ReviewLog, suspects: Sequence[Mapping[str, Any]] = (), port: int = 0) -> None:
        self.shelf, self.log = shelf, log
        self.suspects = {line["id"]: line for line in suspects}
        self.token = secrets.token_urlsafe(16)  # a page of another origin cannot read it, and so decides nothing
        try:
            super().__init__((HOST, port), Handler)
        except OSError as error:
            raise RequestError(f"--port {port}: cannot be listened on: {error.strerror}; choose another") from error
        self.url = f"http://{HOST}:{self.server_address[1]}/"

    def page(self) -> str:
        """The one page."""
        choices = self.shelf.choices()
        return (
            environment()
            .get_template("view.html.j2")
            .render(
                name=self.shelf.manifest["name"],
                rows=len(self.shelf.entries),
                filters=[(name, choices[name]) for name in FILTERS if choices[name]],
                reviews=REVIEWS,
                suspects=len(self.suspects),
                log=str(self.log.place),
                token=self.token,
            )
        )

    def find(self, wanted: Mapping[str, str]) -> list[int]:
        """Places of rows by the filters of the shelf, by ``review`` and by ``suspects``."""
        rest = {name: value for name, value in wanted.items() if name not in ("review", "suspects")}
        places, entries = self.shelf.find(rest), self.shelf.entries
        if wanted.get("suspects"):
            places = [place for place in places if entries[place].id in self.suspects]
        if review := wanted.get("review"):
            places = [place for place in places if self._review(entries[place].id) == review]
        return places

    def describe(self, place: int) -> dict[str, Any]:
        """What is shown of a row; its picture comes by itself."""
        entry, row = self.shelf.entries[place], self.shelf.row(place)
        decided = self.log.decisions.get(entry.id, {})
        suspect = self.suspects.get(entry.id, {})
        return {
            "place": place,
            "id": entry.id,
            "kept": entry.kept,
            "facts": _facts(entry.kept, entry.split, row),
            "why": _why(row, suspect),
            "label": row["text"][:MAX_LABEL],
            "reading": str(suspect.get("reading", ""))[:MAX_LABEL],
            "picture": bool(row["image"] and row["image"]["bytes"]),
            "size": [row.get("width") or 0, row.get("height") or 0],
            "elements": [
                {"type": one["type"], "text": one["text"][:MAX_LABEL], "polygons": one["polygons"]}
                for one in (row.get("elements") or [])[:MAX_ELEMENTS]
            ],
            "review": self._review(entry.id),
            "note": decided.get("note", ""),
        }

    def decide(self, told: Mapping[str, Any]) -> Mapping[str, Any]:
        """Write a decision: ``place``, ``decision`` and ``note``. Raises ``RequestError`` for any other."""
        place, decision, note = told.get("place"), told.get("decision"), told.get("note", "")
        if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(self.shelf.entries):
            raise RequestError(f"place: {place!r} is not a row of this dataset")
        if decision not in DECISIONS or not isinstance(note, str):
            raise RequestError(f"decision: {decision!r} is not one of {', '.join(DECISIONS)}")
        entry = self.shelf.entries[place]
        return self.log.add(
            {"id": entry.id, "shard": entry.shard, "row": entry.row, "decision": decision, "note": note}
        )

    def _review(self, row_id: str) -> str:
        decision = self.log.decisions.get(row_id, {}).get("decision", "undecided")
        return "open" if decision == "undecided" else str(decision)


class Handler(http.server.BaseHTTPRequestHandler):
    """One request. Paths are a fixed few; the only thing of a path that is used is a row's number."""

    server: Viewer
    server_version, sys_version = "proofpress", ""
    timeout = 30

    def do_GET(self) -> None:
        if not self._is_ours():
            return
        address = urlsplit(self.path)
        kind, _, place = address.path.removeprefix("/").partition("/")
        try:
            if address.path == "/":
                self._send(self.server.page().encode(), "text/html; charset=utf-8")
            elif address.path in ("/view.js", "/view.css"):
                text = files("proofpress.flows").joinpath(kind).read_bytes()
                self._send(text, "text/javascript" if kind == "view.js" else "text/css")
            elif address.path == "/rows":
                self._send_json(self.server.find(dict(parse_qsl(address.query))))
            elif kind == "row" and _is_number(place):
                self._send_json(self.server.describe(int(place)))
            elif kind == "image" and _is_number(place):
                image = (self.server.shelf.row(int(place))["image"] or {}).get("bytes")
                if not image:
                    raise IndexError(f"row {place} has no picture")
                self._send(image, "image/jpeg" if image_suffix(image) == "jpg" else "image/png")
            else:
                self._refuse(404, "there is no such page")
        except IndexError as error:
            self._refuse(404, str(error))
        except RequestError as error:
            self._refuse(400, str(error))
        except WorkError as error:
            self._refuse(500, str(error))

    def do_POST(self) -> None:
        if not self._is_ours():
            return
        length = self.headers.get("Content-Length", "")
        if self.path != "/review" or not secrets.compare_digest(
            self.headers.get("X-Proofpress-Token", "").encode(), self.server.token.encode()
        ):
            self._refuse(403, "only the viewer's own page may decide")
        elif not _is_number(length) or int(length) > MAX_BODY:
            self._refuse(413, f"a decision has at most {MAX_BODY} bytes")
        else:
            try:
                told = json.loads(self.rfile.read(int(length)))
                self._send_json(self.server.decide(told if isinstance(told, dict) else {}))
            except (RequestError, ValueError) as error:
                self._refuse(400, str(error))
            except (WorkError, OSError) as error:
                self._refuse(500, f"{self.server.log.place}: not written: {error}")

    def _is_ours(self) -> bool:
        """Whether the request names this machine: another name that leads here is another site's trick."""
        port = self.server.server_address[1]
        if self.headers.get("Host") in (f"{HOST}:{port}", f"localhost:{port}"):
            return True
        self._refuse(403, f"ask for {self.server.url}")
        return False

    def _send_json(self, value: Any) -> None:
        self._send(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), "application/json")

    def _refuse(self, status: int, message: str) -> None:
        self._send(json.dumps({"error": message}).encode(), "application/json", status)

    def _send(self, body: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing: what matters is in the review."""


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 12


def _facts(kept: str, split: str, row: Mapping[str, Any]) -> list[str]:
    source = row["source"]
    facts = [split, kept, row.get("task", ""), source["name"], source["id"], source["licence"], row.get("language", "")]
    if row.get("width"):
        facts.append(f"{row['width']} × {row['height']}")
    if scores := row.get("scores"):
        measured = [f"{name} {scores[name]:.3f}" for name in ("likelihood", "reward") if scores[name] is not None]
        facts.append(f"{scores['model']}: {', '.join([*measured, scores['verdict']])}")
    return [fact for fact in facts if fact]


def _why(row: Mapping[str, Any], suspect: Mapping[str, Any]) -> list[dict[str, str]]:
    """What was found about a row: by a mining, by its checks, or why it is a reject."""
    found = (
        [{"what": f"suspect: {suspect.get('reason', '')}", "evidence": suspect.get("evidence", "")}] if suspect else []
    )
    if "stage" in row:
        found.append({"what": f"{row['stage']}: {row['reason']}", "evidence": row["evidence"]})
    for check in row.get("checks") or []:
        if check["reason"]:
            found.append(
                {"what": f"{check['outcome']} {check['rule']}: {check['reason']}", "evidence": check["evidence"]}
            )
    return [{"what": one["what"], "evidence": str(one["evidence"])[:MAX_EVIDENCE]} for one in found]
