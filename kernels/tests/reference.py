"""What the operators mean, in plain loops."""

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
    """Offsets of `depth` levels over `outer` groups, and how many value rows they span."""
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
    """Each value row is where its number stands in the padded form of the numbers."""
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
