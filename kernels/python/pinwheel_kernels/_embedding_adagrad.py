"""Rowwise Adagrad for embedding tables, fused with the backward pass."""

from __future__ import annotations

import torch
from torch import Tensor

from pinwheel_kernels._embedding_update import check_update, take_rate_as_tensor
from pinwheel_kernels._register import shapes

_ops = torch.ops.pinwheel


def tbe_backward_rowwise_adagrad_(
    grad: Tensor,
    weights: Tensor,
    momentum1: Tensor,
    weights_offsets: Tensor,
    D_offsets: Tensor,
    hash_size_cumsum: Tensor,
    indices: Tensor,
    offsets: Tensor,
    pooling_mode: int,
    indice_weights: Tensor | None,
    learning_rate: float,
    eps: float,
    weight_decay: float = 0.0,
    weight_decay_mode: int = 0,
    max_norm: float = 0.0,
) -> None:
    """The backward pass of pooled embedding tables fused with a step of rowwise Adagrad, in place.

    Each row that a bag looks up is updated once, with the sum G of its gradients in the order of their
    positions, accumulated in float32; other rows and their momentum are unchanged:

        momentum += mean(g ** 2) over the row's columns, g = G, with L2 g = G + weight_decay * row
        step = learning_rate / (sqrt(momentum) + eps)
        row = keep * row - step * G

    momentum1: float32, one element per row of each table in the order of `hash_size_cumsum`, updated in place.
    weight_decay_mode: 0 none: keep = 1. 1 (L2): keep = 1 - step * weight_decay. 2 (decoupled): keep = 1 -
        learning_rate * weight_decay.
    max_norm: rows with a larger norm after the update are scaled down to it; 0 for no limit.

    The other arguments, the errors and the guarantees are those of `tbe_backward_sgd_`:

    grad: [B, total_D]; without pooling [indices, D]. weights: all tables, 1-D. weights_offsets: int64 [T].
    D_offsets: int32 or int64 [T + 1]. hash_size_cumsum: int64 [T + 1]. indices, offsets: of one dtype,
    int32 or int64, [T * B + 1] offsets. pooling_mode: 0 sum, 1 mean, 2 none. indice_weights: float32, one per
    index.

    Modeled on FBGEMM's fused backward passes, without their caches; the operator's name is not FBGEMM's.
    """
    return _ops.tbe_backward_rowwise_adagrad_(
        grad,
        weights,
        momentum1,
        weights_offsets,
        D_offsets,
        hash_size_cumsum,
        indices,
        offsets,
        pooling_mode,
        indice_weights,
        learning_rate,
        eps,
        weight_decay,
        weight_decay_mode,
        max_norm,
    )


@shapes("tbe_backward_rowwise_adagrad_")
def _adagrad_fake(
    grad: Tensor,
    weights: Tensor,
    momentum1: Tensor,
    weights_offsets: Tensor,
    D_offsets: Tensor,
    hash_size_cumsum: Tensor,
    indices: Tensor,
    offsets: Tensor,
    pooling_mode: int,
    *_others: object,
    **_named: object,
) -> None:
    torch._check(momentum1.dim() == 1, lambda: "`momentum1` must be 1-D")
    check_update(grad, weights, D_offsets, indices, offsets, pooling_mode)


take_rate_as_tensor("tbe_backward_rowwise_adagrad_")
