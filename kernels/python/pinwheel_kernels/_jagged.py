"""Jagged tensors: groups of different lengths, stored contiguously."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from pinwheel_kernels._register import composite, gradients, shapes

_ops = torch.ops.pinwheel


def jagged_to_padded_dense(
    values: Tensor,
    offsets: Sequence[Tensor],
    max_lengths: Sequence[int],
    padding_value: float = 0.0,
) -> Tensor:
    """Converts a jagged tensor to a dense one, padded or truncated to `max_lengths`.

    values: [total_L, D] or [total_L] (then the result has no last dimension), of float16, bfloat16,
        float32, float64, an integer dtype or bool.
    offsets: 1 to 5 tensors of int32 or int64, all of one dtype, from the outermost level inward. Each is a
        complete cumsum: it starts with 0, never decreases, and its last element is at most the number of groups
        of the next level (of rows of `values` for the last one).
    max_lengths: the size of the result in each level.
    padding_value: fills what no value covers.

    Returns [B, *max_lengths, D] with B = offsets[0].numel() - 1. Differentiable in `values` (twice).

    Raises RuntimeError on wrong ranks, dtypes or devices, and on the CPU on offsets that violate the rules
    above. On a GPU offsets are not read back; out-of-range groups are padding there. Modeled on FBGEMM's
    operator.
    """
    return _ops.jagged_to_padded_dense(values, list(offsets), list(max_lengths), padding_value)


def dense_to_jagged(
    dense: Tensor, x_offsets: Sequence[Tensor], total_L: int | None = None
) -> tuple[Tensor, list[Tensor]]:
    """The rows of a padded tensor that belong to a jagged one: the inverse of `jagged_to_padded_dense`.

    dense: [B, *max_lengths, D] or [B, *max_lengths], of any dtype of 1, 2, 4 or 8 bytes.
    x_offsets: as `offsets` of `jagged_to_padded_dense`, with B groups outermost.
    total_L: the number of value rows. None takes the last element of the last offsets, which waits for a GPU;
        passing it avoids that.

    Returns (values [total_L, D] or [total_L], x_offsets). Value rows beyond `max_lengths` and past the last
    offset are zero. Differentiable in `dense` (twice).

    Raises RuntimeError on wrong ranks, dtypes or devices and on a mismatch in B, and on the CPU on invalid
    offsets. On a GPU offsets are not read back; rows that belong to no group are zero there. Modeled on
    FBGEMM's operator.
    """
    offsets = list(x_offsets)
    return _ops.dense_to_jagged_forward(dense, offsets, total_L), offsets


def _check_offsets(offsets: Sequence[Tensor], levels: int) -> None:
    torch._check(
        1 <= len(offsets) <= 5, lambda: f"`offsets` must list 1 to 5 tensors, not {len(offsets)}"
    )
    torch._check(
        levels == len(offsets),
        lambda: f"{len(offsets)} tensors in `offsets` but {levels} maximum lengths",
    )


@shapes("jagged_to_padded_dense", "jagged_to_padded_dense_forward")
def _dense_fake(
    values: Tensor,
    offsets: Sequence[Tensor],
    max_lengths: Sequence[int],
    padding_value: float = 0.0,
) -> Tensor:
    _check_offsets(offsets, len(max_lengths))
    torch._check(values.dim() in (1, 2), lambda: "`values` must be 1-D or 2-D")
    return values.new_empty([offsets[0].shape[0] - 1, *max_lengths, *values.shape[1:]])


@shapes("jagged_to_padded_dense_backward")
def _values_fake(grad_output: Tensor, offsets: Sequence[Tensor], total_L: int) -> Tensor:
    return _shown_rows("grad_output", grad_output, offsets, total_L)


def _shown_rows(name: str, dense: Tensor, offsets: Sequence[Tensor], total_L: int) -> Tensor:
    levels = len(offsets)
    _check_offsets(offsets, levels)
    torch._check(
        dense.dim() in (levels + 1, levels + 2),
        lambda: f"`{name}` must be {levels + 1}-D or {levels + 2}-D",
    )
    return dense.new_empty([total_L, *dense.shape[levels + 1 :]])


@shapes("dense_to_jagged_forward")
def _jagged_fake(dense: Tensor, x_offsets: Sequence[Tensor], total_L: int | None = None) -> Tensor:
    if total_L is None:
        total_L = torch.library.get_ctx().new_dynamic_size()
    return _shown_rows("dense", dense, x_offsets, total_L)


@composite("dense_to_jagged")
def _dense_to_jagged(
    dense: Tensor, x_offsets: Sequence[Tensor], total_L: int | None = None
) -> tuple[Tensor, list[Tensor]]:
    return dense_to_jagged(dense, x_offsets, total_L)


def _save_dense(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    values, offsets = inputs[:2]
    ctx.save_for_backward(*offsets)
    ctx.total_L = values.shape[0]


def _dense_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    offsets = list(ctx.saved_tensors)
    d_values = _ops.jagged_to_padded_dense_backward(grad, offsets, ctx.total_L)
    return d_values, None, None, None


def _save_values(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    grad_output, offsets, _ = inputs
    ctx.save_for_backward(*offsets)
    ctx.max_lengths = list(grad_output.shape[1 : 1 + len(offsets)])


def _values_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    # The transpose of the gather: zero where there is no value row.
    offsets = list(ctx.saved_tensors)
    d_grad = _ops.jagged_to_padded_dense_forward(grad, offsets, ctx.max_lengths, 0.0)
    return d_grad, None, None


for _name in ("jagged_to_padded_dense", "jagged_to_padded_dense_forward"):
    gradients(_name, _dense_backward, _save_dense)
for _name in ("jagged_to_padded_dense_backward", "dense_to_jagged_forward"):
    gradients(_name, _values_backward, _save_values)
