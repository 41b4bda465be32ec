"""Bounds checks for the indices of embedding lookups."""

from __future__ import annotations

import torch
from torch import Tensor

from pinwheel_kernels._register import shapes

_ops = torch.ops.pinwheel


def bounds_check_indices(
    rows_per_table: Tensor,
    indices: Tensor,
    offsets: Tensor,
    bounds_check_mode: int,
    warning: Tensor,
    weights: Tensor | None = None,
    B_offsets: Tensor | None = None,
    max_B: int = -1,
    b_t_map: Tensor | None = None,
    info_B_num_bits: int = -1,
    info_B_mask: int = -1,
    bounds_check_version: int = 1,
    prefetch_pipeline: bool = False,
) -> None:
    """Finds indices that are out of range for their tables, and repairs them in place.

    rows_per_table: [T] of int64.
    indices: [N] of int32 or int64; -1 is a pruned row and always valid.
    offsets: [T * B + 1] of int32 or int64: bag b of table t has the indices from element t * B + b of it to the
        next. Both `indices` and `offsets` must be contiguous.
    bounds_check_mode: 0, fatal: nothing is changed, and an invalid index or offset is an error. 1, warning:
        they are repaired and counted. 2, ignore: they are repaired.
    warning: [1] or more of int64: in mode 1 its first element is set to the number of repairs (a bag with bad
        offsets, a bad last offset and a bad index count one each), the others to 0. Nothing is printed.
    weights: None, or of the shape of `indices`; only the shape is checked.
    B_offsets: [T + 1] of int32: where each table's bags start, for tables with different batch sizes; `max_B`
        is then the largest batch size.
    b_t_map, info_B_num_bits, info_B_mask, bounds_check_version (1 or 2), prefetch_pipeline: tuning of FBGEMM's
        GPU kernels; ignored here.

    Repairs: offsets that decrease or are outside [0, N] become the maximum of those before them, clamped to
    [0, N]; the last one becomes N; invalid indices become 0.

    Raises RuntimeError on wrong shapes, dtypes, devices or modes, and on the CPU on invalid `B_offsets`. In
    mode 0 the error names the first invalid element; on a GPU it has the number of invalid ones and waits for
    the device. The other modes never wait. Not differentiable; torch is told of the in-place change. Modeled on
    FBGEMM's operator.
    """
    _ops.bounds_check_indices(
        rows_per_table,
        indices,
        offsets,
        bounds_check_mode,
        warning,
        weights,
        B_offsets,
        max_B,
        b_t_map,
        info_B_num_bits,
        info_B_mask,
        bounds_check_version,
        prefetch_pipeline,
    )


@shapes("bounds_check_indices")
def _bounds_fake(
    rows_per_table: Tensor,
    indices: Tensor,
    offsets: Tensor,
    bounds_check_mode: int,
    warning: Tensor,
    weights: Tensor | None = None,
    B_offsets: Tensor | None = None,
    max_B: int = -1,
    b_t_map: Tensor | None = None,
    info_B_num_bits: int = -1,
    info_B_mask: int = -1,
    bounds_check_version: int = 1,
    prefetch_pipeline: bool = False,
) -> None:
    torch._check(indices.dim() == 1, lambda: "`indices` must be 1-D")
    torch._check(offsets.dim() == 1, lambda: "`offsets` must be 1-D")
