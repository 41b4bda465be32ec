"""The same answers as FBGEMM's own operators; runs where the package `fbgemm_gpu` is installed."""

from __future__ import annotations

import pytest
import torch
from conftest import fbgemm_or_skip

import pinwheel_kernels as pk

FBGEMM = fbgemm_or_skip()


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("segments", [1, 10, 1000])
def test_ranges_match_fbgemm(segments, dtype, rng):
    offsets = pk.asynchronous_complete_cumsum(torch.randint(0, 20, (segments,), dtype=dtype))
    size = int(offsets[-1])
    assert torch.equal(pk.offsets_range(offsets, size), FBGEMM.offsets_range(offsets, size))
    starts = offsets[:-1].contiguous()
    assert torch.equal(pk.offsets_range(starts, size), FBGEMM.offsets_range(starts, size))


@pytest.mark.parametrize("index", [torch.int32, torch.int64])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int64], ids=str)
@pytest.mark.parametrize("batch", [1, 7])
def test_sums_match_fbgemm(batch, dtype, index, rng):
    offsets = pk.asynchronous_complete_cumsum(torch.randint(0, 20, (50,), dtype=index))
    # Small integers: FBGEMM adds 16-bit numbers in 16 bits.
    values = torch.randint(0, 2, (int(offsets[-1]) * batch,)).to(dtype)
    ours = pk.segment_sum_csr(batch, offsets, values)
    assert torch.equal(ours, FBGEMM.segment_sum_csr(batch, offsets, values))


def test_sums_of_an_empty_batch_match_fbgemm():
    values = torch.zeros(0)
    for starts in (torch.tensor([0]), torch.tensor([0, 0, 0])):
        ours = pk.segment_sum_csr(0, starts, values)
        assert torch.equal(ours, FBGEMM.segment_sum_csr(0, starts, values))
