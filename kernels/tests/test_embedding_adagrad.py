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

EPS = 1e-2


def assert_updated(batch: Batch, device: torch.device, learning_rate: float, **options) -> None:
    """options: weight_decay, weight_decay_mode, max_norm."""
    momentum = torch.rand(int(batch.hash_size_cumsum[-1]))
    there = batch.copy().to(device)
    on_device = momentum.to(device, copy=True)
    operator = pk.tbe_backward_rowwise_adagrad_
    assert operator(*there.with_momentum(on_device), learning_rate, EPS, **options) is None
    named = dict(options)
    mode = named.pop("weight_decay_mode", 0)
    want, sums = expected(batch, learning_rate, momentum, EPS, mode=mode, **named)
    got = there.weights.cpu()
    tolerance = UPDATED_TOLERANCE[got.dtype]
    torch.testing.assert_close(got.double(), want, rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(on_device.cpu().double(), sums, rtol=1e-4, atol=1e-4)


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


@pytest.mark.parametrize("rows", [1, 3, 70_000])
def test_many_positions_are_grouped_by_row(rows, device, rng):
    """More than one bucket, more than one chunk, and rows that very many positions look up."""
    count = 60_000
    indices = torch.randint(0, rows, (count,))
    indices[torch.rand(count) < 0.3] = rows - 1
    offsets = torch.arange(0, count + 1, 5)
    grad = torch.randint(-8, 9, (len(offsets) - 1, 4)).float()
    weights = torch.zeros(rows * 4)
    momentum = torch.zeros(rows, device=device)
    arguments = [grad, weights, torch.tensor([0]), torch.tensor([0, 4]), torch.tensor([0, rows])]
    arguments = [x.to(device) for x in [*arguments, indices, offsets]]
    pk.tbe_backward_rowwise_adagrad_(
        *arguments[:2], momentum, *arguments[2:], SUM, None, 1.0, 1e-6
    )
    # Integers: sums are exact in any order.
    sums = torch.zeros(rows, 4).index_add_(0, indices, grad.repeat_interleave(5, 0))
    mean = (sums**2).mean(dim=1)
    torch.testing.assert_close(momentum.cpu(), mean, rtol=1e-6, atol=0)
    want = -sums / (mean.sqrt() + 1e-6)[:, None]
    torch.testing.assert_close(arguments[1].cpu().view(rows, 4), want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("bad", [float("inf"), float("nan")])
@pytest.mark.parametrize("width", [3, 40])
def test_a_weight_that_overflowed_affects_no_other(width, bad, device, rng):
    """Without L2 decay the weights do not enter the momentum, so neither does one that is not finite."""
    batch = random_batch(rng, [6], [width], 4, 3)
    row = int(batch.indices[0])
    batch.weights[row * width] = bad
    momentum = torch.rand(6)
    want, sums = expected(batch, 0.5, momentum, EPS)
    there, on_device = batch.copy().to(device), momentum.to(device, copy=True)
    pk.tbe_backward_rowwise_adagrad_(*there.with_momentum(on_device), 0.5, EPS)
    torch.testing.assert_close(on_device.cpu().double(), sums, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(there.weights.cpu().double(), want, rtol=1e-4, atol=1e-4, equal_nan=True)
    assert int((~there.weights.isfinite()).sum()) == 1


def test_a_zero_gradient_keeps_the_momentum_and_rows_without_an_index_are_unchanged(device, rng):
    """A zero gradient adds nothing to the momentum. A row without an index does not even decay."""
    batch = random_batch(rng, [6], [4], 1, 0)
    batch.indices, batch.offsets = torch.tensor([2, 2]), torch.tensor([0, 2])
    batch.grad.zero_()
    there = batch.copy().to(device)
    momentum = torch.full((6,), 0.25, device=device)
    pk.tbe_backward_rowwise_adagrad_(
        *there.with_momentum(momentum), 0.5, 0.0, weight_decay=0.5, weight_decay_mode=2
    )
    assert momentum.tolist() == [0.25] * 6
    changed = batch.weights.view(6, 4).clone()
    changed[2] *= 0.75
    assert torch.equal(there.weights.cpu().view(6, 4), changed)
