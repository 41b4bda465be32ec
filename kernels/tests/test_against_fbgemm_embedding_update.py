"""The same updates as FBGEMM's fused backward passes; runs where `fbgemm_gpu` is installed."""

from __future__ import annotations

import pytest
import torch
from conftest import fbgemm_or_skip
from embedding_tables import MEAN, SUM, Batch, random_batch
from reference import INDEX_DTYPES
from torch import Tensor

import pinwheel_kernels as pk

FBGEMM = fbgemm_or_skip()


def theirs(batch: Batch) -> list[object]:
    """The leading arguments of all of FBGEMM's passes."""
    widest = int((batch.D_offsets[1:] - batch.D_offsets[:-1]).max())
    return [
        batch.grad,
        batch.weights,
        torch.zeros(batch.tables, dtype=torch.int32),
        batch.weights_offsets,
        batch.D_offsets,
        widest,
        batch.hash_size_cumsum,
        int(batch.hash_size_cumsum[-1]).bit_length(),
        batch.indices,
        batch.offsets,
    ]


def fbgemm_sgd(batch: Batch, learning_rate: float) -> None:
    rate = torch.tensor(learning_rate)
    weights = torch.empty(0) if batch.indice_weights is None else batch.indice_weights
    FBGEMM.split_embedding_backward_codegen_sgd_cpu(
        *theirs(batch), batch.pooling_mode, weights, False, rate
    )


def fbgemm_adagrad(batch: Batch, momentum: Tensor, learning_rate: float, eps: float) -> None:
    rate = torch.tensor(learning_rate)
    weights = torch.empty(0) if batch.indice_weights is None else batch.indice_weights
    placements = torch.zeros(batch.tables, dtype=torch.int32)
    FBGEMM.split_embedding_backward_codegen_rowwise_adagrad_cpu(
        *theirs(batch), batch.pooling_mode, weights, False, momentum, placements,
        batch.hash_size_cumsum[:-1].clone(), rate, eps,
    )  # fmt: skip


def batch_for(rng, pooling: int, weighted: bool, index_dtype: torch.dtype, dtype: torch.dtype):
    """FBGEMM requires widths that are multiples of 4, and its backward pass has no weighted mean."""
    tables = rng.randint(1, 5)
    return random_batch(
        rng,
        [rng.randint(1, 200) for _ in range(tables)],
        [4 * rng.randint(1, 40) for _ in range(tables)],
        rng.randint(1, 60),
        rng.randint(1, 20),
        pooling,
        weighted,
        index_dtype=index_dtype,
        dtypes=(dtype, torch.float32),
    )


KINDS = pytest.mark.parametrize(
    ("pooling", "weighted"), [(SUM, False), (SUM, True), (MEAN, False)], ids=["sum", "weighted", "mean"]
)
TOLERANCE = {torch.float32: 1e-4, torch.float16: 4e-3}


@KINDS
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("index_dtype", INDEX_DTYPES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_sgd(seed, index_dtype, dtype, pooling, weighted, rng):
    ours = batch_for(rng, pooling, weighted, index_dtype, dtype)
    other = ours.copy()
    pk.tbe_backward_sgd_(*ours.arguments(), 0.25)
    fbgemm_sgd(other, 0.25)
    tolerance = TOLERANCE[dtype]
    torch.testing.assert_close(ours.weights, other.weights, rtol=tolerance, atol=tolerance)


@KINDS
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("index_dtype", INDEX_DTYPES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_rowwise_adagrad(seed, index_dtype, dtype, pooling, weighted, rng):
    ours = batch_for(rng, pooling, weighted, index_dtype, dtype)
    other = ours.copy()
    momentum = torch.rand(int(ours.hash_size_cumsum[-1]))
    their_momentum = momentum.clone()
    pk.tbe_backward_rowwise_adagrad_(*ours.with_momentum(momentum), 0.25, 1e-3)
    fbgemm_adagrad(other, their_momentum, 0.25, 1e-3)
    tolerance = TOLERANCE[dtype]
    torch.testing.assert_close(ours.weights, other.weights, rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(momentum, their_momentum, rtol=1e-4, atol=1e-4)
