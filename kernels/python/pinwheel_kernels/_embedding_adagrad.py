"""Rowwise Adagrad for embedding tables, together with the backward pass."""

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
    """The backward pass of pooled embedding tables and a step of rowwise Adagrad, in place and in one.

    Each row that a bag asks for is changed once, by the sum G of its gradients in the order of their
    positions, added up in float32; the others stay as they are, and so does their momentum:

        momentum += mean(g ** 2) over the row's numbers, g = G, with L2 g = G + weight_decay * row
        step = learning_rate / (sqrt(momentum) + eps)
        row = keep * row - step * G

    momentum1: float32, a number for each row of each table in the order of `hash_size_cumsum`, changed in
        place.
    weight_decay_mode: 0 none: keep = 1. 1 (L2): keep = 1 - step * weight_decay. 2 (decoupled): keep = 1 -
        learning_rate * weight_decay.
    max_norm: rows that came out longer are scaled to this length; 0 for no limit.

    The other arguments, the errors and what is promised of the result are those of `tbe_backward_sgd_`:

    grad: [B, total_D]; without pooling [indices, D]. weights: all tables, 1-D. weights_offsets: int64 [T].
    D_offsets: int32 or int64 [T + 1]. hash_size_cumsum: int64 [T + 1]. indices, offsets: of one dtype,
    int32 or int64, [T * B + 1] offsets. pooling_mode: 0 sum, 1 mean, 2 none. indice_weights: float32, one
    for each index.

    After FBGEMM's fused backward passes, without their caches; the name of the operator is our own.
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
