"""What a unit test says, by type: the fields of olmOCR-bench's JSONL rows, checked as upstream checks them."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt, model_validator

from proofpress.model.rewards.scoring import Score
from proofpress.model.rewards.unit_tests.forms import olmocr_form, strict_form

Mode = Literal["olmocr", "strict"]


def passed() -> Score:
    """A test that passes."""
    return Score(1.0)


def failed(evidence: str, empty: bool = False) -> Score:
    """A test that does not, and why, in one line."""
    return Score(0.0, {}, "empty" if empty else "ok", evidence)


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be blank")
    return value


def _says_something(value: str) -> str:
    if not olmocr_form(value).strip() or not strict_form(value):
        raise ValueError("must not be blank, its marks of emphasis left out")
    return value


def _no_space(value: str) -> str:
    if not value or " " in value:
        raise ValueError("must be one word")
    return value


Text = Annotated[str, AfterValidator(_says_something)]


class UnitTest(BaseModel):
    """What all tests have. pdf, page: of which document; page counts from 1. max_diffs: edits forgiven in each text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: str
    id: str = ""
    pdf: str = ""
    page: PositiveInt = 1
    max_diffs: NonNegativeInt = 0
    checked: str | None = None
    url: str | None = None


class TextTest(UnitTest):
    """A text that is on the page, or is not (running heads). first_n, last_n: only in so many characters of it."""

    type: Literal["present", "absent"]
    text: Text
    case_sensitive: bool = True
    first_n: int | None = None
    last_n: int | None = None


class OrderTest(UnitTest):
    """Two texts that stand on the page in this order."""

    type: Literal["order"]
    before: Text
    after: Text

    @model_validator(mode="after")
    def _forgives_less_than_half(self) -> "OrderTest":
        if self.max_diffs > min(len(self.before), len(self.after)) // 2:
            raise ValueError(f"max_diffs {self.max_diffs} is more than half of a text it is for")
        return self


class TableTest(UnitTest):
    """A cell, and what stands beside it, in some table of the page."""

    type: Literal["table"]
    cell: str
    up: str = ""
    down: str = ""
    left: str = ""
    right: str = ""
    top_heading: str = ""
    left_heading: str = ""
    ignore_markdown_tables: bool = False


class MathTest(UnitTest):
    """A formula that is on the page."""

    type: Literal["math"]
    math: Annotated[str, AfterValidator(_not_blank)]
    ignore_dollar_delimited: bool = False


class BaselineTest(UnitTest):
    """A page that is text at all: not blank, no loop, no foreign script. max_length: of a page that *is* blank."""

    type: Literal["baseline"]
    max_length: int | None = None
    max_length_skips_image_alt_tags: bool = False
    max_repeats: int = 30
    check_disallowed_characters: bool = True


class FormatTest(UnitTest):
    """A text that is set as a heading, in bold or in italics."""

    type: Literal["format"]
    text: Text
    format: Literal["heading", "bold", "italic"]
    case_sensitive: bool = True


class FootnoteTest(UnitTest):
    """A note's mark, and what stands right before and right behind it."""

    type: Literal["footnote"]
    marker: Annotated[str, AfterValidator(_no_space)]
    appears_before_marker: Annotated[str | None, Field(default=None)] = None
    appears_after_marker: Annotated[str | None, Field(default=None)] = None

    @model_validator(mode="after")
    def _texts_say_something(self) -> "FootnoteTest":
        for name in ("appears_before_marker", "appears_after_marker"):
            value = getattr(self, name)
            if value and not value.strip():
                raise ValueError(f"{name} must not be blank")
        return self


TESTS: dict[str, type[UnitTest]] = {
    "present": TextTest,
    "absent": TextTest,
    "order": OrderTest,
    "table": TableTest,
    "math": MathTest,
    "baseline": BaselineTest,
    "format": FormatTest,
    "footnote": FootnoteTest,
}
