"""The same answers as FBGEMM's own operator; runs where the package `fbgemm_gpu` is installed."""

from __future__ import annotations

import pytest
import torch
from conftest import fbgemm_or_skip
from reference import INDEX_DTYPES

import pinwheel_kernels as pk

fbgemm_or_skip()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("dtype", INDEX_DTYPES)
def test_permuted_bags(dtype, seed, rng):
    bags = rng.randint(1, 50)
    lengths = torch.randint(0, 9, (bags,), dtype=dtype)
    values = torch.randint(0, 1000, (int(lengths.sum()),))
    weights = torch.rand(values.shape)
    permute = torch.randint(0, bags, (rng.randint(1, 80),), dtype=torch.int32)
    ours = pk.permute_1D_sparse_data(permute, lengths, values, weights)
    theirs = torch.ops.fbgemm.permute_1D_sparse_data(permute, lengths, values, weights)
    assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("seed", range(10))
def test_gradients_of_a_permutation(seed, rng):
    features, samples = rng.randint(1, 20), rng.randint(1, 9)
    lengths = torch.randint(0, 9, (features, samples))
    values, weights = (torch.randn(int(lengths.sum())) for _ in range(2))
    permute = torch.randperm(features, dtype=torch.int32)
    gradients = []
    for operators in (torch.ops.pinwheel, torch.ops.fbgemm):
        inputs = [values.clone().requires_grad_(), weights.clone().requires_grad_()]
        _, moved, moved_weights = operators.permute_2D_sparse_data(permute, lengths, *inputs)
        gradients.append(torch.autograd.grad((moved * moved_weights).sum(), inputs))
    assert all(torch.equal(a, b) for a, b in zip(*gradients, strict=True))
