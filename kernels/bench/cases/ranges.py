"""Ranges and sums over contiguous segments."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu, size

import pinwheel_kernels as pk


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    shapes = ((200_000, 50), (2_000, 50), (100, 2000), *filling_a_gpu(device, (2_000_000, 50)))
    for segments, longest in shapes:
        lengths = torch.randint(0, longest + 1, (segments,), device=device)
        offsets = pk.asynchronous_complete_cumsum(lengths)
        total = int(offsets[-1])
        shape = f"{segments} segments, max {longest}"
        for dtype in (torch.int32, torch.int64):
            starts = offsets.to(dtype)
            yield Case(
                "offsets_range",
                f"{shape}, {str(dtype)[6:]}",
                size(starts) + total * starts.element_size(),
                lambda o=starts, n=total: pk.offsets_range(o, n),
                lambda o=starts, n=total, le=lengths: torch.arange(n, dtype=o.dtype, device=o.device)
                - o[:-1].repeat_interleave(le, output_size=n),
                fbgemm and (lambda o=starts, n=total: fbgemm.offsets_range(o, n)),
            )
        for dtype in (torch.float32, torch.float16):
            values = torch.rand(total, device=device).to(dtype)
            yield Case(
                "segment_sum_csr",
                f"{shape}, {str(dtype)[6:]}",
                size(values, offsets),
                lambda o=offsets, v=values: pk.segment_sum_csr(1, o, v),
                lambda o=offsets, v=values: torch.segment_reduce(v, "sum", offsets=o),
                fbgemm and (lambda o=offsets, v=values: fbgemm.segment_sum_csr(1, o, v)),
            )
