"""Muon: momentum whose update is orthogonalised, for the matrices of a network (Keller Jordan, 2024).

Five Newton-Schulz steps push all singular values of a matrix's update towards 1, so that rare directions learn as
fast as common ones; a network this small started from nothing needs about half the error at equal time. Matrices of
one shape, the experts above all, are orthogonalised as one batch. Everything that is not a matrix of a linear map
(embeddings, positions, norms, the router) stays with AdamW.

    for optimizer in build_optimizers(model.named_parameters(), "muon", learning_rate=2e-3, weight_decay=0.01):
        optimizer.step()
"""

import math
import re
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter

from proofpress.model.train.parallel import ALONE, Team

# Parameters with two or more axes that are tables, first layers or the router: no linear map between hidden states.
NOT_A_MATRIX = re.compile(r"embed|lm_head|rel_pos|mlp\.gate\.|ctc")
COEFFICIENTS = (3.4445, -4.7750, 2.0315)


class Muon(torch.optim.Optimizer):
    """Nesterov momentum, orthogonalised, scaled by ``0.2 * sqrt(max(rows, columns))`` to AdamW's usual step size.

    matrices: (name, parameter) pairs of two or more axes. Three axes are a stack of matrices; a convolution counts as
    (out, in * height * width); a parameter named ``qkv`` as three matrices stacked along its rows. team: processes
    with equal gradients; each orthogonalises its share of the matrices and hands them to the others.
    """

    def __init__(
        self,
        matrices: Iterable[tuple[str, Parameter]],
        learning_rate: float,
        weight_decay: float = 0.0,
        momentum: float = 0.95,
        team: Team = ALONE,
    ) -> None:
        self._team = team
        groups = [{"params": [parameter], "parts": _parts(name, parameter)} for name, parameter in matrices]
        defaults = {"lr": learning_rate, "weight_decay": weight_decay, "momentum": momentum}
        super().__init__(groups, defaults)

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """One update of every parameter that has a gradient."""
        by_shape: dict[tuple[int, int], list[tuple[dict[str, Any], Parameter, Tensor]]] = {}
        for group in self.param_groups:
            parameter = group["params"][0]
            if parameter.grad is None:
                continue
            state = self.state[parameter]
            if not state:
                state["momentum"] = torch.zeros_like(parameter)
            state["momentum"].lerp_(parameter.grad, 1 - group["momentum"])
            update = parameter.grad.lerp(state["momentum"], group["momentum"])
            rows = parameter.shape[1] if parameter.dim() == 3 else parameter.shape[0] // group["parts"]
            matrices = update.reshape(group["parts"], rows, -1)  # (parts, rows, columns)
            by_shape.setdefault((rows, matrices.shape[2]), []).append((group, parameter, matrices))
        for shape, members in by_shape.items():
            batch = torch.cat([matrices for _, _, matrices in members])  # (parts of all members, rows, columns)
            updates = self._orthogonalise(batch).split([len(matrices) for _, _, matrices in members])
            scale = 0.2 * math.sqrt(max(shape))
            for (group, parameter, _), update in zip(members, updates, strict=True):
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                parameter.add_(update.reshape(parameter.shape), alpha=-group["lr"] * scale)

    def _orthogonalise(self, matrices: Tensor) -> Tensor:
        if self._team.size == 1:
            return orthogonalise(matrices)
        share = -(-len(matrices) // self._team.size)
        own = matrices[self._team.rank * share :][:share]
        padded = torch.cat((own, own.new_zeros(share - len(own), *own.shape[1:])))
        # The values are those of bfloat16 in any case: half the bytes go over.
        return self._team.joined(orthogonalise(padded).bfloat16())[: len(matrices)].float()


def orthogonalise(matrices: Tensor, steps: int = 5) -> Tensor:
    """Matrices (n, rows, columns) with all singular values pushed to about 1, as float32; computed in bfloat16."""
    a, b, c = COEFFICIENTS
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.mT if tall else matrices  # the product below is of the shorter side
    x = (x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)).bfloat16().contiguous()
    for _ in range(steps):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return (x.mT if tall else x).float()


def _parts(name: str, parameter: Parameter) -> int:
    if parameter.dim() == 3:
        return parameter.shape[0]
    return 3 if "qkv" in name else 1


def build_optimizers(
    parameters: Iterable[tuple[str, Parameter]],
    kind: str,
    learning_rate: float,
    weight_decay: float,
    team: Team = ALONE,
) -> list[torch.optim.Optimizer]:
    """The optimizers of a run: ``adamw`` alone, or ``muon`` for the matrices with AdamW for the rest.

    Weight decay falls on matrices only, in either kind.
    """
    named = [(name, parameter) for name, parameter in parameters if parameter.requires_grad]
    matrices = [(n, p) for n, p in named if p.dim() >= 2 and not NOT_A_MATRIX.search(n)]
    taken = {name for name, _ in matrices}
    rest: list[Parameter] = [parameter for name, parameter in named if name not in taken]
    settings: dict[str, Any] = {"lr": learning_rate, "betas": (0.9, 0.98), "weight_decay": 0.0, "fused": True}
    if kind == "muon":
        return [Muon(matrices, learning_rate, weight_decay, team=team), torch.optim.AdamW(rest, **settings)]
    groups: list[dict[str, Any]] = [
        {"params": [parameter for _, parameter in matrices], "weight_decay": weight_decay},
        {"params": rest},
    ]
    return [torch.optim.AdamW(groups, **settings)]
