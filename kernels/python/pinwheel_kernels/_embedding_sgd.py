"""Stochastic gradient descent for embedding tables, fused with the backward pass."""

from __future__ import annotations

import torch
from torch import Tensor

from pinwheel_kernels._embedding_update import check_update, take_rate_as_tensor
from pinwheel_kernels._register import shapes

_ops = torch.ops.pinwheel


def tbe_backward_sgd_(
    grad: Tensor,
    weights: Tensor,
    weights_offsets: Tensor,
    D_offsets: Tensor,
    hash_size_cumsum: Tensor,
    indices: Tensor,
    offsets: Tensor,
    pooling_mode: int,
    indice_weights: Tensor | None,
    learning_rate: float,
    weight_decay: float = 0.0,
    weight_decay_mode: int = 0,
    max_norm: float = 0.0,
) -> None:
    """The backward pass of pooled embedding tables fused with a step of SGD, in place.

    Each row that a bag looks up is updated once, with the sum G of its gradients in the order of their
    positions, accumulated in float32: row = keep * row - learning_rate * G. Other rows are unchanged.

    grad: the gradient of the lookup's result, float32, float16 or bfloat16: [B, total_D] with the columns
        D_offsets[t]:D_offsets[t + 1] for table t; without pooling [indices, D], all tables D wide.
    weights: all tables in one tensor, 1-D of float32, float16 or bfloat16, updated in place. Tables must not
        overlap.
    weights_offsets: int64 [T], the element of `weights` where each table starts.
    D_offsets: int32 or int64 [T + 1], cumulative sums of the tables' widths.
    hash_size_cumsum: int64 [T + 1], cumulative sums of the tables' numbers of rows.
    indices: int32 or int64, the rows that the bags look up, bag after bag.
    offsets: [T * B + 1] of the dtype of `indices`: bag (t, b) is indices[offsets[t * B + b] :
        offsets[t * B + b + 1]].
    pooling_mode: 0 the bags were summed, 1 averaged (their gradient is divided by their length), 2 neither.
    indice_weights: float32, one factor per index; only with pooling.
    weight_decay_mode: 0 none: keep = 1. 1 (L2) and 2 (decoupled) are the same for SGD: keep = 1 -
        learning_rate * weight_decay.
    max_norm: rows with a larger norm after the update are scaled down to it; 0 for no limit.

    The result is bitwise identical in every run, for any number of threads. Raises RuntimeError on inconsistent
    arguments, and on the CPU on out-of-range contents, before anything is changed. On a GPU contents are not
    read back; what is out of range is skipped there. Not differentiable. Modeled on FBGEMM's fused backward
    passes, without their caches; the operator's name is not FBGEMM's.
    """
    return _ops.tbe_backward_sgd_(
        grad,
        weights,
        weights_offsets,
        D_offsets,
        hash_size_cumsum,
        indices,
        offsets,
        pooling_mode,
        indice_weights,
        learning_rate,
        weight_decay,
        weight_decay_mode,
        max_norm,
    )


@shapes("tbe_backward_sgd_")
def _sgd_fake(
    grad: Tensor,
    weights: Tensor,
    weights_offsets: Tensor,
    D_offsets: Tensor,
    hash_size_cumsum: Tensor,
    indices: Tensor,
    offsets: Tensor,
    pooling_mode: int,
    *_others: object,
    **_named: object,
) -> None:
    check_update(grad, weights, D_offsets, indices, offsets, pooling_mode)


take_rate_as_tensor("tbe_backward_sgd_")
