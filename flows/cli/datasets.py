"""Commands that make or describe a dataset: ``build``, ``clean``, ``judge``, ``calibrate``, ``report``."""

from pathlib import Path
from typing import Annotated

import typer

from proofpress.flows.cli.app import (
    Dataset,
    Json,
    Model,
    Out,
    Quiet,
    Runner,
    Sets,
    Workers,
    a_dataset,
    app,
    examples,
    print_json,
)
from proofpress.flows.cli.making import make_dataset

#: The corpora with an adapter, as ``cleaners.corpora.CORPORA`` has them, without the seconds it takes to import it.
CORPUS_NAMES = (
    "pubtabnet", "fintabnet", "pubtables1m", "scitsr", "synthtabnet", "im2latex", "unimer", "crohme", "olmocr-mix",
    "nougat", "synthdog", "infinity-doc", "docling", "folder", "omnidocbench", "olmocr-bench", "docbank", "publaynet",
    "doclaynet", "funsd", "xfund", "cord", "sroie", "wildreceipt",
)  # fmt: skip


@app.command(
    epilog=examples(
        "build recipes/demo.yaml --out out/demo",
        "build recipes/demo.yaml --out out/more --set pages=500 --set seed=7 --runner processes",
        "build recipes/demo.yaml --out s3://bucket/demo   (made here, then published whole)",
    )
)
def build(
    recipe: Annotated[Path, typer.Argument(help="The recipe, a YAML file.")],
    out: Out,
    set_: Sets = [],  # noqa: B006  typer reads the default, nobody changes it
    runner: Runner = "inline",
    workers: Workers = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a dataset: print synthetic pages, clean corpora, proof, judge and shard them."""
    from proofpress.flows.build import build as make
    from proofpress.flows.config import load_recipe

    checked = load_recipe(recipe, set_)
    make_dataset(checked.name, runner, quiet, json_, lambda **how: make(checked, out, workers=workers, **how))


def _list_rules(asked: bool) -> None:
    """Print the rules that corpora are cleaned by, and end the command."""
    if not asked:
        return
    from proofpress.cleaners.rules.catalogue import catalogue

    for group, rules in catalogue():
        typer.echo(f"\n{group.upper()}")
        for rule in rules:
            typer.echo(f"  {rule.name:<28} {rule.explain}\n  {'':<28} e.g. {rule.example}")
    raise typer.Exit


@app.command(
    epilog=examples(
        "clean pubtabnet PubTabNet/ --out out/tables",
        "clean im2latex im2latex/ --out out/formulas --set corpora.0.limit=1000 --set judge.model=nano",
        "clean funsd dataset.zip --out out/forms --set 'licences=[LicenseRef-non-commercial]'",
        "clean --list-rules   (every rule, with an example)",
    )
)
def clean(
    corpus: Annotated[str, typer.Argument(help=f"The corpus: {', '.join(CORPUS_NAMES)}.")],
    path: Annotated[Path, typer.Argument(help="Its folder in the corpus's own layout, or a .zip of it.")],
    out: Out,
    set_: Sets = [],  # noqa: B006
    runner: Runner = "inline",
    workers: Workers = None,
    list_rules: Annotated[
        bool, typer.Option("--list-rules", is_eager=True, callback=_list_rules, help="Explain every rule, and stop.")
    ] = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Clean a public corpus into a dataset; what is wrong with the rest is written beside it."""
    from proofpress.flows.clean import clean as make

    make_dataset(corpus, runner, quiet, json_, lambda **how: make(corpus, path, out, set_, workers=workers, **how))


@app.command(epilog=examples("judge out/demo --out out/judged", "judge out/demo --out out/scored --read --keep"))
def judge(
    dataset: Dataset,
    out: Out,
    model: Model = "nano",
    read: Annotated[bool, typer.Option("--read", help="Also reward the model's own reading; much slower.")] = False,
    drop: Annotated[bool, typer.Option("--drop/--keep", help="Reject what fails, or only score it.")] = True,
    runner: Runner = "inline",
    workers: Workers = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Score and filter a dataset with the model, into a new folder."""
    from proofpress.flows.config import JudgeRecipe
    from proofpress.flows.judge import judge as make

    recipe = JudgeRecipe(model=model, read=read, drop=drop)
    make_dataset(dataset.name, runner, quiet, json_, lambda **how: make(dataset, out, recipe, workers=workers, **how))


@app.command(epilog=examples("calibrate out/demo --model out/run/model"))
def calibrate(
    dataset: Annotated[
        Path,
        typer.Argument(parser=a_dataset, metavar="DATASET", help="A dataset of proofed pages, with right labels."),
    ],
    model: Model = "nano",
    split: Annotated[str, typer.Option("--split", help="One the model was not trained on.")] = "validation",
    false_rejects: Annotated[float, typer.Option("--false-rejects", min=0, max=0.5, help="Share to give up.")] = 0.02,
    json_: Json = False,
) -> None:
    """Set a model's thresholds as a judge so that it drops at most a known share of right labels."""
    from dataclasses import asdict

    from proofpress.flows.judge import calibrate as set_thresholds

    thresholds = set_thresholds(dataset, model, split, false_rejects)
    if json_:
        print_json(asdict(thresholds))
        return
    for task, threshold in thresholds.tasks.items():
        typer.echo(
            f"{task:<10} keep from a likelihood of {threshold.likelihood:.3f} on to a doubt of {threshold.doubt:.2f}"
        )


@app.command(epilog=examples("report out/demo   (then open out/demo/report.html)"))
def report(
    dataset: Dataset,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a dataset's report again: counts, rejects, sample pages with their boxes, in one HTML file."""
    from proofpress.flows.lattice import lattice_coverage
    from proofpress.flows.report import write_report
    from proofpress.pages.shards import read_manifest

    manifest = read_manifest(dataset)
    path, covered = write_report(dataset, manifest), lattice_coverage(dataset, manifest)
    if json_:
        lattice = None if covered is None else {"covered": covered.covered, "possible": covered.possible}
        print_json({"report": str(path), "lattice": lattice})
    elif not quiet:
        typer.echo(path)
        if covered is not None:
            pairs = f"{covered.covered} of {covered.possible} pairs of features"
            typer.echo(f"lattice: {pairs}, {100 * covered.share:.2f} %")
