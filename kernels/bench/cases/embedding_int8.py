"""Lookups in embedding tables of 8-bit codes."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case
from cases.embedding import tables_of


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    for tables, rows, width, batch in ((10, 100_000, 64, 512), (10, 100_000, 128, 512), (4, 2000, 64, 64)):
        row_bytes = width + 4
        parameters = (torch.rand(tables * rows, 2) * 0.02).half().view(torch.uint8)
        codes = torch.randint(0, 256, (tables * rows, width), dtype=torch.uint8)
        weights = torch.cat([parameters, codes], 1).flatten().to(device)
        for skewed in (False, True):
            arguments = tables_of(tables, rows, width, batch, skewed, device)
            firsts = torch.arange(tables, device=device) * rows * row_bytes
            _, columns, total, sums, indices, offsets = arguments
            given = (weights, firsts, columns, total, sums, indices, offsets)
            narrow = (indices.int(), offsets.int())
            places = torch.full((tables,), 3 if device.type == "cpu" else 0, dtype=torch.int32, device=device)
            kinds = torch.full((tables,), 2, dtype=torch.uint8, device=device)

            def with_fbgemm(g=given, n=narrow, p=places, k=kinds, d=width) -> object:
                return fbgemm.int_nbit_split_embedding_codegen_lookup_function(
                    g[0], g[0][:0], p, g[1], k, g[2], g[3], 0, 0, d, 0, 0, *n, 0, None, 0, row_alignment=1
                )

            yield Case(
                "int8_tbe_forward",
                f"{tables} x {rows} x {width}, B {batch}, {'Zipf' if skewed else 'even'}",
                indices.numel() * (row_bytes + 4) + batch * total * 4,
                lambda g=given, n=narrow: torch.ops.pinwheel.int8_tbe_forward(
                    *g[:5], *n, 0, None, 0, False, False, 1
                ),
                None,
                fbgemm and with_fbgemm,
            )
