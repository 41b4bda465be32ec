"""The same answers as FBGEMM's own operator; runs where the package `fbgemm_gpu` is installed."""

from __future__ import annotations

import pytest
import torch
from conftest import fbgemm_or_skip
from reference import INDEX_DTYPES
from test_bucketize import assert_same, random_call

import pinwheel_kernels as pk

fbgemm_or_skip()


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize("length", INDEX_DTYPES)
@pytest.mark.parametrize("index", INDEX_DTYPES)
def test_bucketized_features(index, length, seed, rng):
    call = random_call(rng, index, length)
    ours = pk.block_bucketize_sparse_features(**call)
    assert_same(ours, torch.ops.fbgemm.block_bucketize_sparse_features(**call))
