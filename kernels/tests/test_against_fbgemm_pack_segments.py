"""The same answers as FBGEMM's own operators; runs where the package `fbgemm_gpu` is installed."""

from __future__ import annotations

import pytest
import torch
from conftest import fbgemm_or_skip

fbgemm_or_skip()

PINWHEEL = torch.ops.pinwheel
FBGEMM = torch.ops.fbgemm


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("infinite", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("index", [torch.int32, torch.int64])
def test_results_and_gradients_match_fbgemm(index, dtype, infinite, seed, rng):
    lengths = torch.randint(0, 6, (rng.randint(1, 7),), dtype=index)
    # No segment is truncated: FBGEMM leaves the gradient of truncated rows undefined.
    max_length = max(1, int(lengths.max())) + rng.randint(0, 2)
    rows = torch.randn(int(lengths.sum()), rng.randint(1, 9)).to(dtype)
    answers = []
    for operators in (PINWHEEL, FBGEMM):
        x = rows.clone().requires_grad_()
        packed, mask = operators.pack_segments_v2(x, lengths, max_length, infinite, True)
        torch.manual_seed(0)
        (gradient,) = torch.autograd.grad(packed, x, torch.randn_like(packed))
        answers.append([packed, mask, gradient, operators.pack_segments(x, lengths, max_length)])
    for ours, theirs in zip(*answers, strict=True):
        assert torch.equal(ours, theirs)


def test_truncated_segments_match_fbgemm(rng):
    lengths, rows = torch.tensor([4, 0, 2]), torch.randn(6, 3)
    ours = PINWHEEL.pack_segments(rows, lengths, 3)
    assert torch.equal(ours, FBGEMM.pack_segments(rows, lengths, 3))
