"""The gradients of lookups in embedding tables."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from pinwheel_kernels._dtypes import DTYPE_NUMBERS
from pinwheel_kernels._register import gradients, is_built, shapes

_ops = torch.ops.pinwheel


def tbe_backward_dense(
    grad: Tensor,
    weights: Tensor,
    weights_offsets: Tensor,
    D_offsets: Tensor,
    hash_size_cumsum: Tensor,
    indices: Tensor,
    offsets: Tensor,
    pooling_mode: int,
    indice_weights: Tensor | None = None,
) -> Tensor:
    """The gradient of `tbe_forward` with respect to its flat `weights`.

    grad: float32, float16 or bfloat16, with the shape of the result of `tbe_forward`. The other arguments are
        those of `tbe_forward`; of `weights` only shape, dtype and device matter.

    Returns a tensor like `weights`. A row's gradient is the sum over its occurrences in the order of the
    indices, in float32, and so the same in every run, on the CPU with any number of threads. Several features
    may share one table. A GPU needs a stable sort of the indices for this, but nothing waits for the device.

    Raises RuntimeError as `tbe_forward` does, on a `grad` of the wrong shape, and on the CPU on tables that
    partly overlap. Differentiable in `grad` and `indice_weights`.
    """
    return _ops.tbe_backward_dense(
        grad,
        weights,
        weights_offsets,
        D_offsets,
        hash_size_cumsum,
        indices,
        offsets,
        pooling_mode,
        indice_weights,
    )


def tbe_backward_indice_weights(
    grad: Tensor,
    weights: Tensor,
    weights_offsets: Tensor,
    D_offsets: Tensor,
    hash_size_cumsum: Tensor,
    indices: Tensor,
    offsets: Tensor,
    pooling_mode: int,
) -> Tensor:
    """The gradient of `tbe_forward` with respect to its `indice_weights`.

    grad: float32, float16 or bfloat16 [B, total_D]. The other arguments are those of `tbe_forward`, with
        pooling.

    Returns float32, one element per index: the dot product of its row and its bag's gradient, for a mean
    divided by the length of the bag; 0 if no bag has the index.

    Raises RuntimeError as `tbe_forward` does, and on a `grad` of the wrong shape. Differentiable in `grad` and
    `weights`. Modeled on FBGEMM's operator.
    """
    return _ops.tbe_backward_indice_weights(
        grad, weights, weights_offsets, D_offsets, hash_size_cumsum, indices, offsets, pooling_mode
    )


@shapes("tbe_backward_dense")
def _dense_fake(
    grad: Tensor,
    weights: Tensor,
    weights_offsets: Tensor,
    D_offsets: Tensor,
    hash_size_cumsum: Tensor,
    indices: Tensor,
    offsets: Tensor,
    pooling_mode: int,
    indice_weights: Tensor | None = None,
) -> Tensor:
    torch._check(grad.dim() == 2, lambda: "`grad` must be 2-D")
    return weights.new_empty([weights.shape[0]])


@shapes("tbe_backward_indice_weights")
def _indice_weights_fake(
    grad: Tensor,
    weights: Tensor,
    weights_offsets: Tensor,
    D_offsets: Tensor,
    hash_size_cumsum: Tensor,
    indices: Tensor,
    offsets: Tensor,
    pooling_mode: int,
) -> Tensor:
    torch._check(grad.dim() == 2, lambda: "`grad` must be 2-D")
    return weights.new_empty([indices.shape[0]], dtype=torch.float32)


# The lookup is linear in `weights` and in `indice_weights`, so the three operators are each other's gradients.
# The dispatcher drops trailing arguments that equal their defaults, and torch expects exactly one gradient for
# each argument that was passed.


def _save_forward(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    weights, firsts, columns, ctx.total_D, sums, indices, offsets, ctx.mode, *rest = inputs
    ctx.save_for_backward(weights, firsts, columns, sums, indices, offsets, *rest[:1])


def _forward_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    weights, firsts, columns, sums, indices, offsets, *rest = ctx.saved_tensors
    tables = (firsts, columns, sums, indices, offsets, ctx.mode)
    found = [None] * len(ctx.needs_input_grad)
    if ctx.needs_input_grad[0]:
        found[0] = _ops.tbe_backward_dense(grad, weights, *tables, rest[0] if rest else None)
    if len(found) > 8 and ctx.needs_input_grad[8]:
        found[8] = _ops.tbe_backward_indice_weights(grad, weights, *tables)
    return tuple(found)


def _save_backward(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    grad, weights, firsts, columns, sums, indices, offsets, ctx.mode, *rest = inputs
    ctx.total_D = grad.shape[1] * (firsts.shape[0] if ctx.mode == 2 else 1)
    ctx.save_for_backward(grad, weights, firsts, columns, sums, indices, offsets, *rest[:1])


def _dense_backward(ctx: Any, d_weights: Tensor) -> tuple[Any, ...]:
    grad, _, firsts, columns, sums, indices, offsets, *rest = ctx.saved_tensors
    found = [None] * len(ctx.needs_input_grad)
    if ctx.needs_input_grad[0]:
        found[0] = _ops.tbe_forward(
            d_weights,
            firsts,
            columns,
            ctx.total_D,
            sums,
            indices,
            offsets,
            ctx.mode,
            rest[0] if rest else None,
            DTYPE_NUMBERS[grad.dtype],
        )
    if len(found) > 8 and ctx.needs_input_grad[8]:
        tables = (firsts, columns, sums, indices, offsets, ctx.mode)
        found[8] = _ops.tbe_backward_indice_weights(grad, d_weights, *tables)
    return tuple(found)


def _indice_weights_backward(ctx: Any, d_indice_weights: Tensor) -> tuple[Any, ...]:
    grad, weights, firsts, columns, sums, indices, offsets = ctx.saved_tensors
    found = [None] * len(ctx.needs_input_grad)
    if ctx.needs_input_grad[0]:
        found[0] = _ops.tbe_forward(
            weights,
            firsts,
            columns,
            ctx.total_D,
            sums,
            indices,
            offsets,
            ctx.mode,
            d_indice_weights,
            DTYPE_NUMBERS[grad.dtype],
        )
    if ctx.needs_input_grad[1]:
        tables = (firsts, columns, sums, indices, offsets, ctx.mode)
        found[1] = _ops.tbe_backward_dense(grad, weights, *tables, d_indice_weights)
    return tuple(found)


if is_built("tbe_backward_dense"):
    gradients("tbe_forward", _forward_backward, _save_forward)
    gradients("tbe_backward_dense", _dense_backward, _save_backward)
    gradients("tbe_backward_indice_weights", _indice_weights_backward, _save_backward)
