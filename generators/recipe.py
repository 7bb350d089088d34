"""What to print: the recipe of the press, and what it says of each page before any is printed.

recipe = PressRecipe(pages=300, wear={"clean": 1, "photo": 0.5}, variants=2)
compose(recipe, seed=7, index=42)          # the PageSpec of one page, by its address
"""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from proofpress.generators.address import Address
from proofpress.generators.content.bank import BankRecipe, open_bank
from proofpress.generators.coverage import Lattice, plan, vary
from proofpress.generators.kinds import KINDS, lay_out
from proofpress.generators.kinds.traits import SETTING
from proofpress.generators.layout import PageSpec
from proofpress.generators.wear import CLEAN, PROFILES
from proofpress.pages.record import record_id

VERSION = "6"  # of the press: raise it when the same address prints another page
LICENCE = "CC0-1.0"  # of what the press itself writes
STAGE = "press"


class PressRecipe(BaseModel):
    """What to print."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    pages: int = Field(100, ge=0, le=10_000_000, description="How many pages to print.")
    kinds: dict[str, float] = Field(
        default_factory=lambda: dict.fromkeys(sorted(KINDS), 1.0),
        description="Kinds of page and how often each is drawn, as relative weights.",
    )
    features: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="What pages may be: an axis of the lattice and the values it may take; all where not given.",
    )
    weights: dict[str, float] = Field(
        default_factory=dict, description="How often a value is drawn, `axis=value` to weight; 1 where not given."
    )
    wear: dict[str, float] = Field(
        default_factory=lambda: {CLEAN: 1.0},
        description=f"What pages go through, as relative weights: {CLEAN}, {', '.join(PROFILES)}.",
    )
    variants: int = Field(
        1,
        ge=1,
        le=100,
        description="How many of the pages in a row are one content, set and worn in "
        "different ways; where duplicates are looked for, `duplicates.keep: all` leaves them in.",
    )
    bank: BankRecipe | None = Field(None, description="A cleaned dataset to take content from; none when absent.")
    width: int = Field(1024, ge=640, le=4096, description="Width of a page in pixels; its height follows the paper.")
    rows: Literal["pages", "crops", "both"] = Field(
        "both", description="Whether the dataset gets the pages, crops cut from them, or both."
    )
    crops: int = Field(4, ge=0, le=200, description="How many crops to cut from each page.")
    browser: str | None = Field(None, description="Path of the browser; found on the machine where not given.")

    @field_validator("kinds")
    @classmethod
    def _known_kinds(cls, kinds: dict[str, float]) -> dict[str, float]:
        unknown = sorted(set(kinds) - set(KINDS))
        if unknown:
            raise ValueError(f"unknown kind {unknown[0]!r}; known are {', '.join(sorted(KINDS))}")
        return _weighty(kinds)

    @field_validator("wear")
    @classmethod
    def _known_wear(cls, wear: dict[str, float]) -> dict[str, float]:
        unknown = sorted(set(wear) - {CLEAN, *PROFILES})
        if unknown:
            raise ValueError(f"unknown wear {unknown[0]!r}; known are {', '.join((CLEAN, *PROFILES))}")
        return _weighty(wear)

    @model_validator(mode="after")
    def _can_be_printed(self) -> Self:
        lattice_of(self)
        return self


def _weighty(weights: dict[str, float]) -> dict[str, float]:
    if min(weights.values(), default=0.0) < 0 or sum(weights.values()) <= 0:
        raise ValueError("weights must be 0 or more, and one at least above 0")
    return weights


def lattice_of(recipe: PressRecipe) -> Lattice:
    """What the recipe's pages can be. ``ValueError`` names a feature that is unknown, or says that none is left."""
    drawn = {"kind": recipe.kinds, "wear": recipe.wear}
    weights = {f"{axis}={value}": weight for axis, of in drawn.items() for value, weight in of.items() if weight > 0}
    allowed = {axis: tuple(value for value, weight in of.items() if weight > 0) for axis, of in drawn.items()}
    return Lattice.of({**allowed, **recipe.features}, {**weights, **recipe.weights})


def page_id(seed: int, index: int) -> str:
    """The id of the page at an address, known before it is printed."""
    return record_id(STAGE, str(Address(seed, STAGE, index)), VERSION)


def contents(recipe: PressRecipe) -> range:
    """The indices of the pages that are the first of their content; ``page_id`` of it is the content's id."""
    return range(0, recipe.pages, recipe.variants)


def variants_of(recipe: PressRecipe, first: int) -> range:
    """The indices of all pages of one content, by its first."""
    return range(first, min(first + recipe.variants, recipe.pages))


def compose(recipe: PressRecipe, seed: int, index: int) -> PageSpec:
    """What the page of this index is to be: its content is that of its variants, its setting its own.

    ``RequestError`` where the bank's dataset is not there.
    """
    lattice, first = lattice_of(recipe), index - index % recipe.variants
    features = plan(lattice, seed, index // recipe.variants)
    if index != first:
        features = vary(lattice, features, plan(lattice, seed, index), SETTING)
    bank = None if recipe.bank is None else open_bank(recipe.bank)
    return lay_out(features, Address(seed, STAGE, first), recipe.width, Address(seed, STAGE, index), bank)
