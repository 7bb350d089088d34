"""``python -m proofpress.flows.cli``."""

from proofpress.flows.cli import main

main()
