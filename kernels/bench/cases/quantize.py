"""Rows of 8-bit codes."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu, size

import pinwheel_kernels as pk


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    small, large = 100_000, filling_a_gpu(device, 1_000_000)
    for count, dtype in [(count, dtype) for count in (small, *large) for dtype in (torch.float32, torch.float16)]:
        numbers = torch.randn(count, 128, device=device).to(dtype)
        rows = pk.FloatOrHalfToFused8BitRowwiseQuantized(numbers)

        def with_torch(x=numbers) -> object:
            least, most = x.aminmax(dim=1, keepdim=True)
            scale = (most - least).float() / 255
            codes = ((x - least) / scale).round().to(torch.uint8)
            return torch.cat([codes, torch.cat([scale, least.float()], 1).view(torch.uint8)], 1)

        def back_with_torch(r=rows) -> object:
            both = r[:, -8:].contiguous().view(torch.float32)
            return r[:, :-8] * both[:, :1] + both[:, 1:]

        shape = f"{count // 1000}k x 128 {str(dtype)[6:]}"
        yield Case(
            "FloatOrHalfToFused8BitRowwiseQuantized",
            shape,
            size(numbers, rows),
            lambda x=numbers: pk.FloatOrHalfToFused8BitRowwiseQuantized(x),
            with_torch,
            fbgemm and (lambda x=numbers: fbgemm.FloatOrHalfToFused8BitRowwiseQuantized(x)),
        )
        if dtype != torch.float32:
            continue
        yield Case(
            "Fused8BitRowwiseQuantizedToFloatOrHalf",
            shape,
            size(numbers, rows),
            lambda r=rows: pk.Fused8BitRowwiseQuantizedToFloatOrHalf(r),
            back_with_torch,
            fbgemm and (lambda r=rows: fbgemm.Fused8BitRowwiseQuantizedToFloatOrHalf(r)),
        )
