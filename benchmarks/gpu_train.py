"""Train a model of the bundled size for so many minutes on a CUDA machine, from dataset folders, and write its weights.

    python benchmarks/gpu_train.py --data DATASET [--data ...] --out OUT --minutes 8 [--set batch_pixels=4194304]

The recipe is ``recipes/train/nano.yaml`` with batches for a GPU; ``--device cpu --recipe recipes/train/tiny.yaml --set
minutes=null`` tries the same on a CPU in seconds. Run again with the same --out it goes on from the last checkpoint. At
the end stand in OUT: ``model/`` with its card, ``summary.json`` and ``log.jsonl``; characters a second and held-out
figures are printed.
"""

import argparse
import json
from pathlib import Path

from proofpress.flows.train import train_sft

RECIPE = Path(__file__).parents[1] / "recipes/train/nano.yaml"

#: A GPU wants many rows at once; the rate grows with the square root of the batch, less a little for safety.
ON_GPU = (
    "batch_pixels=4194304",
    "batch_tokens=98304",
    "learning_rate=0.004",
    "loaders=12",
    "checkpoint_every=500",
    "evaluate_every=null",
    "evaluation_rows=64",
)


def main() -> None:
    """Train and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, action="append", required=True, help="a dataset folder; may be given often"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--recipe", type=Path, default=RECIPE)
    parser.add_argument("--set", action="append", default=[], dest="sets")
    given = parser.parse_args()
    on_device = ON_GPU if given.device.startswith("cuda") else ()
    sets = [f"minutes={given.minutes}", f"device={given.device}", *on_device, *given.sets]
    summary = train_sft(
        given.recipe, given.data, given.out, resume=True, sets=sets, progress=lambda line: print(json.dumps(line))
    )
    print(
        json.dumps(
            {
                "steps": summary["steps"],
                "characters_per_second": summary["characters"] / max(1e-9, summary["seconds"]),
                "after": summary["after"].get("tasks", {}),
                "model": summary["model"],
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
