"""The softmax of jagged tensors."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu, size

import pinwheel_kernels as pk


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    shapes = ((4096, 100, 32), (512, 20, 8), (1024, 50, 1), *filling_a_gpu(device, (16384, 100, 128)))
    for groups, longest, columns in shapes:
        lengths = torch.randint(0, longest + 1, (groups,), device=device)
        offsets = pk.asynchronous_complete_cumsum(lengths)
        for dtype in (torch.float32, torch.float16):
            values = torch.randn(int(offsets[-1]), columns, device=device).to(dtype)
            output, _ = pk.jagged_softmax(values, offsets, longest)
            gradient = torch.randn_like(values)

            def with_torch(v=values, o=offsets, m=longest) -> torch.Tensor:
                aten = torch.ops.aten
                dense = aten._jagged_to_padded_dense_forward(v, [o], [m], -float("inf"))
                return aten._padded_dense_to_jagged_forward(dense.softmax(1), [o], v.shape[0])

            shape = f"B {groups}, max {longest}, D {columns}, {str(dtype)[6:]}"
            forward = (values, offsets, longest)
            backward = (gradient, output, offsets, longest)
            yield Case(
                "jagged_softmax",
                shape,
                2 * size(values),
                lambda a=forward: pk.jagged_softmax(*a),
                with_torch,
                fbgemm and (lambda a=forward: fbgemm.jagged_softmax(*a)),
            )
            yield Case(
                "jagged_softmax_backward",
                shape,
                3 * size(values),
                lambda a=backward: torch.ops.pinwheel.jagged_softmax_backward(*a),
                None,
                fbgemm and (lambda a=backward: fbgemm.jagged_softmax_backward(*a)),
            )
