"""The same answers as FBGEMM's own operator; runs where the package `fbgemm_gpu` is installed."""

from __future__ import annotations

import pytest
import torch
from conftest import fbgemm_or_skip
from reference import random_jagged

fbgemm_or_skip()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("columns", [1, 3, 40])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_results_and_gradients_match_fbgemm(dtype, columns, seed, rng):
    offsets, rows = random_jagged(rng, 1, rng.randint(1, 6), 9, torch.int64)
    values = torch.randn(rows, columns).to(dtype)
    answers = []
    for operators in (torch.ops.pinwheel, torch.ops.fbgemm):
        x = values.clone().requires_grad_()
        # All rows are used: FBGEMM leaves the others undefined.
        result, _ = operators.jagged_softmax(x, offsets[0], 9)
        torch.manual_seed(0)
        answers.append([result, *torch.autograd.grad(result, x, torch.randn_like(result))])
    # FBGEMM's own tests allow 1e-3 and 1e-2 for 16-bit types; it adds some of them in 16 bits.
    tolerance = {torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}[dtype]
    for ours, theirs in zip(*answers, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=tolerance, atol=tolerance)
