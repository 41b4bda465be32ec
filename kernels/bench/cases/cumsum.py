"""Prefix sums."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu, size

import pinwheel_kernels as pk


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    small, large = 1_000_000, filling_a_gpu(device, 67_000_000)
    for count, dtype in [(count, dtype) for count in (small, *large) for dtype in (torch.int32, torch.int64)]:
        numbers = torch.randint(0, 100, (count,), dtype=dtype, device=device)
        zero = numbers.new_zeros(1)
        yield Case(
            "asynchronous_complete_cumsum",
            f"{count // 1_000_000}M {str(dtype)[6:]}",
            2 * size(numbers),
            lambda x=numbers: pk.asynchronous_complete_cumsum(x),
            lambda x=numbers, z=zero: torch.cat([z, x.cumsum(0, dtype=x.dtype)]),
            fbgemm and (lambda x=numbers: fbgemm.asynchronous_complete_cumsum(x)),
        )
