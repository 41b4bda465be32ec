"""Sums and products of jagged tensors and dense ones."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu, size

import pinwheel_kernels as pk


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    for groups, longest, columns in ((4096, 100, 64), (1024, 20, 64), *filling_a_gpu(device, (16384, 100, 128))):
        lengths = torch.randint(0, longest + 1, (groups,), device=device)
        offsets = pk.asynchronous_complete_cumsum(lengths)
        for dtype in (torch.float32, torch.float16):
            values = torch.randn(int(offsets[-1]), columns, device=device).to(dtype)
            dense = torch.randn(groups, longest, columns, device=device).to(dtype)
            shape = f"B {groups}, max {longest}, D {columns}, {str(dtype)[6:]}"
            yield from cases_of(values, offsets, dense, shape, fbgemm)


def cases_of(
    values: torch.Tensor,
    offsets: torch.Tensor,
    dense: torch.Tensor,
    shape: str,
    fbgemm: object | None,
) -> Iterator[Case]:
    aten, rows, longest = torch.ops.aten, values.shape[0], dense.shape[1]
    arguments = (values, [offsets], dense)

    def gathered() -> torch.Tensor:
        return aten._padded_dense_to_jagged_forward(dense, [offsets], rows)

    name = "jagged_dense_elementwise_add_jagged_output"
    with_fbgemm = fbgemm and getattr(fbgemm, name)
    yield Case(
        name,
        shape,
        3 * size(values),
        lambda: pk.jagged_dense_elementwise_add_jagged_output(*arguments),
        lambda: values + gathered(),
        fbgemm and (lambda: with_fbgemm(*arguments)),
    )
    yield Case(
        "jagged_dense_elementwise_mul",
        shape,
        3 * size(values),
        lambda: pk.jagged_dense_elementwise_mul(*arguments),
        lambda: values * gathered(),
        fbgemm and (lambda: fbgemm.jagged_dense_elementwise_mul(*arguments)),
    )
    yield Case(
        "jagged_dense_elementwise_add",
        shape,
        size(values) + 2 * size(dense),
        lambda: pk.jagged_dense_elementwise_add(*arguments),
        lambda: dense + aten._jagged_to_padded_dense_forward(values, [offsets], [longest], 0.0),
        fbgemm and (lambda: fbgemm.jagged_dense_elementwise_add(*arguments)),
    )
    backward = torch.ops.pinwheel.jagged_dense_elementwise_mul_backward
    yield Case(
        "jagged_dense_elementwise_mul_backward",
        shape,
        4 * size(values) + size(dense),
        lambda: backward(values, [offsets], dense, values),
        None,
        fbgemm
        and (
            lambda: fbgemm.jagged_dense_elementwise_mul_backward(values, [offsets], dense, values)
        ),
    )
