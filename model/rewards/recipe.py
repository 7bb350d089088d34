"""How a page's terms become one reward: which way they are combined, with what weights, and why these.

RewardRecipe(combine="product", floor=0.2)
RewardRecipe.model_validate({"weights": {"tables": 2.0}})
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

_STRICT = ConfigDict(extra="forbid", frozen=True)


class Weights(BaseModel):
    """What each term counts. A term is scored where the gold or the prediction has it, so that invention costs.

    Text, formulas and tables count alike, as in OmniDocBench's Overall and in FD-RL (arXiv 2601.08834): on a common
    page text is most of the characters, and by characters a model would be paid for text alone.
    """

    model_config = _STRICT

    text: float = Field(default=1.0, ge=0.0, le=10.0, description="Text in reading order: characters, words, numbers.")
    formulas: float = Field(default=1.0, ge=0.0, le=10.0, description="Formulas, in lines and displayed.")
    tables: float = Field(default=1.0, ge=0.0, le=10.0, description="Tables.")
    structure: float = Field(
        default=0.5,
        ge=0.0,
        le=10.0,
        description="Blocks, their kinds and order; half, since text and tables hold most of it.",
    )
    tests: float = Field(
        default=1.0, ge=0.0, le=10.0, description="Share of the record's unit tests that pass, if any are given."
    )


class Discounts(BaseModel):
    """What share of the value is lost where a part is 0. These parts are 1 for most garbage, so they never add."""

    model_config = _STRICT

    repetition: float = Field(
        default=1.0, ge=0.0, le=1.0, description="Looping tail and repeated blocks: worth nothing at all."
    )
    noise: float = Field(
        default=1.0, ge=0.0, le=1.0, description="Comments and invisible characters: they can only be padding."
    )
    length: float = Field(
        default=1.0, ge=0.0, le=1.0, description="Far longer than the gold, however the rest is hidden."
    )
    closed: float = Field(default=0.2, ge=0.0, le=1.0, description="Tags, fences, formulas or environments left open.")
    complete: float = Field(
        default=0.2, ge=0.0, le=1.0, description="The end of the gold is not there; its content is lost too."
    )


class RewardRecipe(BaseModel):
    """The reward of a page.

    ``mean``: the weighted mean of the terms. ``product``: the product of ``floor + (1 - floor) * term``, each to the
    power of its weight over the largest: one wrong term spoils the page without hiding what the others did, as the
    Jina-OCR-v1 paper (arXiv 2609.03181) is said to do. Both are then discounted.
    """

    model_config = _STRICT

    combine: Literal["mean", "product"] = "mean"
    floor: float = Field(default=0.1, ge=0.0, lt=1.0, description="What a term of 0 leaves of a product.")
    weights: Weights = Weights()
    discounts: Discounts = Discounts()
    substance: int = Field(
        default=50,
        ge=1,
        description="Characters, formula nodes or table cells and characters from which a kind of content counts in "
        "full; a page with one small formula is not half formulas. What the gold has none of counts in full at once.",
    )
    symbolic: bool = Field(
        default=False,
        description="Ask SymPy whether a formula that is not the gold's is equal to it as mathematics: seconds each, "
        "and evidence only, for a formula is to be read as it stands.",
    )
