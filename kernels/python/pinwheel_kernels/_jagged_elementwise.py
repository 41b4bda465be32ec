"""Sums and products of jagged tensors and dense ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from pinwheel_kernels._register import composite, gradients, shapes

_ops = torch.ops.pinwheel


def jagged_dense_elementwise_add_jagged_output(
    x_values: Tensor, x_offsets: Sequence[Tensor], y: Tensor
) -> tuple[Tensor, list[Tensor]]:
    """`x + y` where the jagged tensor x has values; `out[i] = x_values[i] + y[b, j]`, as a jagged tensor.

    x_values: [total_L, D] or [total_L], of float32, float16, bfloat16 or float64.
    x_offsets: 1 to 5 tensors of int32 or int64, as `offsets` of `jagged_to_padded_dense`.
    y: [B, *max_lengths, D] or [B, *max_lengths], of the dtype of `x_values`.

    Returns (values, x_offsets). Value rows beyond `max_lengths` and past the last offset are those of
    `x_values`. Each sum is rounded once. Differentiable in `x_values` and `y` (twice).

    Raises RuntimeError on mismatched shapes, wrong dtypes or devices, and on the CPU on invalid offsets. On a
    GPU offsets are not read back; rows that belong to no group are unchanged. Modeled on FBGEMM's operator.
    """
    offsets = list(x_offsets)
    return _ops.jagged_dense_elementwise_add_jagged_output_forward(x_values, offsets, y), offsets


def jagged_dense_elementwise_add(
    x_values: Tensor, x_offsets: Sequence[Tensor], y: Tensor
) -> Tensor:
    """`x + y` as a dense tensor with the shape of `y`; equals `y` where the jagged tensor x has no value.

    Arguments and errors are those of `jagged_dense_elementwise_add_jagged_output`. Differentiable in `x_values`
    and `y` (twice). Modeled on FBGEMM's operator.
    """
    return _ops.jagged_dense_elementwise_add(x_values, list(x_offsets), y)


def jagged_dense_elementwise_mul(
    x_values: Tensor, x_offsets: Sequence[Tensor], y: Tensor
) -> tuple[Tensor, list[Tensor]]:
    """`x * y` where the jagged tensor x has values; `out[i] = x_values[i] * y[b, j]`, as a jagged tensor.

    Arguments and errors are those of `jagged_dense_elementwise_add_jagged_output`. Value rows beyond
    `max_lengths` and past the last offset are 0. Differentiable in `x_values` and `y` (twice). Modeled on
    FBGEMM's operator.
    """
    offsets = list(x_offsets)
    return _ops.jagged_dense_elementwise_mul_forward(x_values, offsets, y), offsets


@composite("jagged_dense_elementwise_add_jagged_output")
def _add_jagged_output(
    x_values: Tensor, x_offsets: Sequence[Tensor], y: Tensor
) -> tuple[Tensor, list[Tensor]]:
    return jagged_dense_elementwise_add_jagged_output(x_values, x_offsets, y)


@composite("jagged_dense_elementwise_mul")
def _multiply(
    x_values: Tensor, x_offsets: Sequence[Tensor], y: Tensor
) -> tuple[Tensor, list[Tensor]]:
    return jagged_dense_elementwise_mul(x_values, x_offsets, y)


def _check(x_values: Tensor, x_offsets: Sequence[Tensor], y: Tensor) -> None:
    torch._check(
        1 <= len(x_offsets) <= 5, lambda: f"`x_offsets` must list 1 to 5 tensors, not {len(x_offsets)}"
    )
    torch._check(x_values.dim() in (1, 2), lambda: "`x_values` must be 1-D or 2-D")
    torch._check(
        y.dim() == len(x_offsets) + x_values.dim(),
        lambda: f"`y` must be {len(x_offsets) + x_values.dim()}-D",
    )
    torch._check(x_values.dtype == y.dtype, lambda: "`x_values` and `y` must have the same dtype")


@shapes("jagged_dense_elementwise_add_jagged_output_forward", "jagged_dense_elementwise_mul_forward")
def _jagged_fake(x_values: Tensor, x_offsets: Sequence[Tensor], y: Tensor) -> Tensor:
    _check(x_values, x_offsets, y)
    return x_values.new_empty(x_values.shape)


@shapes("jagged_dense_elementwise_add")
def _dense_fake(x_values: Tensor, x_offsets: Sequence[Tensor], y: Tensor) -> Tensor:
    _check(x_values, x_offsets, y)
    return y.new_empty(y.shape)


@shapes("jagged_dense_elementwise_mul_backward")
def _backward_fake(
    grad_output: Tensor, x_offsets: Sequence[Tensor], y: Tensor, x_values: Tensor
) -> tuple[Tensor, Tensor]:
    _check(x_values, x_offsets, y)
    return x_values.new_empty(x_values.shape), y.new_empty(y.shape)


def _save_extents(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x_values, offsets, y = inputs
    ctx.save_for_backward(*offsets)
    ctx.total_L = x_values.shape[0]
    ctx.max_lengths = list(y.shape[1 : 1 + len(offsets)])


def _add_jagged_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    d_y = None
    if ctx.needs_input_grad[2]:
        offsets = list(ctx.saved_tensors)
        d_y = _ops.jagged_to_padded_dense_forward(grad, offsets, ctx.max_lengths, 0.0)
    return grad, None, d_y


def _add_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    d_values = None
    if ctx.needs_input_grad[0]:
        offsets = list(ctx.saved_tensors)
        d_values = _ops.jagged_to_padded_dense_backward(grad, offsets, ctx.total_L)
    return d_values, None, grad


def _save_factors(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x_values, offsets, y = inputs
    ctx.save_for_backward(x_values, y, *offsets)


def _multiply_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    x_values, y, *offsets = ctx.saved_tensors
    if not ctx.needs_input_grad[2]:
        return _ops.jagged_dense_elementwise_mul_forward(grad, offsets, y), None, None
    d_values, d_y = _ops.jagged_dense_elementwise_mul_backward(grad, offsets, y, x_values)
    return d_values, None, d_y


def _save_all(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    grad_output, offsets, y, x_values = inputs
    ctx.save_for_backward(grad_output, y, x_values, *offsets)


def _multiply_backward_backward(ctx: Any, to_x: Tensor, to_y: Tensor) -> tuple[Any, ...]:
    # d_x = grad * gather(y) and d_y = scatter(grad * x); both are linear in each factor.
    grad_output, y, x_values, *offsets = ctx.saved_tensors
    by_y, d_y = _ops.jagged_dense_elementwise_mul_backward(to_x, offsets, y, grad_output)
    d_grad = by_y + _ops.jagged_dense_elementwise_mul_forward(x_values, offsets, to_y)
    return d_grad, None, d_y, _ops.jagged_dense_elementwise_mul_forward(grad_output, offsets, to_y)


gradients("jagged_dense_elementwise_add_jagged_output_forward", _add_jagged_backward, _save_extents)
gradients("jagged_dense_elementwise_add", _add_backward, _save_extents)
gradients("jagged_dense_elementwise_mul_forward", _multiply_backward, _save_factors)
gradients("jagged_dense_elementwise_mul_backward", _multiply_backward_backward, _save_all)
