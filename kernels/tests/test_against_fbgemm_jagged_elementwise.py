"""The same answers as FBGEMM's own operators; runs where the package `fbgemm_gpu` is installed."""

from __future__ import annotations

import pytest
import torch
from conftest import fbgemm_or_skip
from reference import random_jagged

import pinwheel_kernels as pk

FBGEMM = fbgemm_or_skip()


def random_case(rng, depth: int, dtype: torch.dtype):
    offsets, rows = random_jagged(rng, depth, rng.randint(1, 5), 3, torch.int64)
    max_lengths = [rng.randint(1, 4) for _ in range(depth)]
    width = rng.randint(1, 9)
    values = torch.randn(rows, width).to(dtype)
    return values, offsets, torch.randn(offsets[0].numel() - 1, *max_lengths, width).to(dtype)


def first(result: object) -> torch.Tensor:
    return result if isinstance(result, torch.Tensor) else result[0]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
@pytest.mark.parametrize(
    "name",
    [
        "jagged_dense_elementwise_add_jagged_output",
        "jagged_dense_elementwise_add",
        "jagged_dense_elementwise_mul",
    ],
)
def test_results_and_gradients_match_fbgemm(name, depth, dtype, seed, rng):
    values, offsets, y = random_case(rng, depth, dtype)
    answers = []
    for operators in (torch.ops.pinwheel, FBGEMM):
        x, d = values.clone().requires_grad_(), y.clone().requires_grad_()
        result = first(getattr(operators, name)(x, offsets, d))
        torch.manual_seed(0)
        answers.append([result])
        # FBGEMM's CPU operator has no gradient of products of bfloat16.
        if not (name.endswith("mul") and dtype == torch.bfloat16):
            answers[-1] += torch.autograd.grad(result, (x, d), torch.randn_like(result))
    for ours, theirs in zip(*answers, strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_dense_to_jagged_matches_fbgemm(depth, given, seed, rng):
    _, offsets, dense = random_case(rng, depth, torch.float32)
    total = int(offsets[-1][-1]) if given else None
    ours, _ = pk.dense_to_jagged(dense, offsets, total)
    theirs, _ = FBGEMM.dense_to_jagged(dense, offsets, total)
    assert torch.equal(ours, theirs)
