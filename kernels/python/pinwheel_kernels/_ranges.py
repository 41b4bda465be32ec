"""Ranges and sums over contiguous segments."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from pinwheel_kernels._register import gradients, shapes

_ops = torch.ops.pinwheel


def offsets_range(offsets: Tensor, range_size: int) -> Tensor:
    """Counts from 0 in each segment: `out[offsets[i] + k] = k`; `cat([arange(n) for n in lengths])`.

    offsets: [N] of int32 or int64: where segments start, beginning with 0, non-decreasing. The last segment
        ends at `range_size`. An exclusive cumsum of lengths works, and so does a complete one.
    range_size: the size of the result.

    Returns [range_size] of the dtype of `offsets`. Not differentiable.

    Raises RuntimeError on a wrong rank or dtype, on a negative `range_size` and on one that no segment covers;
    on the CPU also on offsets that decrease, do not start with 0 or exceed `range_size`. On a GPU offsets are
    not read back; elements before the first offset are 0 there. Modeled on FBGEMM's operator.
    """
    return _ops.offsets_range(offsets, range_size)


def segment_sum_csr(batch_size: int, csr_seg: Tensor, values: Tensor) -> Tensor:
    """Sums of segments: `out[s] = values[csr_seg[s] * batch_size : csr_seg[s + 1] * batch_size].sum()`.

    batch_size: the number of values per unit of an offset. With 0, all sums are those of empty segments.
    csr_seg: [S + 1] of int32 or int64, non-decreasing. Values before the first and past the last offset belong
        to no segment.
    values: 1-D, of float32, float16, bfloat16, float64, int32 or int64.

    Returns [S] of the dtype of `values`; the sum of an empty segment is 0. 16-bit types are added in float32
    and rounded once; integers wrap around. Deterministic. Differentiable in `values`, any number of times.

    Raises RuntimeError on a wrong rank or dtype and a negative `batch_size`, and on the CPU on offsets that
    decrease or are out of range. On a GPU they are not read back; out-of-range segments are empty there. Modeled
    on FBGEMM's operator.
    """
    return _ops.segment_sum_csr(batch_size, csr_seg, values)


@shapes("offsets_range")
def _range_fake(offsets: Tensor, range_size: int) -> Tensor:
    torch._check(offsets.dim() == 1, lambda: "`offsets` must be 1-D")
    return offsets.new_empty([range_size])


@shapes("segment_sum_csr")
def _sum_fake(batch_size: int, csr_seg: Tensor, values: Tensor) -> Tensor:
    torch._check(csr_seg.dim() == 1, lambda: "`csr_seg` must be 1-D")
    torch._check(values.dim() == 1, lambda: "`values` must be 1-D")
    return values.new_empty([csr_seg.shape[0] - 1])


def _save_segments(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.batch_size, csr_seg, values = inputs
    ctx.count = values.shape[0]
    ctx.save_for_backward(csr_seg)


def _sum_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    (csr_seg,) = ctx.saved_tensors
    # A value belongs to the last segment that starts at or before its position.
    starts = csr_seg.long() * ctx.batch_size
    places = torch.arange(ctx.count, device=csr_seg.device)
    segment = torch.bucketize(places, starts, right=True)
    # Segment 0 and the one past the last are for values that belong to no segment.
    shown = torch.nn.functional.pad(grad, (1, 1))
    return None, None, shown.index_select(0, segment)


gradients("segment_sum_csr", _sum_backward, _save_segments)
