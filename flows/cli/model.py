"""The command that looks at a model: ``model``."""

from typing import Annotated

import typer

from proofpress.flows.cli.app import Json, app, examples, print_json


@app.command(epilog=examples("model jina-ocr-v1", "model nano --json", "model my-checkpoint"))
def model(
    name: Annotated[str, typer.Argument(help="jina-ocr-v1, deepseek-ocr, nano, or a folder with a checkpoint.")],
    json_: Json = False,
) -> None:
    """List a model's tensors, its parameters and how many of them work on one token.

    A folder is checked against its configuration by the headers of its files; its weights are not read.
    """
    from proofpress.model.jina_ocr.inventory import inventory

    found = inventory(name)
    counts = {
        "tensors": len(found.tensors),
        "parameters": found.parameters,
        "draft_parameters": found.draft_parameters,
        "active_parameters": found.active_parameters,
    }
    if json_:
        print_json({"name": found.name, **counts, "shapes": found.tensors})
        return
    width = max(map(len, found.tensors))
    for tensor, shape in found.tensors.items():
        typer.echo(f"{tensor:<{width}}  {list(shape)}")
    typer.echo("")
    typer.echo(f"{counts['tensors']:>16,}  tensors")
    typer.echo(f"{counts['parameters']:>16,}  parameters")
    typer.echo(f"{counts['draft_parameters']:>16,}  of them in the multi-token head")
    typer.echo(f"{counts['active_parameters']:>16,}  of the decoder active for one token")
