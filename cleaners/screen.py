"""The screen at the door of a dataset, for printed and cleaned pages: licence, benchmark, personal data, language.

    screen = Screen(recipe.licences, personal="mask", benchmarks=Index.load(path))
    for page in pages: screen.pass_or_reject(page)      # the record, its checks added, or the reject that says why not

Labels and pictures are the rules' business; this is about whether a sound page may be in the dataset at all.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from proofpress.cleaners.decontaminate import Index
from proofpress.cleaners.duplicates.fingerprint import hashed
from proofpress.cleaners.language import disagrees, language_of
from proofpress.cleaners.licences import refusal
from proofpress.cleaners.personal import CannotMask, Policy, find, mask, summary
from proofpress.pages.record import Check, PageRecord, Reject, to_json

STAGE = "screen"


@dataclass(frozen=True, slots=True)
class Screen:
    """licences: those accepted. personal: what becomes of personal data. benchmarks: what no page may be of."""

    licences: Collection[str]
    personal: Policy = "keep"
    benchmarks: Index | None = None

    def pass_or_reject(self, page: PageRecord | Reject) -> PageRecord | Reject:
        """The page with what was found among its checks; a reject where it may not stay; earlier rejects, redacted."""
        if isinstance(page, Reject):
            return page if self.personal == "keep" else redacted(page)
        if why := refusal(page.source.licence, self.licences):
            return reject_of(page, STAGE, "licence.refused", why)
        if self.benchmarks is not None:
            screened = without_benchmarks(page, self.benchmarks)
            if isinstance(screened, Reject):
                return screened if self.personal == "keep" else redacted(screened)
            page = screened
        return self._without_personal_data(_with_language(page))

    def _without_personal_data(self, page: PageRecord) -> PageRecord | Reject:
        findings = find(page.text)
        if not findings:
            return page
        found = summary(findings)
        if self.personal == "keep":
            return page.with_checks(Check("personal", "passed", f"personal.{findings[0].kind}", found))
        if self.personal == "mask":
            try:
                return mask(page, findings)
            except CannotMask as error:
                return redacted(reject_of(page, STAGE, "personal.unmaskable", f"{found}: {error}"), always=True)
        return redacted(reject_of(page, STAGE, f"personal.{findings[0].kind}", found), always=True)


def without_benchmarks(page: PageRecord, index: Index) -> PageRecord | Reject:
    """The page with the hashes it was compared by, or the reject that says of which benchmark's page it is."""
    page = hashed(page)
    hits = index.hits(page)
    if not hits:
        return page
    evidence = "; ".join(f"{hit.page}: {hit.evidence}" for hit in hits)
    return reject_of(page, STAGE, f"contaminated.{hits[0].kind}", evidence)


def reject_of(page: PageRecord, stage: str, reason: str, evidence: str) -> Reject:
    """The reject that a record becomes; its original is its own row without the image, which stands beside."""
    row = page.to_row()
    del row["image"]
    return Reject(page.id, stage, reason, evidence, page.source, page.text, page.image, to_json(row))


def redacted(reject: Reject, always: bool = False) -> Reject:
    """The reject without text, picture and original where these hold personal data: its source still finds it."""
    if not always and not find(f"{reject.text}\n{reject.original}\n{reject.evidence}"):
        return reject
    return replace(reject, text="", image=b"", original="{}", evidence="" if find(reject.evidence) else reject.evidence)


def _with_language(page: PageRecord) -> PageRecord:
    """The page with its language told, or noted where it is surely not the one that its corpus declares."""
    if page.task in ("formula", "layout"):
        return page
    if not page.language:
        return replace(page, language=language_of(page.text))
    if other := disagrees(page.language, page.text):
        return page.with_checks(Check("language", "passed", "language.differs", f"{other}, not {page.language}"))
    return page
