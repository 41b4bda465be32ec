from __future__ import annotations

import pytest
import torch
from embedding_tables import (
    FLOATS,
    MEAN,
    NONE,
    SUM,
    UPDATED_TOLERANCE,
    Batch,
    any_batch,
    expected,
    random_batch,
)
from reference import INDEX_DTYPES

import pinwheel_kernels as pk


def assert_updated(batch: Batch, device: torch.device, learning_rate: float, **options) -> None:
    """options: weight_decay, weight_decay_mode, max_norm."""
    there = batch.copy().to(device)
    assert pk.tbe_backward_sgd_(*there.arguments(), learning_rate, **options) is None
    named = dict(options)
    want, _ = expected(batch, learning_rate, mode=named.pop("weight_decay_mode", 0), **named)
    got = there.weights.cpu()
    tolerance = UPDATED_TOLERANCE[got.dtype]
    torch.testing.assert_close(got.double(), want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("index_dtype", INDEX_DTYPES, ids=str)
@pytest.mark.parametrize("pooling", [SUM, MEAN, NONE])
@pytest.mark.parametrize("seed", range(6))
def test_each_row_is_updated_with_the_sum_of_its_gradients(seed, pooling, index_dtype, device, rng):
    assert_updated(any_batch(rng, pooling, index_dtype), device, 0.5)


@pytest.mark.parametrize("grad", FLOATS, ids=str)
@pytest.mark.parametrize("weights", FLOATS, ids=str)
@pytest.mark.parametrize("width", [4, 7, 16, 100])
def test_every_pair_of_dtypes(width, weights, grad, device, rng):
    batch = random_batch(rng, [20, 5], [width, 12], 16, 4, dtypes=(weights, grad))
    assert_updated(batch, device, 0.25)
    batch.pooling_mode = MEAN
    assert_updated(batch, device, 0.25)


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("max_norm", [0.0, 1.5])
@pytest.mark.parametrize("width", [3, 32, 150])
def test_weight_decay_and_max_norm(width, max_norm, mode, device, rng):
    batch = random_batch(rng, [12], [width], 9, 3)
    assert_updated(
        batch, device, 0.5, weight_decay=0.1, weight_decay_mode=mode, max_norm=max_norm
    )
    if max_norm > 0:
        pk.tbe_backward_sgd_(*batch.arguments(), 0.5, max_norm=max_norm)
        rows = batch.weights.view(-1, width)[batch.indices]
        assert bool((rows.norm(dim=1) <= max_norm * 1.0001).all())


@pytest.mark.parametrize("rows", [1, 3, 70_000])
def test_many_positions_are_grouped_by_row(rows, device, rng):
    """More than one bucket, more than one chunk, and rows that very many positions look up."""
    count = 60_000
    indices = torch.randint(0, rows, (count,))
    indices[torch.rand(count) < 0.3] = rows - 1
    offsets = torch.arange(0, count + 1, 5)
    grad = torch.randint(-8, 9, (len(offsets) - 1, 4)).float()
    weights = torch.zeros(rows * 4)
    arguments = [grad, weights, torch.tensor([0]), torch.tensor([0, 4]), torch.tensor([0, rows])]
    arguments = [x.to(device) for x in [*arguments, indices, offsets]]
    pk.tbe_backward_sgd_(*arguments, SUM, None, 1.0)
    # Integers: sums are exact in any order.
    want = torch.zeros(rows, 4).index_add_(0, indices, grad.repeat_interleave(5, 0))
    assert torch.equal(-arguments[1].cpu().view(rows, 4), want)


def test_it_matches_autograd_and_torchs_sgd(device, rng):
    table = torch.nn.EmbeddingBag(50, 24, mode="sum", include_last_offset=True, device=device)
    weights = table.weight.detach().clone().flatten()
    indices = torch.randint(0, 50, (200,), device=device)
    offsets = torch.arange(0, 201, 8, device=device)
    optimizer = torch.optim.SGD(table.parameters(), lr=0.3)
    out = table(indices, offsets)
    grad = torch.randn_like(out)
    out.backward(grad)
    optimizer.step()
    lists = [torch.tensor(x, device=device) for x in ([0], [0, 24], [0, 50])]
    pk.tbe_backward_sgd_(grad, weights, *lists, indices, offsets, SUM, None, 0.3)
    torch.testing.assert_close(weights.view(50, 24), table.weight.detach(), rtol=1e-4, atol=1e-4)
