"""The same answers as FBGEMM's own operators; runs where the package `fbgemm_gpu` is installed."""

from __future__ import annotations

import random

import pytest
import torch
from conftest import fbgemm_or_skip
from reference import random_jagged

import pinwheel_kernels as pk

FBGEMM = fbgemm_or_skip()


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("kind", ["exclusive", "inclusive", "complete"])
@pytest.mark.parametrize("length", [0, 1, 1000])
def test_sums(length, kind, dtype, rng):
    numbers = torch.randint(0, 100, (length,), dtype=dtype)
    name = f"asynchronous_{kind}_cumsum"
    assert torch.equal(getattr(pk, name)(numbers), getattr(FBGEMM, name)(numbers))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_padded_dense_forms_and_their_gradients(depth, seed, rng: random.Random):
    offsets, rows = random_jagged(rng, depth, rng.randint(1, 5), 3, torch.int64)
    max_lengths = [rng.randint(1, 4) for _ in range(depth)]
    shape = (rows,) if depth == 1 and rng.random() < 0.3 else (rows, rng.randint(1, 5))
    values = [torch.randn(shape)]
    values = [values[0].clone().requires_grad_(), values[0].clone().requires_grad_()]
    ours = pk.jagged_to_padded_dense(values[0], offsets, max_lengths, 0.5)
    theirs = FBGEMM.jagged_to_padded_dense(values[1], offsets, max_lengths, 0.5)
    assert torch.equal(ours, theirs)
    gradient = torch.randn_like(ours)
    ours.backward(gradient)
    theirs.backward(gradient)
    assert torch.equal(values[0].grad, values[1].grad)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_permuted_features(dtype, seed, rng):
    features = rng.randint(1, 10)
    lengths = torch.randint(0, 6, (features, rng.randint(1, 9)), dtype=dtype)
    values = torch.randint(0, 1000, (int(lengths.sum()),))
    weights = torch.rand(values.shape)
    permute = torch.randint(0, features, (rng.randint(1, 15),), dtype=torch.int32)
    ours = pk.permute_2D_sparse_data(permute, lengths, values, weights)
    theirs = FBGEMM.permute_2D_sparse_data(permute, lengths, values, weights)
    assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("columns", [1, 4, 33, 128])
def test_quantized_rows(columns, dtype, rng):
    numbers = torch.randn(50, columns).to(dtype)
    ours = pk.FloatOrHalfToFused8BitRowwiseQuantized(numbers)
    theirs = FBGEMM.FloatOrHalfToFused8BitRowwiseQuantized(numbers)
    assert ours.shape == theirs.shape
    difference = ours[:, :-8].int() - theirs[:, :-8].int()
    assert difference.abs().max() <= 1
    assert torch.equal(ours[:, -8:], theirs[:, -8:])
    back = pk.Fused8BitRowwiseQuantizedToFloatOrHalf(theirs)
    torch.testing.assert_close(back, FBGEMM.Fused8BitRowwiseQuantizedToFloatOrHalf(theirs))
