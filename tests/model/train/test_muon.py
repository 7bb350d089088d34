"""The optimizers."""

import torch
from torch import nn

from proofpress.model.train.muon import Muon, build_optimizers, orthogonalise


def test_an_orthogonalised_matrix_keeps_its_directions_and_levels_its_strengths() -> None:
    matrix = torch.randn(1, 12, 20, generator=torch.Generator().manual_seed(0))
    left, strengths, right = torch.linalg.svd(matrix[0], full_matrices=False)
    assert strengths.max() / strengths.min() > 3
    result = orthogonalise(matrix)[0]
    levelled = left.T @ result @ right.T
    assert (levelled.diagonal() > 0.6).all() and (levelled.diagonal() < 1.3).all()
    assert (levelled - levelled.diagonal().diag()).abs().max() < 0.05


def test_a_tall_matrix_is_treated_as_its_transpose() -> None:
    matrix = torch.randn(2, 20, 12, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(orthogonalise(matrix), orthogonalise(matrix.mT).mT)


def step_of(name: str, parameter: nn.Parameter, gradient: torch.Tensor) -> torch.Tensor:
    before = parameter.detach().clone()
    parameter.grad = gradient
    Muon([(name, parameter)], learning_rate=0.1).step()
    return parameter.detach() - before


def test_a_stack_of_experts_and_a_fused_qkv_step_as_their_matrices_do() -> None:
    gradients = torch.randn(3, 8, 4, generator=torch.Generator().manual_seed(0))
    alone = torch.stack([step_of("w", nn.Parameter(torch.zeros(8, 4)), gradient) for gradient in gradients])
    stacked = step_of("experts.up_proj", nn.Parameter(torch.zeros(3, 8, 4)), gradients)
    fused = step_of("attn.qkv.weight", nn.Parameter(torch.zeros(24, 4)), gradients.flatten(0, 1))
    torch.testing.assert_close(stacked, alone)
    torch.testing.assert_close(fused, alone.flatten(0, 1))


def test_only_linear_maps_between_hidden_states_go_to_muon() -> None:
    def parameter(*shape: int) -> nn.Parameter:
        return nn.Parameter(torch.zeros(shape))

    matrices = {
        "network.model.layers.1.mlp.experts.gate_proj": parameter(2, 4, 4),
        "network.model.layers.0.self_attn.q_proj.weight": parameter(4, 4),
        "network.model.sam_model.net_2.weight": parameter(4, 4, 3, 3),
    }
    others = {
        "network.model.embed_tokens.weight": parameter(9, 4),
        "network.model.layers.1.mlp.gate.weight": parameter(2, 4),
        "network.model.sam_model.pos_embed": parameter(1, 8, 8, 4),
        "network.model.sam_model.patch_embed.proj.weight": parameter(4, 1, 8, 8),
        "network.model.vision_model.embeddings.position_embedding.weight": parameter(9, 4),
        "network.model.norm.weight": parameter(4),
        "aid.ctc.weight": parameter(9, 4),
    }
    muon, adamw = build_optimizers({**matrices, **others}.items(), "muon", 1e-3, 0.01)
    assert [g["params"][0] for g in muon.param_groups] == list(matrices.values())
    assert [p for g in adamw.param_groups for p in g["params"]] == list(others.values())
    (alone,) = build_optimizers({**matrices, **others}.items(), "adamw", 1e-3, 0.01)
    assert [g["weight_decay"] for g in alone.param_groups] == [0.01, 0.0]


def test_frozen_parameters_are_left_out() -> None:
    frozen, free = nn.Parameter(torch.zeros(2, 2), requires_grad=False), nn.Parameter(torch.zeros(2, 2))
    bias = nn.Parameter(torch.zeros(2))
    muon, adamw = build_optimizers([("a", frozen), ("b", free), ("c", bias)], "muon", 1e-3, 0.0)
    assert [p for g in muon.param_groups for p in g["params"]] == [free]
    assert [p for g in adamw.param_groups for p in g["params"]] == [bias]
