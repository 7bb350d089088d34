"""The recipe of a run: what to start from, what to read in which order, how fast to learn, when to stop.

``recipes/train/nano.yaml`` is the one the bundled weights were made with. The command line, the YAML file and the
Prefect form are all this one model.

    SFTRecipe(init="scratch", steps=200, levels=[Level(mix={"all": 1.0})])
"""

import re
from typing import Literal, Self

from pydantic import BaseModel, Field, PositiveFloat, PositiveInt, field_validator, model_validator

from proofpress.model.rewards.recipe import RewardRecipe
from proofpress.model.train.typeset import Typeset


class Kind(BaseModel, extra="forbid"):
    """One kind of rows, by what a dataset says of them before the image is decoded."""

    crops: list[str] = Field(
        default=[], description="values of the feature `crop` (of `task` where there is none); empty admits every row"
    )
    max_width: PositiveInt | None = Field(default=None, description="widest image, in pixels")
    max_height: PositiveInt | None = Field(default=None, description="highest image, in pixels")
    max_characters: PositiveInt | None = Field(default=None, description="longest label, in characters")
    typeset: Typeset | None = Field(
        default=None, description="lines set in process instead of rows of datasets; for the first levels from nothing"
    )
    one_line: bool = Field(
        default=False, description="rows are one line of text: they also train the CTC aid on the vision tokens"
    )

    def admits(self, crop: str, width: int, height: int, characters: int) -> bool:
        """Whether a row of this crop, this size in pixels and this label length is of this kind."""
        if self.typeset:
            return False
        limits = ((width, self.max_width), (height, self.max_height), (characters, self.max_characters))
        return (not self.crops or crop in self.crops) and all(limit is None or size <= limit for size, limit in limits)


class Level(BaseModel, extra="forbid", allow_inf_nan=False):
    """One level of the curriculum. Keep about a tenth for older kinds: what is not read is forgotten."""

    mix: dict[str, PositiveFloat] = Field(description="kind -> share of the steps, on any positive scale", min_length=1)
    below: float | None = Field(
        default=None,
        description="the next level opens when the smoothed loss of the kinds new here falls below this, "
        "in nats per character; the last level needs none",
    )


class RunRecipe(BaseModel, extra="forbid", allow_inf_nan=False):
    """What all trainers share: start, budget, data, optimizer, machine and what is written."""

    init: str = Field(
        default="nano", description="`nano` (bundled weights), `scratch` (nano, random weights) or a model folder"
    )
    freeze: list[str] = Field(
        default=[], description="regular expressions; parameters whose name one of them is found in are not trained"
    )
    seed: int = Field(default=0, ge=0, description="of the random weights, the batches and the augmentation")
    steps: PositiveInt | None = Field(default=None, description="optimizer steps to take; give this or `minutes`")
    minutes: float | None = Field(
        default=None, gt=0, description="training time on the clock, over all resumes; give this or `steps`"
    )

    weights: dict[str, PositiveFloat] = Field(
        default={}, description="dataset folder's name -> how often its rows are drawn, beside the others' 1"
    )
    kinds: dict[str, Kind] = Field(
        default={"all": Kind()}, description="kinds of rows; a row is of the first kind that admits it, else refused"
    )
    max_label: PositiveInt = Field(default=1_024, description="longest label in tokens; longer rows are refused")
    min_scale: float = Field(
        default=1.0, gt=0, le=1, description="rows that the model's largest view shows smaller than this are refused"
    )

    optimizer: Literal["adamw", "muon"] = Field(
        default="adamw", description="`muon` learns faster from nothing; the public size is trained with `adamw`"
    )
    learning_rate: float = Field(default=5e-5, gt=0, description="peak; 2e-3 for a small network from nothing")
    weight_decay: float = Field(default=0.01, ge=0, description="of matrices only")
    clip: float = Field(default=1.0, gt=0, description="largest norm of the gradient")
    warmup_steps: int = Field(default=100, ge=0, description="steps until the peak learning rate")
    decay: float = Field(default=0.25, ge=0, le=1, description="last share of the budget, over which it falls to 0")
    decay_shape: Literal["linear", "cosine"] = Field(default="linear", description="how it falls there")

    device: str = Field(default="cpu", description="a torch device, e.g. `cuda`")
    precision: Literal["bfloat16", "float32"] = Field(
        default="bfloat16", description="of the network's passes; weights and optimizer stay float32"
    )
    processes: PositiveInt = Field(
        default=1,
        description="that share the rows of each step, one a core or a GPU; `torchrun` may start them instead",
    )
    threads: PositiveInt = Field(default=2, description="threads of torch in a process on a CPU")
    loaders: PositiveInt = Field(default=1, description="threads in a process that decode images ahead")

    log_every: PositiveInt = Field(default=20, description="steps between two lines of log.jsonl")
    checkpoint_every: PositiveInt = Field(default=500, description="steps between two checkpoints")
    keep: PositiveInt = Field(default=2, description="newest checkpoints that stay")
    evaluate_every: PositiveInt | None = Field(default=None, description="steps between two readings of held-out rows")
    evaluation_rows: int = Field(default=32, ge=0, description="held-out rows of each kind that are read")
    tensorboard: bool = Field(
        default=True, description="also write TensorBoard events, where that package is installed"
    )
    trackers: list[Literal["wandb", "trackio"]] = Field(
        default=[], description="services that get the figures too; each needs the package of its name"
    )

    @model_validator(mode="after")
    def _has_one_budget(self) -> Self:
        if (self.steps is None) == (self.minutes is None):
            raise ValueError("give exactly one of steps and minutes")
        return self

    @field_validator("freeze")
    @classmethod
    def _are_patterns(cls, patterns: list[str]) -> list[str]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is not a regular expression: {error}") from error
        return patterns


class SFTRecipe(RunRecipe):
    """Everything that decides a supervised run, apart from the data."""

    levels: list[Level] = Field(
        default=[Level(mix={"all": 1.0})], min_length=1, description="the curriculum, from the first level to the last"
    )
    batch_pixels: PositiveInt = Field(default=200_000, description="pixels a step reads, whatever the shape of a row")
    batch_tokens: PositiveInt = Field(default=8_192, description="label tokens a step reads at most, padding included")
    draw_pixels: PositiveInt | None = Field(
        default=None,
        description="pixels of one kind and shape in a step, which is filled with as many draws as its budget holds; "
        "none: a step is one draw",
    )
    accumulate: PositiveInt = Field(
        default=1, description="parts in which a process reads its rows of a step, where they do not fit its memory"
    )
    augment: float = Field(default=0.5, ge=0, le=1, description="share of rows with changed ink, blur or noise")
    ctc: float = Field(default=0.0, ge=0, description="weight of the CTC aid at the start; 0 for none")
    ctc_until: float = Field(default=0.67, gt=0, le=1, description="share of the budget at which that weight is 0")
    router_balance: float = Field(default=0.001, ge=0, description="weight of the experts' load-balancing loss")
    sharded: bool = Field(
        default=False,
        description="share weights, gradients and moments out over the processes (FSDP2), for a network that is too "
        "large for each to hold; with adamw",
    )

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        for number, level in enumerate(self.levels):
            unknown = sorted(level.mix.keys() - self.kinds.keys())
            if unknown:
                raise ValueError(f"levels.{number}.mix: {unknown[0]} is not one of the kinds {sorted(self.kinds)}")
            if level.below is None and number + 1 < len(self.levels):
                raise ValueError(f"levels.{number}.below: needed, for a level follows")
        if self.sharded and self.optimizer != "adamw":
            raise ValueError(f"sharded: {self.optimizer} needs whole matrices; train with optimizer: adamw")
        return self


class MTPRecipe(SFTRecipe):
    """Everything that decides the training of a draft head (FastMTP, arXiv 2509.18362), apart from the data.

    The network itself is frozen; of the fields shared with supervised training those of the aid and of the experts'
    balance have no effect.
    """

    learning_rate: float = Field(default=1e-3, gt=0, description="peak; 5e-5 for the public size")
    step_weights: tuple[PositiveFloat, ...] = Field(
        default=(0.51, 0.31, 0.18), description="weight of the loss of each token drafted ahead; as many as are drafted"
    )
    sharded: Literal[False] = Field(default=False, description="never: the head is small, and the network only reads")
    self_distilled: bool = Field(
        default=True, description="teach what the network itself reads, not the labels: drafts are to please it alone"
    )
    distilled_rows: PositiveInt = Field(default=1_000, description="rows the network reads for that, before training")
    rows: PositiveInt = Field(default=8, description="pages that are read together")


class GRPORecipe(RunRecipe):
    """Everything that decides a run of GRPO, apart from the data.

    A step reads ``pages`` pages ``completions`` times each, rewards the readings, and takes ``iterations`` optimizer
    steps on them.
    """

    learning_rate: float = Field(default=1e-5, gt=0, description="peak; 1e-6 for the public size")
    warmup_steps: int = Field(default=5, ge=0, description="steps until the peak learning rate")
    mix: dict[str, PositiveFloat] = Field(
        default={"all": 1.0}, description="kind -> share of the pages, on any positive scale", min_length=1
    )
    pages: PositiveInt = Field(default=4, description="pages of a step; a whole number for each process")
    completions: int = Field(default=8, ge=2, description="readings of a page, the group they are compared in")
    iterations: PositiveInt = Field(default=1, description="optimizer steps on the readings of one step")
    temperature: float = Field(default=1.0, gt=0, description="of the drawn tokens, and of the policy")
    top_p: float = Field(default=1.0, gt=0, le=1, description="probability that the tokens drawn from have together")
    max_tokens: PositiveInt = Field(default=512, description="longest reading in tokens, its end token included")
    rows: PositiveInt = Field(default=8, description="readings that go on together; changes speed alone")

    rewards: RewardRecipe = Field(default=RewardRecipe(), description="how a page's terms become one reward")
    baseline: Literal["group", "batch", "none", "remax"] = Field(
        default="group",
        description="what a reward is compared with: its group's mean, divided by the deviation of the group, of the "
        "batch or by none; or the reward of the greedy reading",
    )
    loss: Literal["grpo", "bnpo", "dr_grpo", "dapo"] = Field(
        default="dapo",
        description="mean over tokens of readings first (grpo), of a part's or the step's tokens, or sum",
    )
    importance: Literal["token", "sequence"] = Field(default="token", description="whose ratio is clipped")
    clip_low: float = Field(default=0.2, gt=0, lt=1, description="how far below 1 a ratio may act")
    clip_high: float = Field(default=0.28, gt=0, description="how far above 1; more than below keeps exploring alive")
    kl: float = Field(default=0.0, ge=0, description="weight of the distance from the start weights (k3)")
    kl_correction: bool = Field(default=True, description="weigh that distance by the ratio, for an unbiased gradient")
    mask_truncated: bool = Field(default=True, description="readings cut off by max_tokens teach nothing")
    part_completions: PositiveInt = Field(default=8, description="readings in one pass of training")
    show_every: PositiveInt = Field(default=10, description="steps between two pages of readings under rollouts/")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if unknown := sorted(self.mix.keys() - self.kinds.keys()):
            raise ValueError(f"mix: {unknown[0]} is not one of the kinds {sorted(self.kinds)}")
        if self.pages % self.processes:
            raise ValueError(f"pages: {self.pages} cannot be dealt to {self.processes} processes")
        return self
