"""The softmax of jagged tensors."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from pinwheel_kernels._register import composite, gradients, shapes

_ops = torch.ops.pinwheel


def jagged_softmax(values: Tensor, x_offsets: Tensor, max_L: int) -> tuple[Tensor, Tensor]:
    """In each group and column, the softmax over the group's first `max_L` rows.

    values: [total_L, D], of float32, float16, bfloat16 or float64.
    x_offsets: [B + 1] of int32 or int64, a complete cumsum.
    max_L: rows of a group beyond it are ignored.

    Returns (values [total_L, D], x_offsets). Ignored rows and rows past the last offset are 0. 16-bit types are
    computed in float32 and rounded once. Differentiable in `values` (twice).

    Raises RuntimeError on a wrong rank or dtype and a negative `max_L`, and on the CPU on invalid offsets. On a
    GPU offsets are not read back; out-of-range groups are empty there. Modeled on FBGEMM's operator, which
    leaves ignored rows undefined.
    """
    return _ops.jagged_softmax_forward(values, x_offsets, max_L), x_offsets


@composite("jagged_softmax")
def _jagged_softmax(values: Tensor, x_offsets: Tensor, max_L: int) -> tuple[Tensor, Tensor]:
    return _ops.jagged_softmax_forward(values, x_offsets, max_L), x_offsets


@shapes("jagged_softmax_forward")
def _fake(values: Tensor, x_offsets: Tensor, max_L: int) -> Tensor:
    torch._check(values.dim() == 2, lambda: "`values` must be 2-D")
    torch._check(x_offsets.dim() == 1, lambda: "`x_offsets` must be 1-D")
    return values.new_empty(values.shape)


@shapes("jagged_softmax_backward")
def _backward_fake(grad_output: Tensor, output: Tensor, x_offsets: Tensor, max_L: int) -> Tensor:
    torch._check(output.dim() == 2, lambda: "`output` must be 2-D")
    return output.new_empty(output.shape)


def _save_output(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    _, x_offsets, ctx.max_L = inputs
    ctx.save_for_backward(output, x_offsets)


def _backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    output, x_offsets = ctx.saved_tensors
    return _ops.jagged_softmax_backward(grad, output, x_offsets, ctx.max_L), None, None


def _save_all(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    grad_output, softmax, x_offsets, ctx.max_L = inputs
    ctx.save_for_backward(grad_output, softmax, x_offsets)


def _backward_backward(ctx: Any, to: Tensor) -> tuple[Any, ...]:
    grad, softmax, x_offsets = ctx.saved_tensors
    # d = softmax * (grad - sum(softmax * grad)), summed down the column of a group.
    d_grad = _ops.jagged_softmax_backward(to, softmax, x_offsets, ctx.max_L)
    takes_part = _ops.jagged_softmax_forward(torch.zeros_like(softmax), x_offsets, ctx.max_L) > 0
    ones = torch.ones_like(softmax)

    def column_sum(products: Tensor) -> Tensor:
        return products - _ops.jagged_softmax_backward(products, ones, x_offsets, ctx.max_L)

    d_softmax = to * (grad - column_sum(softmax * grad)) - grad * column_sum(softmax * to)
    return d_grad, torch.where(takes_part, d_softmax, 0.0), None, None


gradients("jagged_softmax_forward", _backward, _save_output)
gradients("jagged_softmax_backward", _backward_backward, _save_all)
