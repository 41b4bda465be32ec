"""The same answers as FBGEMM's own operator; runs where the package `fbgemm_gpu` is installed."""

from __future__ import annotations

import pytest
import torch
from conftest import fbgemm_or_skip
from reference import INDEX_DTYPES
from test_bounds import IGNORE, WARNING, moved, random_call, spoil

import pinwheel_kernels as pk

fbgemm_or_skip()


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("mode", [WARNING, IGNORE])
@pytest.mark.parametrize("varies", [False, True])
@pytest.mark.parametrize("dtype", INDEX_DTYPES)
def test_repaired_indices(dtype, varies, mode, seed, rng):
    call = random_call(rng, dtype, dtype, varies)
    if seed % 3 > 0:
        spoil(call, rng, offsets_too=seed % 3 == 2)
    ours, theirs = (moved(call, torch.device("cpu")) for _ in range(2))
    pk.bounds_check_indices(**ours, bounds_check_mode=mode)
    torch.ops.fbgemm.bounds_check_indices(**theirs, bounds_check_mode=mode)
    for name in ("indices", "offsets", "warning"):
        assert torch.equal(ours[name], theirs[name])
