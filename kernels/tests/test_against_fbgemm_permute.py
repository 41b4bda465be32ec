"""The same answers as FBGEMM's own operator; runs where the package `fbgemm_gpu` is installed."""

from __future__ import annotations

import pytest
import torch
from reference import INDEX_DTYPES

import pinwheel_kernels as pk

pytest.importorskip("fbgemm_gpu", reason="fbgemm_gpu is not installed: the comparison is opt-in")


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
