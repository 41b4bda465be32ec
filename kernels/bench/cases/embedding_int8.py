"""Lookups in embedding tables of 8-bit codes."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu
from cases.embedding import tables_of


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    shapes = ((10, 100_000, 64, 512), (10, 100_000, 128, 512), (4, 2000, 64, 64))
    for shape in (*shapes, *filling_a_gpu(device, (8, 1_000_000, 128, 4096))):
        yield from cases_of(*shape, 1, device, fbgemm if device.type == "cpu" else None)
        if device.type == "cuda":  # FBGEMM's GPU operator needs rows that are aligned to 16 bytes
            yield from cases_of(*shape, 16, device, fbgemm)


def cases_of(
    tables: int, rows: int, width: int, batch: int, align: int, device: torch.device, fbgemm: object | None
) -> Iterator[Case]:
    row_bytes = -(-(width + 4) // align) * align
    parameters = (torch.rand(tables * rows, 2, device=device) * 0.02).half().view(torch.uint8)
    codes = torch.randint(0, 256, (tables * rows, row_bytes - 4), dtype=torch.uint8, device=device)
    weights = torch.cat([parameters, codes], 1).flatten()
    for skewed in (False, True):
        arguments = tables_of(tables, rows, width, batch, skewed, device)
        firsts = torch.arange(tables, device=device) * rows * row_bytes
        _, columns, total, sums, indices, offsets = arguments
        given = (weights, firsts, columns, total, sums, indices, offsets)
        narrow = (indices.int(), offsets.int())
        places = torch.full((tables,), 3 if device.type == "cpu" else 0, dtype=torch.int32, device=device)
        kinds = torch.full((tables,), 2, dtype=torch.uint8, device=device)

        def with_fbgemm(g=given, n=narrow, p=places, k=kinds) -> object:
            return fbgemm.int_nbit_split_embedding_codegen_lookup_function(
                g[0], g[0][:0], p, g[1], k, g[2], g[3], 0, 0, width, 0, 0, *n, 0, None, 0, row_alignment=align
            )

        aligned = "" if align == 1 else f", row alignment {align}"
        yield Case(
            "int8_tbe_forward",
            f"{tables} x {rows} x {width}, B {batch}, {'Zipf' if skewed else 'even'}{aligned}",
            indices.numel() * (width + 8) + batch * total * 4,
            lambda g=given, n=narrow: torch.ops.pinwheel.int8_tbe_forward(
                *g[:5], *n, 0, None, 0, False, False, align
            ),
            None,
            fbgemm and with_fbgemm,
        )
