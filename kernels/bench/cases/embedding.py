"""Lookups in embedding tables."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu, size

import pinwheel_kernels as pk

LENGTH = 20


def tables_of(
    tables: int, rows: int, width: int, batch: int, skewed: bool, device: torch.device
) -> tuple[torch.Tensor, ...]:
    """weights_offsets (in elements), D_offsets, total_D, hash_size_cumsum, indices, offsets."""
    count = tables * batch * LENGTH
    if skewed:  # Zipf-distributed with exponent 1.15, the frequent rows scattered over the table
        ranks = torch.rand(count, dtype=torch.float64).pow(-1 / 0.15).clamp(max=2**40).long()
        indices = ranks * 2654435761 % rows
    else:
        indices = torch.randint(0, rows, (count,))
    steps = torch.arange(tables + 1)
    return (
        (steps[:-1] * rows * width).to(device),
        (steps * width).int().to(device),
        tables * width,
        (steps * rows).to(device),
        indices.to(device),
        (torch.arange(tables * batch + 1) * LENGTH).to(device),
    )


def with_torch(weights: torch.Tensor, arguments: tuple, tables: int) -> object:
    _, _, total, _, indices, offsets = arguments
    views = weights.view(tables, -1, total // tables)
    batch = (offsets.numel() - 1) // tables
    bags = offsets[: batch + 1]
    parts = indices.view(tables, -1)
    return torch.cat(
        [
            torch.nn.functional.embedding_bag(parts[t], views[t], bags[:-1], mode="sum")
            for t in range(tables)
        ],
        1,
    )


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    shapes = ((10, 100_000, 64, 512), (10, 100_000, 128, 512), (4, 2000, 64, 64))
    for tables, rows, width, batch in (*shapes, *filling_a_gpu(device, (8, 1_000_000, 128, 4096))):
        for dtype in (torch.float32, torch.float16):
            weights = torch.rand(tables * rows * width, device=device).to(dtype)
            for skewed in (False, True):
                arguments = tables_of(tables, rows, width, batch, skewed, device)
                firsts, columns, total, sums, indices, offsets = arguments
                moved = indices.numel() * (width * weights.element_size() + 8) + batch * total * 4

                def with_fbgemm(w=weights, a=arguments, d=width) -> object:
                    return fbgemm.dense_embedding_codegen_lookup_function(
                        w, a[0], a[1], a[2], d, a[3], 32, a[4], a[5], 0, None, None, 0
                    )

                yield Case(
                    "tbe_forward",
                    f"{tables} x {rows} x {width} {str(dtype)[6:]}, B {batch}, {'Zipf' if skewed else 'even'}",
                    moved,
                    lambda w=weights, a=arguments: torch.ops.pinwheel.tbe_forward(w, *a, 0),
                    lambda w=weights, a=arguments, t=tables: with_torch(w, a, t),
                    fbgemm and with_fbgemm,
                )
