"""Packs segments of different lengths into a padded tensor."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from pinwheel_kernels._register import gradients, shapes

_ops = torch.ops.pinwheel


def pack_segments(t_in: Tensor, lengths: Tensor, max_length: int) -> Tensor:
    """Packs contiguous segments into a tensor with `max_length` rows for each, padded with 0.

    t_in: [total, ...], of float16, bfloat16, float32, float64, an integer dtype or bool.
    lengths: [B] of int32 or int64: the number of rows of `t_in` of each segment; at most `total` in sum.
    max_length: packed rows per segment; longer segments are truncated.

    Returns [B, max_length, ...]. Differentiable in `t_in` (twice).

    Raises RuntimeError on a wrong rank or dtype and a negative `max_length`, and on the CPU on lengths that are
    negative or add up to more than `total`. On a GPU lengths are not read back; out-of-range segments are empty
    there. Modeled on FBGEMM's operator.
    """
    return _ops.pack_segments(t_in, lengths, max_length)


def pack_segments_v2(
    t_in: Tensor,
    lengths: Tensor,
    max_length: int,
    pad_minf: bool = False,
    return_presence_mask: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """As `pack_segments`, with a choice of padding and a mask of the rows that are not padding.

    pad_minf: pad with minus infinity; requires a floating-point dtype.
    return_presence_mask: whether to return the mask.

    Returns (packed [B, max_length, ...], mask [B, max_length] of bool or None). Modeled on FBGEMM's operator.
    """
    return _ops.pack_segments_v2(t_in, lengths, max_length, pad_minf, return_presence_mask)


@shapes("pack_segments")
def _pack_fake(t_in: Tensor, lengths: Tensor, max_length: int) -> Tensor:
    torch._check(t_in.dim() >= 1, lambda: "`t_in` must have at least 1 dimension")
    torch._check(lengths.dim() == 1, lambda: "`lengths` must be 1-D")
    return t_in.new_empty([lengths.shape[0], max_length, *t_in.shape[1:]])


@shapes("pack_segments_v2")
def _pack_v2_fake(
    t_in: Tensor,
    lengths: Tensor,
    max_length: int,
    pad_minf: bool = False,
    return_presence_mask: bool = False,
) -> tuple[Tensor, Tensor | None]:
    mask = None
    if return_presence_mask:
        mask = lengths.new_empty([lengths.shape[0], max_length], dtype=torch.bool)
    return _pack_fake(t_in, lengths, max_length), mask


@shapes("pack_segments_backward")
def _backward_fake(data: Tensor, lengths: Tensor, total_length: int, max_length: int) -> Tensor:
    torch._check(data.dim() >= 2, lambda: "`data` must have at least 2 dimensions")
    return data.new_empty([total_length, *data.shape[2:]])


def _save_lengths(ctx: Any, inputs: tuple[Any, ...], output: object) -> None:
    t_in, lengths, ctx.max_length = inputs[:3]
    ctx.save_for_backward(lengths)
    ctx.total_length = t_in.shape[0]


def _pack_backward(ctx: Any, grad: Tensor, *_mask: Any) -> tuple[Any, ...]:
    (lengths,) = ctx.saved_tensors
    d_rows = _ops.pack_segments_backward(grad, lengths, ctx.total_length, ctx.max_length)
    return d_rows, None, None, None, None


def _save_for_packing(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    _, lengths, _, ctx.max_length = inputs
    ctx.save_for_backward(lengths)


def _backward_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    (lengths,) = ctx.saved_tensors
    return _ops.pack_segments(grad, lengths, ctx.max_length), None, None, None


for _name in ("pack_segments", "pack_segments_v2"):
    gradients(_name, _pack_backward, _save_lengths)
gradients("pack_segments_backward", _backward_backward, _save_for_packing)
