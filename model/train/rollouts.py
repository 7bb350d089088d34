"""Readings drawn from the policy, with what they are worth: the data that GRPO learns from.

    found = draw(network, processor, rows, recipe, step=10, team=team)
    found[0].readings[0].text, found[0].readings[0].checked.reward

The pages of a step and every token drawn follow from seed and step, so a resumed run draws the same.
"""

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from proofpress.model.jina_ocr.choosing import Sampling
from proofpress.model.jina_ocr.decoding import decode
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.train.checkers import Checked, check
from proofpress.model.train.data import Sample, TrainingRows
from proofpress.model.train.parallel import Team
from proofpress.model.train.recipe import GRPORecipe
from proofpress.pages.errors import RequestError
from proofpress.pages.shards import write_whole


@dataclass(frozen=True, slots=True)
class DrawnReading:
    """One reading. tokens: the end token included. finished: it has one. text, checked: what it says, its worth."""

    tokens: tuple[int, ...]
    finished: bool
    text: str
    checked: Checked


@dataclass(frozen=True, slots=True)
class Rollout:
    """One page with its readings. greedy: the reward of its greedy reading, None where it was not asked for."""

    row: int
    sample: Sample
    image: Image.Image
    readings: tuple[DrawnReading, ...]
    greedy: float | None = None


def pages_of(rows: TrainingRows, recipe: GRPORecipe, step: int) -> list[int]:
    """The rows that a step reads, none twice where there are enough: a kind first, by the mix, then a row of it."""
    rng = np.random.default_rng([recipe.seed, step])
    kinds = sorted(recipe.mix)
    shares = np.array([recipe.mix[kind] for kind in kinds])
    wanted = rng.choice(len(kinds), recipe.pages, p=shares / shares.sum())
    chosen: list[int] = []
    for place, kind in enumerate(kinds):
        count = int((wanted == place).sum())
        buckets = [bucket for bucket in rows.buckets if bucket.key.kind == kind]
        if not buckets:
            raise RequestError(f"mix: no training row is of kind {kind}; refused: {dict(rows.refused) or 'none'}")
        numbers = np.concatenate([bucket.rows for bucket in buckets])
        weights = np.concatenate([bucket.weights for bucket in buckets])
        drawn = rng.choice(numbers, count, replace=count > len(numbers), p=weights / weights.sum())
        chosen += [int(row) for row in drawn]
    return chosen


def draw(
    network: JinaOCR, processor: Processor, rows: TrainingRows, recipe: GRPORecipe, step: int, team: Team
) -> list[Rollout]:
    """This process's pages of a step, each read ``recipe.completions`` times and rewarded."""
    places = list(range(recipe.pages))[team.rank :: team.size]
    numbers = [pages_of(rows, recipe, step)[place] for place in places]
    samples = rows.read(numbers)
    images = [sample.picture() for sample in samples]
    count = recipe.completions
    # One stream of random numbers a reading, whichever process draws it.
    streams = [(step * recipe.pages + place) * count + n for place in places for n in range(count)]
    chooser = Sampling(recipe.temperature, recipe.top_p, recipe.seed)
    training = network.training
    network.eval()
    repeated = [image for image in images for _ in range(count)]
    found = dict(
        decode(
            network, processor, repeated, rows=recipe.rows, chooser=chooser, max_tokens=recipe.max_tokens,
            streams=streams,
        )
    )  # fmt: skip
    greedy: list[float | None] = [None] * len(images)
    if recipe.baseline == "remax":
        best = dict(decode(network, processor, images, rows=recipe.rows, max_tokens=recipe.max_tokens))
        texts = [processor.tokenizer.decode(best[n].ids) for n in range(len(images))]
        greedy = [check(text, sample, recipe.rewards).reward for text, sample in zip(texts, samples, strict=True)]
    network.train(training)
    rollouts = []
    for place, (row, sample, image) in enumerate(zip(numbers, samples, images, strict=True)):
        readings = []
        for one in (found[place * count + n] for n in range(count)):
            text = processor.tokenizer.decode(one.ids)
            checked = check(text, sample, recipe.rewards)
            readings.append(DrawnReading(one.chosen, one.finish == "eos", text, checked))
        rollouts.append(Rollout(row, sample, image, tuple(readings), greedy[place]))
    return rollouts


def show(rollouts: Sequence[Rollout], advantages: Sequence[Sequence[float]], path: Path, step: int) -> None:
    """Write a page that shows pages beside their readings: image, truth, each reading with its terms and advantage."""
    style = (
        "body{font:14px sans-serif;margin:2em}img{max-width:40em;border:1px solid #aaa}"
        "pre{white-space:pre-wrap;margin:0;max-width:50em}td,th{vertical-align:top;padding:.3em .8em;text-align:left;"
        "border-top:1px solid #ddd}"
    )
    parts = [f"<!doctype html><meta charset=utf-8><title>Step {step}</title><style>{style}</style><h1>Step {step}</h1>"]
    for rollout, gains in zip(rollouts, advantages, strict=True):
        encoded = base64.b64encode(rollout.sample.image).decode()
        kind = "png" if rollout.sample.image[:4] == b"\x89PNG" else "jpeg"
        greedy = "" if rollout.greedy is None else f"; greedy reading {rollout.greedy:.3f}"
        parts.append(f"<h2>row {rollout.row}, {html.escape(rollout.sample.task)}{greedy}</h2>")
        parts.append(f"<img alt='the page' src='data:image/{kind};base64,{encoded}'>")
        parts.append(f"<h3>truth</h3><pre>{html.escape(rollout.sample.text)}</pre>")
        parts.append("<table><tr><th>reward<th>advantage<th>tokens<th>terms<th>reading</tr>")
        for reading, gain in zip(rollout.readings, gains, strict=True):
            checked = reading.checked
            reward = "none" if checked.reward is None else f"{checked.reward:.3f}"
            terms = ", ".join(f"{name} {value:.2f}" for name, value in checked.parts.items()) or checked.trouble
            length = f"{len(reading.tokens)}{'' if reading.finished else ' (cut off)'}"
            parts.append(
                f"<tr><td>{reward}<td>{gain:+.2f}<td>{length}<td>{html.escape(terms)}"
                f"<td><pre>{html.escape(reading.text)}</pre></tr>"
            )
        parts.append("</table>")
    write_whole(path, "\n".join(parts).encode())
