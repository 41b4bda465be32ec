"""Packing segments into a padded tensor."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu, size

import pinwheel_kernels as pk


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    for segments, longest, columns in ((4096, 100, 64), (512, 20, 64), *filling_a_gpu(device, (16384, 100, 128))):
        lengths = torch.randint(0, longest + 1, (segments,), device=device)
        counts = lengths.tolist()
        for dtype in (torch.float32, torch.float16):
            rows = torch.randn(sum(counts), columns, device=device).to(dtype)
            packed = pk.pack_segments(rows, lengths, longest)
            shape = f"B {segments}, max {longest}, D {columns}, {str(dtype)[6:]}"
            yield Case(
                "pack_segments",
                shape,
                size(rows, packed),
                lambda r=rows, le=lengths, m=longest: pk.pack_segments(r, le, m),
                lambda r=rows, c=counts: torch.nn.utils.rnn.pad_sequence(r.split(c), True),
                fbgemm and (lambda r=rows, le=lengths, m=longest: fbgemm.pack_segments(r, le, m)),
            )
            backward = (packed, lengths, sum(counts), longest)
            yield Case(
                "pack_segments_backward",
                shape,
                2 * size(rows),
                lambda a=backward: torch.ops.pinwheel.pack_segments_backward(*a),
                lambda p=packed, c=counts: torch.cat([p[b, :n] for b, n in enumerate(c)]),
                fbgemm and (lambda a=backward: fbgemm.pack_segments_backward(*a)),
            )
