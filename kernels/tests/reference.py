"""Reference implementations of the operators, as plain loops."""

from __future__ import annotations

import random

import torch
from torch import Tensor

INDEX_DTYPES = [torch.int32, torch.int64]


def complete_cumsum(numbers: list[float]) -> list[float]:
    sums = [0]
    for number in numbers:
        sums.append(sums[-1] + number)
    return sums


def random_jagged(
    rng: random.Random, depth: int, outer: int, longest: int, dtype: torch.dtype
) -> tuple[list[Tensor], int]:
    """Offsets of `depth` levels over `outer` groups, and the number of value rows that they span."""
    offsets = []
    groups = outer
    for _ in range(depth):
        numbers = complete_cumsum([rng.randint(0, longest) for _ in range(groups)])
        offsets.append(torch.tensor(numbers, dtype=dtype))
        groups = numbers[-1]
    return offsets, groups


def to_padded_dense(
    values: Tensor, offsets: list[Tensor], max_lengths: list[int], padding: float
) -> Tensor:
    dense = torch.full(
        (offsets[0].numel() - 1, *max_lengths, *values.shape[1:]), padding, dtype=values.dtype
    )

    def place(level: int, group: int, where: tuple[int, ...]) -> None:
        begin, end = int(offsets[level][group]), int(offsets[level][group + 1])
        for within in range(min(end - begin, max_lengths[level])):
            if level + 1 == len(offsets):
                dense[(*where, within)] = values[begin + within]
            else:
                place(level + 1, begin + within, (*where, within))

    for group in range(offsets[0].numel() - 1):
        place(0, group, (group,))
    return dense


def to_jagged(
    dense: Tensor, offsets: list[Tensor], max_lengths: list[int], rows: int
) -> Tensor:
    """Finds each value row by padding the row numbers."""
    covered = int(offsets[-1][-1])
    where = to_padded_dense(torch.arange(covered), offsets, max_lengths, -1)
    values = torch.zeros((rows, *dense.shape[len(offsets) + 1 :]), dtype=dense.dtype)
    shown = where >= 0
    values[where[shown]] = dense[shown]
    return values


def permute_2d(permute: list[int], lengths: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    starts = complete_cumsum(lengths.sum(1).tolist())
    parts = [values[starts[feature] : starts[feature + 1]] for feature in permute]
    return lengths[permute], torch.cat([values[:0], *parts])


def quantize_row(row: list[float]) -> tuple[list[int], float, float]:
    """Codes, scale and bias, computed in double precision."""
    least, most = min(row), max(row)
    return (
        [round((number - least) * 255 / (most - least + 1e-8)) for number in row],
        (most - least) / 255,
        least,
    )


def bucketize(
    lengths: Tensor,
    indices: Tensor,
    bucketize_pos: bool,
    sequence: bool,
    block_sizes: Tensor,
    my_size: int,
    weights: Tensor | None = None,
    batch_size_per_feature: Tensor | None = None,
    max_B: int = -1,
    block_bucketize_pos: list[Tensor] | None = None,
    keep_orig_idx: bool = False,
    total_num_blocks: Tensor | None = None,
    keep_orig_idx_per_feature: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor | None, Tensor | None, Tensor | None]:
    """block_bucketize_sparse_features, one index at a time, with Python integers."""
    modulus = 2 ** (8 * indices.element_size())
    features, bags = block_sizes.numel(), lengths.numel()
    batches = [bags // max(1, features)] * features
    if batch_size_per_feature is not None:
        batches = batch_size_per_feature.tolist()
    feature_of = [t for t, batch in enumerate(batches) for _ in range(batch)]

    def split(t: int, index: int) -> tuple[int, int]:
        size = int(block_sizes[t])
        blocks = my_size if total_num_blocks is None else int(total_num_blocks[t])
        if block_bucketize_pos:
            bounds = block_bucketize_pos[t].tolist()
            row = index if size > 0 else index % blocks * bounds[-1] // blocks
            rank = sum(bound <= row for bound in bounds) - 1
            if size == 0:
                return (rank if rank < my_size else index % my_size), index // blocks
            if rank < my_size:
                return rank, index - bounds[rank]
            return index % my_size, index // my_size
        rows = size * blocks // my_size
        if index < size * blocks:
            return index // rows, index % rows
        return index % blocks // (blocks // my_size), index // blocks

    moved = [[[] for _ in range(bags)] for _ in range(my_size)]
    source = 0
    for bag, length in enumerate(lengths.tolist()):
        t = feature_of[bag]
        keep = keep_orig_idx
        if keep_orig_idx_per_feature is not None:
            keep = bool(keep_orig_idx_per_feature[t])
        for position in range(length):
            index = int(indices[source]) % modulus
            rank, new = split(t, index)
            moved[rank][bag].append((index if keep else new, position, source))
            source += 1
    flat = [entry for rank in moved for bag in rank for entry in bag]
    signed = [new - modulus if new >= modulus // 2 else new for new, _, _ in flat]
    sources = torch.tensor([source for _, _, source in flat], dtype=torch.int64)
    permute = torch.empty_like(indices)
    permute[sources] = torch.arange(len(flat), dtype=indices.dtype)
    return (
        torch.tensor([len(bag) for rank in moved for bag in rank], dtype=lengths.dtype),
        torch.tensor(signed, dtype=indices.dtype),
        None if weights is None else weights[sources],
        torch.tensor([p for _, p, _ in flat], dtype=indices.dtype) if bucketize_pos else None,
        permute if sequence else None,
    )
