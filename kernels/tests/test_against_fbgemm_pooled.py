"""The same answers as FBGEMM's own operators; runs where the package `fbgemm_gpu` is installed."""

from __future__ import annotations

import pytest
import torch
from conftest import fbgemm_or_skip
from test_pooled import all_ops, lists_of

fbgemm_or_skip()


@all_ops
@pytest.mark.parametrize("seed", range(20))
def test_permuted_columns_and_their_gradients(op, seed, rng):
    features = rng.randint(1, 9)
    dims = [rng.choice([1, 4, 32, 100]) for _ in range(features)]
    order = rng.sample(range(features), features)
    lists = lists_of(dims, order, torch.int64, torch.device("cpu"))
    pooled = torch.randn(rng.randint(1, 20), sum(dims))
    ours, theirs = pooled.clone().requires_grad_(), pooled.clone().requires_grad_()
    one = op(ours, *lists)
    # Only FBGEMM's other operator has a gradient.
    assert torch.equal(one, getattr(torch.ops.fbgemm, op.__name__)(pooled, *lists))
    two = torch.ops.fbgemm.permute_pooled_embs_auto_grad(theirs, *lists)
    gradient = torch.randn_like(one)
    one.backward(gradient)
    two.backward(gradient)
    assert torch.equal(ours.grad, theirs.grad)
