"""Embedding tables, batches, and a reference implementation of the optimizers as plain float64 loops."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import torch
from torch import Tensor

SUM, MEAN, NONE = 0, 1, 2
FLOATS = [torch.float32, torch.float16, torch.bfloat16]
UPDATED_TOLERANCE = {torch.float32: 1e-4, torch.float16: 4e-3, torch.bfloat16: 3e-2}
"""Tolerances for weights after an update, relative and absolute."""


@dataclass
class Batch:
    """The arguments of a backward pass, in the operators' order and with their names."""

    grad: Tensor
    weights: Tensor
    weights_offsets: Tensor
    D_offsets: Tensor
    hash_size_cumsum: Tensor
    indices: Tensor
    offsets: Tensor
    pooling_mode: int = SUM
    indice_weights: Tensor | None = None

    @property
    def tables(self) -> int:
        return len(self.weights_offsets)

    @property
    def samples(self) -> int:
        return (len(self.offsets) - 1) // self.tables

    def to(self, device: torch.device) -> Batch:
        moved = {k: v.to(device) for k, v in vars(self).items() if isinstance(v, Tensor)}
        return replace(self, **moved)

    def copy(self) -> Batch:
        return replace(self, weights=self.weights.clone())

    def arguments(self) -> tuple[object, ...]:
        return tuple(vars(self).values())

    def with_momentum(self, momentum1: Tensor) -> tuple[object, ...]:
        """The arguments for an operator that takes the momentum after the weights."""
        first, second, *others = self.arguments()
        return (first, second, momentum1, *others)


def cumsum(numbers: list[int]) -> list[int]:
    sums = [0]
    for number in numbers:
        sums.append(sums[-1] + number)
    return sums


def random_batch(
    rng: random.Random,
    rows: list[int],
    widths: list[int],
    samples: int,
    longest: int,
    pooling_mode: int = SUM,
    weighted: bool = False,
    index_dtype: torch.dtype = torch.int64,
    dtypes: tuple[torch.dtype, torch.dtype] = (torch.float32, torch.float32),
    wide: bool = False,
    gap: int = 0,
) -> Batch:
    """Tables of `rows[t]` rows that are `widths[t]` wide, with `gap` elements between them. dtypes: those of the
    weights and of the gradient. wide: D_offsets are int64."""
    lengths = [
        rng.randint(0, longest) if count > 0 else 0 for count in rows for _ in range(samples)
    ]
    offsets = cumsum(lengths)
    indices = [
        rng.randrange(rows[bag // samples]) for bag, n in enumerate(lengths) for _ in range(n)
    ]
    starts, end = [], 0
    for count, width in zip(rows, widths, strict=True):
        starts.append(end + gap)
        end += gap + count * width
    shape = (len(indices), widths[0]) if pooling_mode == NONE else (samples, sum(widths))
    return Batch(
        grad=torch.randn(shape).to(dtypes[1]),
        weights=torch.randn(end + gap).to(dtypes[0]),
        weights_offsets=torch.tensor(starts, dtype=torch.int64),
        D_offsets=torch.tensor(cumsum(widths), dtype=torch.int64 if wide else torch.int32),
        hash_size_cumsum=torch.tensor(cumsum(rows), dtype=torch.int64),
        indices=torch.tensor(indices, dtype=index_dtype),
        offsets=torch.tensor(offsets, dtype=index_dtype),
        pooling_mode=pooling_mode,
        indice_weights=torch.rand(len(indices)) + 0.5 if weighted else None,
    )


def any_batch(rng: random.Random, pooling_mode: int, index_dtype: torch.dtype) -> Batch:
    """One to four tables of odd and even widths, in every form that the operators accept."""
    tables = rng.randint(1, 4)
    widths = [rng.choice([1, 2, 3, 4, 5, 8, 17, 64])] * tables
    if pooling_mode != NONE:
        widths = [rng.choice([1, 2, 3, 4, 5, 8, 17, 33, 64, 130, 200]) for _ in range(tables)]
    return random_batch(
        rng,
        [rng.randint(1, 30) for _ in range(tables)],
        widths,
        rng.randint(1, 12),
        rng.choice([1, 3, 9]),
        pooling_mode,
        weighted=pooling_mode != NONE and rng.random() < 0.5,
        index_dtype=index_dtype,
        wide=rng.random() < 0.5,
        gap=rng.choice([0, 0, 3]),
    )


def row_gradients(batch: Batch) -> dict[tuple[int, int], Tensor]:
    """The sum of the gradients of each row that is looked up, by table and row."""
    sums: dict[tuple[int, int], Tensor] = {}
    widths = batch.D_offsets.tolist()
    offsets = batch.offsets.tolist()
    for bag in range(len(offsets) - 1):
        table, sample = divmod(bag, batch.samples)
        for at in range(offsets[bag], offsets[bag + 1]):
            if batch.pooling_mode == NONE:
                part = batch.grad[at].double()
            else:
                part = batch.grad[sample, widths[table] : widths[table + 1]].double()
            if batch.pooling_mode == MEAN:
                part = part / (offsets[bag + 1] - offsets[bag])
            if batch.indice_weights is not None:
                part = part * batch.indice_weights[at].double()
            row = (table, int(batch.indices[at]))
            sums[row] = sums[row] + part if row in sums else part.clone()
    return sums


def _shortened(row: Tensor, max_norm: float) -> Tensor:
    norm = row.norm()
    return row * (max_norm / norm) if max_norm > 0 and norm > max_norm else row


def expected(
    batch: Batch,
    learning_rate: float,
    momentum1: Tensor | None = None,
    eps: float = 0.0,
    weight_decay: float = 0.0,
    mode: int = 0,
    max_norm: float = 0.0,
) -> tuple[Tensor, Tensor | None]:
    """Weights and momentum after SGD, or after rowwise Adagrad if there is a momentum."""
    weights = batch.weights.double()
    momentum = None if momentum1 is None else momentum1.double()
    for (table, row), gradient in row_gradients(batch).items():
        width = len(gradient)
        if width == 0:
            continue
        start = int(batch.weights_offsets[table]) + row * width
        old = weights[start : start + width].clone()
        step = learning_rate
        if momentum is not None:
            decayed = gradient + weight_decay * old if mode == 1 else gradient
            at = int(batch.hash_size_cumsum[table]) + row
            momentum[at] += (decayed**2).mean()
            step = learning_rate / (momentum[at].sqrt() + eps)
        keep = {0: 1.0, 1: 1 - step * weight_decay, 2: 1 - learning_rate * weight_decay}[mode]
        weights[start : start + width] = _shortened(keep * old - step * gradient, max_norm)
    return weights, momentum
