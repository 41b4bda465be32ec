"""The same answers as FBGEMM's own operator; runs where the package `fbgemm_gpu` is installed."""

from __future__ import annotations

import pytest
import torch
from conftest import fbgemm_or_skip
from reference import random_jagged

fbgemm_or_skip()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_products_and_gradients_match_fbgemm(dtype, heads, seed, rng):
    offsets, rows = random_jagged(rng, 1, rng.randint(1, 6), 9, torch.int64)
    groups, columns = offsets[0].numel() - 1, rng.randint(1, 40)
    v = torch.randn(groups * heads, rng.randint(1, 10)).to(dtype)
    values = torch.randn(rows, heads * columns).to(dtype)
    answers = []
    for operators in (torch.ops.pinwheel, torch.ops.fbgemm):
        x, a = v.clone().requires_grad_(), values.clone().requires_grad_()
        result = operators.batched_dense_vec_jagged_2d_mul(x, a, offsets[0])
        torch.manual_seed(0)
        gradients = torch.autograd.grad(result, (x, a), torch.randn_like(result))
        answers.append([result, *gradients])
    # FBGEMM's own tests allow 1e-2 for 16-bit types; its 16-bit sums have errors of that size.
    tolerance = {torch.float32: 1e-5, torch.float16: 1e-2, torch.bfloat16: 8e-2}[dtype]
    for ours, theirs in zip(*answers, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=tolerance, atol=tolerance)
