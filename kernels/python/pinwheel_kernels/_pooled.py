"""Reordering of pooled embeddings."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from pinwheel_kernels._register import gradients, shapes

_ops = torch.ops.pinwheel


def permute_pooled_embs(
    pooled_embs: Tensor,
    offset_dim_list: Tensor,
    permute_list: Tensor,
    inv_offset_dim_list: Tensor,
    inv_permute_list: Tensor,
) -> Tensor:
    """Permutes the columns of T features.

    pooled_embs: [B, D_0 + ... + D_(T-1)] of any dtype.
    offset_dim_list: [T + 1] of int64 or int32: where each feature's columns start; from 0 to the number of
        columns.
    permute_list: [T] of int64 or int32, a permutation: the input feature of each output feature.
    inv_offset_dim_list, inv_permute_list: the inverse lists: where the output's features start, and the inverse
        permutation.

    Returns [B, D_0 + ... + D_(T-1)]. Differentiable in `pooled_embs`, any number of times.

    Raises RuntimeError on wrong shapes, dtypes or devices, and on the CPU on lists that violate these rules or
    are not inverse to each other. On a GPU the lists are not read back; columns without a source are 0 there.
    Modeled on FBGEMM's operator.
    """
    return _ops.permute_pooled_embs(
        pooled_embs, offset_dim_list, permute_list, inv_offset_dim_list, inv_permute_list
    )


def permute_pooled_embs_auto_grad(
    pooled_embs: Tensor,
    offset_dim_list: Tensor,
    permute_list: Tensor,
    inv_offset_dim_list: Tensor,
    inv_permute_list: Tensor,
) -> Tensor:
    """The same as `permute_pooled_embs`; in FBGEMM only this name has a gradient."""
    return _ops.permute_pooled_embs_auto_grad(
        pooled_embs, offset_dim_list, permute_list, inv_offset_dim_list, inv_permute_list
    )


@shapes("permute_pooled_embs", "permute_pooled_embs_auto_grad")
def _permute_fake(
    pooled_embs: Tensor,
    offset_dim_list: Tensor,
    permute_list: Tensor,
    inv_offset_dim_list: Tensor,
    inv_permute_list: Tensor,
) -> Tensor:
    torch._check(pooled_embs.dim() == 2, lambda: "`pooled_embs` must be 2-D")
    return pooled_embs.new_empty(pooled_embs.shape)


def _save_lists(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs[1:])


def _backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    offsets, permute, inverse_offsets, inverse_permute = ctx.saved_tensors
    # The inverse permutation is the transpose, and is differentiable too.
    undone = _ops.permute_pooled_embs(grad, inverse_offsets, inverse_permute, offsets, permute)
    return undone, None, None, None, None


for _name in ("permute_pooled_embs", "permute_pooled_embs_auto_grad"):
    gradients(_name, _backward, _save_lists)
