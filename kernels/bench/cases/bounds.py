"""Bounds checks for the indices of embedding lookups."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu, size

import pinwheel_kernels as pk


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    rows = 1_000_000
    for tables, samples, longest, dtype in [
        (26, 1024, 40, torch.int64),
        (26, 8192, 100, torch.int64),
        (26, 8192, 100, torch.int32),
        *filling_a_gpu(device, (100, 16384, 20, torch.int64)),
    ]:
        lengths = torch.randint(0, longest, (tables * samples,), dtype=dtype, device=device)
        offsets = pk.asynchronous_complete_cumsum(lengths)
        indices = torch.randint(0, rows, (int(offsets[-1]),), dtype=dtype, device=device)
        all_rows = torch.full((tables,), rows, device=device)
        warning = torch.zeros(1, dtype=torch.int64, device=device)
        arguments = (all_rows, indices, offsets, 1, warning)

        def with_torch(i=indices, o=offsets, a=all_rows, b=samples) -> object:
            of_each = a.repeat_interleave(o[b::b] - o[:-1:b])
            wrong = (i < -1) | (i >= of_each)
            i.masked_fill_(wrong, 0)
            return wrong.sum(), (o.diff() < 0).any()

        yield Case(
            "bounds_check_indices",
            f"T {tables}, B {samples}, {indices.numel() / 1e6:.1f}M {str(dtype)[6:]}, none wrong",
            size(indices, offsets),
            lambda a=arguments: pk.bounds_check_indices(*a),
            with_torch,
            fbgemm and (lambda a=arguments: fbgemm.bounds_check_indices(*a)),
        )
