"""The command that looks at the machine: ``doctor``."""

import typer

from proofpress.flows.cli.app import Json, app, examples, print_json


@app.command(epilog=examples("doctor", "doctor --json"))
def doctor(json_: Json = False) -> None:
    """Say what is there, what is missing, and how to mend it. Exit code 1 when something is missing."""
    from dataclasses import asdict

    from proofpress.flows import doctor as clinic

    findings = clinic.diagnose()
    if json_:
        print_json({"findings": [asdict(finding) for finding in findings]})
    else:
        typer.echo(clinic.render(findings))
    raise typer.Exit(0 if all(finding.ok for finding in findings) else 1)
