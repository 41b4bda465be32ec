"""Bucketizes sparse features over ranks."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from pinwheel_kernels._register import shapes

_ops = torch.ops.pinwheel


def block_bucketize_sparse_features(
    lengths: Tensor,
    indices: Tensor,
    bucketize_pos: bool,
    sequence: bool,
    block_sizes: Tensor,
    my_size: int,
    weights: Tensor | None = None,
    batch_size_per_feature: Tensor | None = None,
    max_B: int = -1,
    block_bucketize_pos: Sequence[Tensor] | None = None,
    keep_orig_idx: bool = False,
    total_num_blocks: Tensor | None = None,
    keep_orig_idx_per_feature: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor | None, Tensor | None, Tensor | None]:
    """Splits the bags of T features over W = `my_size` ranks, each of which holds a block of the rows.

    lengths: [T * B] of int32 or int64: the number of indices of each bag, feature by feature.
    indices: [sum of lengths] of int32 or int64, interpreted as unsigned: -8 is 2^32 - 8 or 2^64 - 8.
    bucketize_pos: also return each index's position within its bag.
    sequence: also return where each index went.
    block_sizes: [T]: the rows of a block. A rank has n / W blocks of each feature, where n is
        `total_num_blocks[t]` (a multiple of W) or W. An index below block size * n goes to the rank that has
        its block and becomes its distance from the rank's first row; any other index, i, goes to the rank that
        has block i % n and becomes i / n.
    weights: as `indices`, of any dtype of at most 8 bytes, moved along with them; or None.
    batch_size_per_feature: [T]: the number of bags of each feature, instead of B for all.
    max_B: the largest of `batch_size_per_feature`, or -1; used only for checks, and only on the CPU.
    block_bucketize_pos: for each feature the first rows of its ranks, instead of blocks of one size: starting
        with 0, non-decreasing, usually W + 1 elements. Index i goes to the last rank whose first row is at most
        i and becomes its distance from that row; if that is none of the W ranks it goes to rank i % W and
        becomes i / W. If the block size is 0, i % n * last / n is looked up instead of i, where last is the
        last element, and the index becomes i / n.
    keep_orig_idx: leave the indices unchanged. `keep_orig_idx_per_feature`, [T] of bool, overrides it.

    Returns (lengths [W * T * B], rank by rank, indices, weights or None, positions or None, permute or None);
    `permute[i]` is the position of `indices[i]` in the result. Indices of a bag keep their order, on every
    device.

    Raises RuntimeError on wrong shapes, dtypes or devices, and on the CPU on lengths or batch sizes that are
    negative, do not add up or exceed `max_B`, negative block sizes, a number of blocks that is not a multiple
    of W, and bounds that decrease or do not start with 0. On a GPU contents are not read back: out-of-range
    bags are empty there, and ranks past the last are clamped to the last. Not differentiable. Modeled on
    FBGEMM's operator.
    """
    return _ops.block_bucketize_sparse_features(
        lengths,
        indices,
        bucketize_pos,
        sequence,
        block_sizes,
        my_size,
        weights,
        batch_size_per_feature,
        max_B,
        None if block_bucketize_pos is None else list(block_bucketize_pos),
        keep_orig_idx,
        total_num_blocks,
        keep_orig_idx_per_feature,
    )


@shapes("block_bucketize_sparse_features")
def _bucketize_fake(
    lengths: Tensor,
    indices: Tensor,
    bucketize_pos: bool,
    sequence: bool,
    block_sizes: Tensor,
    my_size: int,
    weights: Tensor | None = None,
    batch_size_per_feature: Tensor | None = None,
    max_B: int = -1,
    block_bucketize_pos: Sequence[Tensor] | None = None,
    keep_orig_idx: bool = False,
    total_num_blocks: Tensor | None = None,
    keep_orig_idx_per_feature: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor | None, Tensor | None, Tensor | None]:
    torch._check(lengths.dim() == 1, lambda: "`lengths` must be 1-D")
    torch._check(indices.dim() == 1, lambda: "`indices` must be 1-D")
    count = indices.shape[0]
    return (
        lengths.new_empty([my_size * lengths.shape[0]]),
        indices.new_empty([count]),
        None if weights is None else weights.new_empty([count]),
        indices.new_empty([count]) if bucketize_pos else None,
        indices.new_empty([count]) if sequence else None,
    )
