"""The backward pass of embedding tables fused with the optimizer; torch uses sparse gradients and a separate step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from bench_case import Case, Run, filling_a_gpu, size
from fbgemm_embedding import EPS, RATE, update
from torch import Tensor

import pinwheel_kernels as pk


@dataclass
class Tables:
    """The shape of a batch for `count` tables of `rows` rows."""

    count: int
    rows: int
    width: int
    samples: int
    length: int
    skewed: bool = False

    def shape(self) -> str:
        kind = "skewed" if self.skewed else "uniform"
        return f"{self.count} x {self.rows // 1000}k x {self.width}, {self.samples} x {self.length} {kind}"

    def arguments(self, device: torch.device) -> list[Tensor]:
        """grad, weights, weights_offsets, D_offsets, hash_size_cumsum, indices, offsets."""
        positions = self.count * self.samples * self.length
        uniform = torch.rand(positions)
        indices = (uniform ** (6 if self.skewed else 1) * self.rows).long().clamp_(max=self.rows - 1)
        tables = torch.arange(self.count + 1)
        lists = [
            torch.randn(self.samples, self.count * self.width, device=device),
            torch.randn(self.count * self.rows * self.width, device=device),
            tables[:-1] * self.rows * self.width,
            (tables * self.width).int(),
            tables * self.rows,
            indices,
            torch.arange(0, positions + 1, self.length),
        ]
        return [x.to(device) for x in lists]


def minimum(tables: Tables, arguments: list[Tensor], momentum: int) -> int:
    """The minimum of bytes: the gradient and the index lists once, each touched row twice."""
    positions = tables.samples * tables.length
    starts = torch.arange(tables.count, device=arguments[5].device).repeat_interleave(positions)
    touched = torch.unique(arguments[5] + starts * tables.rows).numel()
    return size(arguments[0], *arguments[2:]) + touched * 2 * (4 * tables.width + momentum)


def with_torch(tables: Tables, arguments: list[Tensor], make: Callable[[list[Tensor]], object]) -> Run:
    """embedding_bag table by table with sparse gradients, then the optimizer."""
    grad, weights, _, _, _, indices, _ = arguments
    rows = weights.clone().view(tables.count, tables.rows, tables.width)
    leaves = [table.clone().requires_grad_() for table in rows]
    each = indices.view(tables.count, -1)
    starts = torch.arange(0, each.shape[1], tables.length, device=grad.device)
    parts = grad.view(tables.samples, tables.count, tables.width).unbind(1)
    optimizer = make(leaves)

    def run() -> None:
        for table, own, part in zip(leaves, each, parts, strict=True):
            out = torch.nn.functional.embedding_bag(own, table, starts, mode="sum", sparse=True)
            out.backward(part)
        optimizer.step()
        optimizer.zero_grad()

    return run


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    for tables in (
        Tables(4, 50_000, 128, 2048, 20),
        Tables(4, 50_000, 128, 2048, 20, skewed=True),
        Tables(1, 500_000, 64, 8192, 10),
        Tables(8, 10_000, 32, 512, 5),
        *filling_a_gpu(
            device, Tables(8, 1_000_000, 128, 4096, 20), Tables(8, 1_000_000, 128, 4096, 20, skewed=True)
        ),
    ):
        arguments = tables.arguments(device)
        yield Case(
            "tbe_backward_sgd_",
            tables.shape(),
            minimum(tables, arguments, 0),
            lambda a=arguments: pk.tbe_backward_sgd_(*a, 0, None, RATE),
            with_torch(tables, arguments, lambda leaves: torch.optim.SGD(leaves, lr=RATE)),
            fbgemm and update(fbgemm, arguments, tables.width, None),
        )
        momentum = torch.zeros(tables.count * tables.rows, device=device)
        yield Case(
            "tbe_backward_rowwise_adagrad_",
            tables.shape(),
            minimum(tables, arguments, 4),
            lambda a=arguments, m=momentum: pk.tbe_backward_rowwise_adagrad_(
                *a[:2], m, *a[2:], 0, None, RATE, EPS
            ),
            with_torch(tables, arguments, lambda leaves: torch.optim.Adagrad(leaves, lr=RATE)),
            fbgemm and update(fbgemm, arguments, tables.width, momentum),
        )
