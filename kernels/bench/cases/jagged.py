"""Jagged tensors to dense ones and back."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu, size

import pinwheel_kernels as pk


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    for groups, longest, columns in ((4096, 100, 64), (1024, 20, 64), *filling_a_gpu(device, (16384, 100, 128))):
        yield from cases_of(groups, longest, columns, device, fbgemm)


def cases_of(
    groups: int, longest: int, columns: int, device: torch.device, fbgemm: object | None
) -> Iterator[Case]:
    lengths = torch.randint(0, longest + 1, (groups,), device=device)
    offsets = pk.asynchronous_complete_cumsum(lengths)
    for dtype in (torch.float32, torch.float16):
        values = torch.randn(int(offsets[-1]), columns, device=device).to(dtype)
        dense = pk.jagged_to_padded_dense(values, [offsets], [longest])
        shape = f"B {groups}, max {longest}, D {columns}, {str(dtype)[6:]}"
        moved = size(values, dense)
        aten = torch.ops.aten
        yield Case(
            "jagged_to_padded_dense",
            shape,
            moved,
            lambda v=values: pk.jagged_to_padded_dense(v, [offsets], [longest]),
            lambda v=values: aten._jagged_to_padded_dense_forward(v, [offsets], [longest], 0.0),
            fbgemm and (lambda v=values: fbgemm.jagged_to_padded_dense(v, [offsets], [longest], 0)),
        )
        rows = values.shape[0]
        backward = torch.ops.pinwheel.jagged_to_padded_dense_backward
        yield Case(
            "dense_to_jagged",
            shape,
            2 * size(values),
            lambda d=dense: pk.dense_to_jagged(d, [offsets]),
            lambda d=dense, n=values.shape[0]: aten._padded_dense_to_jagged_forward(d, [offsets], n),
            fbgemm and (lambda d=dense: fbgemm.dense_to_jagged(d, [offsets])),
        )
        yield Case(
            "jagged_to_padded_dense_backward",
            shape,
            2 * size(values),
            lambda d=dense, n=rows: backward(d, [offsets], n),
            lambda d=dense, n=rows: aten._padded_dense_to_jagged_forward(d, [offsets], n),
            fbgemm
            and (lambda d=dense, n=rows: fbgemm.jagged_to_padded_dense_backward(d, [offsets], n)),
        )
