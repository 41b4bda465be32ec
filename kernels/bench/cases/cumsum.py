"""Prefix sums."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, size

import pinwheel_kernels as pk


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    for dtype in (torch.int32, torch.int64):
        numbers = torch.randint(0, 100, (1_000_000,), dtype=dtype, device=device)
        zero = numbers.new_zeros(1)
        yield Case(
            "asynchronous_complete_cumsum",
            f"1M {str(dtype)[6:]}",
            2 * size(numbers),
            lambda x=numbers: pk.asynchronous_complete_cumsum(x),
            lambda x=numbers, z=zero: torch.cat([z, x.cumsum(0, dtype=x.dtype)]),
            fbgemm and (lambda x=numbers: fbgemm.asynchronous_complete_cumsum(x)),
        )
