"""Weighted sums of the rows of jagged tensors."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from pinwheel_kernels._register import gradients, shapes

_ops = torch.ops.pinwheel


def batched_dense_vec_jagged_2d_mul(v: Tensor, a_values: Tensor, a_offsets: Tensor) -> Tensor:
    """Vectors times the matrices of a jagged tensor: `out[b * H + h] = sum over l of v[b * H + h, l] * a[b, l, h]`.

    v: [B * H, max_L], of float32, float16, bfloat16 or float64; H is its rows divided by B.
    a_values: [total_L, H * D], of the dtype of `v`: head h of a row is its columns from h * D to (h + 1) * D.
    a_offsets: [B + 1] of int32 or int64, a complete cumsum; only the first max_L rows of a group are used.

    Returns [B * H, D]. Sums of 16-bit types are computed in float32 and rounded once. Differentiable in `v` and
    `a_values` (twice).

    Raises RuntimeError on mismatched shapes, wrong dtypes or devices, and on the CPU on invalid offsets. On a
    GPU offsets are not read back; out-of-range groups are empty there. Modeled on FBGEMM's operator.
    """
    return _ops.batched_dense_vec_jagged_2d_mul(v, a_values, a_offsets)


def _heads(v: Tensor, a_offsets: Tensor) -> Any:
    groups = a_offsets.shape[0] - 1
    return 1 if groups == 0 else v.shape[0] // groups


@shapes("batched_dense_vec_jagged_2d_mul", "batched_dense_vec_jagged_2d_mul_forward")
def _fake(v: Tensor, a_values: Tensor, a_offsets: Tensor) -> Tensor:
    torch._check(v.dim() == 2, lambda: "`v` must be 2-D")
    torch._check(a_values.dim() == 2, lambda: "`a_values` must be 2-D")
    torch._check(a_offsets.dim() == 1, lambda: "`a_offsets` must be 1-D")
    heads = _heads(v, a_offsets)
    columns = 0 if heads == 0 else a_values.shape[1] // heads
    return v.new_empty([v.shape[0], columns])


@shapes("batched_dense_vec_jagged_2d_mul_backward")
def _backward_fake(
    grad_output: Tensor, v: Tensor, a_values: Tensor, a_offsets: Tensor
) -> tuple[Tensor, Tensor]:
    return v.new_empty(v.shape), a_values.new_empty(a_values.shape)


def _save(ctx: Any, inputs: tuple[Any, ...], output: object) -> None:
    ctx.save_for_backward(*inputs)


def _backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    v, a_values, a_offsets = ctx.saved_tensors
    return (*_ops.batched_dense_vec_jagged_2d_mul_backward(grad, v, a_values, a_offsets), None)


def _backward_backward(ctx: Any, to_v: Tensor, to_a: Tensor) -> tuple[Any, ...]:
    # The product is linear in each factor, and so are both gradients.
    grad_output, v, a_values, a_offsets = ctx.saved_tensors
    d_grad = _ops.batched_dense_vec_jagged_2d_mul(to_v, a_values, a_offsets)
    d_grad = d_grad + _ops.batched_dense_vec_jagged_2d_mul(v, to_a, a_offsets)
    d_v, d_a = _ops.batched_dense_vec_jagged_2d_mul_backward(grad_output, to_v, to_a, a_offsets)
    return d_grad, d_v, d_a, None


for _name in ("batched_dense_vec_jagged_2d_mul", "batched_dense_vec_jagged_2d_mul_forward"):
    gradients(_name, _backward, _save)
gradients("batched_dense_vec_jagged_2d_mul_backward", _backward_backward, _save)
