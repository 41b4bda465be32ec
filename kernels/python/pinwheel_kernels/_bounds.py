"""Checks of embedding lookups' indices."""

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
    """Finds indices that are no rows of their tables, and repairs them in place.

    rows_per_table: [T] of int64.
    indices: [N] of int32 or int64; -1 stands for a row that was pruned and is always right.
    offsets: [T * B + 1] of int32 or int64: bag b of table t has the indices from number t * B + b of it to the
        next. Both `indices` and `offsets` must be contiguous.
    bounds_check_mode: 0, fatal: nothing is changed, what is wrong is an error. 1, warning: what is wrong is
        repaired and counted. 2, ignore: it is repaired.
    warning: [1] or more of int64: in mode 1 its first number becomes the number of repairs (a bag with bad
        offsets, a bad last offset and a bad index are one each), the others 0. Nothing is printed.
    weights: None, or as many as there are indices; only their number is checked.
    B_offsets: [T + 1] of int32: which bags each table has, instead of B for all; `max_B` is then the largest
        number of bags.
    b_t_map, info_B_num_bits, info_B_mask, bounds_check_version (1 or 2), prefetch_pipeline: how FBGEMM's GPU
        kernels do it; without effect here.

    Repairing: offsets that decrease or lead outside of [0, N] become the largest of those before them, cut to
    [0, N]; the last one becomes N; indices that are no rows become 0.

    Raises RuntimeError on wrong shapes, dtypes, devices or modes, and on the CPU on `B_offsets` that are no
    offsets of the bags. In mode 0 it says what is wrong first; on a GPU, how much is, and waits for the
    device to know. The other modes never wait. Not differentiable; torch knows of the change. After FBGEMM's
    operator.
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
