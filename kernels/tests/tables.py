"""Embedding tables and bags for the tests, and a reference lookup."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import torch
from torch import Tensor

SUM, MEAN, NONE = 0, 1, 2
DTYPE_NUMBERS = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 5}


@dataclass
class Tables:
    """The arguments that the operators on tables have in common."""

    weights: Tensor
    weights_offsets: Tensor
    D_offsets: Tensor
    total_D: int
    hash_size_cumsum: Tensor
    indices: Tensor
    offsets: Tensor
    pooling_mode: int
    indice_weights: Tensor | None

    def to(self, device: torch.device) -> Tables:
        moved = {k: v.to(device) for k, v in vars(self).items() if isinstance(v, Tensor)}
        return replace(self, **moved)

    def arguments(self) -> tuple:
        return tuple(vars(self).values())

    @property
    def batch(self) -> int:
        return (self.offsets.numel() - 1) // max(1, self.weights_offsets.numel())

    def tables(self) -> list[Tensor]:
        """Each table as a view of the weights: [rows, D]."""
        parts = []
        for t, first in enumerate(self.weights_offsets.tolist()):
            rows = int(self.hash_size_cumsum[t + 1] - self.hash_size_cumsum[t])
            columns = int(self.D_offsets[t + 1] - self.D_offsets[t])
            parts.append(self.weights[first : first + rows * columns].view(rows, columns))
        return parts

    def bags_of(self, t: int) -> list[range]:
        ends = self.offsets[t * self.batch : (t + 1) * self.batch + 1].tolist()
        return [range(*pair) for pair in zip(ends, ends[1:], strict=False)]


def random_tables(
    rng: random.Random,
    dims: list[int],
    batch: int,
    longest: int,
    *,
    index: torch.dtype = torch.int64,
    dtype: torch.dtype = torch.float32,
    pooling_mode: int = SUM,
    weighted: bool = False,
    most_rows: int = 20,
) -> Tables:
    """Tables in a shuffled order with gaps between them, bags of 0 to `longest` indices."""
    rows = [rng.randint(1, most_rows) for _ in dims]
    order = rng.sample(range(len(dims)), len(dims))
    firsts, end = [0] * len(dims), 0
    for t in order:
        firsts[t] = end + rng.randint(0, 3)
        end = firsts[t] + rows[t] * dims[t]
    lengths = [rng.randint(0, longest) for _ in range(len(dims) * batch)]
    starts = torch.tensor([0, *lengths]).cumsum(0)
    indices = [
        rng.randrange(rows[at // batch]) for at, length in enumerate(lengths) for _ in range(length)
    ]
    columns = torch.tensor([0, *dims]).cumsum(0)
    return Tables(
        weights=torch.randn(end).to(dtype),
        weights_offsets=torch.tensor(firsts, dtype=torch.int64),
        D_offsets=columns.to(rng.choice([torch.int32, torch.int64])),
        total_D=sum(dims),
        hash_size_cumsum=torch.tensor([0, *rows]).cumsum(0),
        indices=torch.tensor(indices, dtype=index),
        offsets=starts.to(index),
        pooling_mode=pooling_mode,
        indice_weights=torch.rand(len(indices)) * 2 - 1 if weighted else None,
    )


def lookup(case: Tables, tables: list[Tensor]) -> Tensor:
    """A lookup in the precision of `tables`, differentiable in them and in the weights of the indices."""
    if case.pooling_mode == NONE:
        parts = [
            table[case.indices[bag.start : bag.stop].long()]
            for t, table in enumerate(tables)
            for bag in case.bags_of(t)
        ]
        return torch.cat(parts) if parts else torch.zeros(0, 0)
    columns = []
    for t, table in enumerate(tables):
        rows = []
        for bag in case.bags_of(t):
            picked = table[case.indices[bag.start : bag.stop].long()]
            if case.indice_weights is not None:
                picked = picked * case.indice_weights[bag.start : bag.stop, None].to(picked.dtype)
            total = picked.sum(0)
            rows.append(total / len(bag) if case.pooling_mode == MEAN and len(bag) else total)
        columns.append(torch.stack(rows) if rows else table.new_zeros(0, table.shape[1]))
    return torch.cat(columns, 1) if columns else torch.zeros(0, 0)
