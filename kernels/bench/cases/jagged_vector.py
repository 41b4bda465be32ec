"""Weighted sums of the rows of jagged tensors."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu, size

import pinwheel_kernels as pk


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    shapes = ((4096, 100, 2, 32), (512, 20, 2, 64), (1024, 50, 1, 8), *filling_a_gpu(device, (16384, 100, 2, 64)))
    for groups, longest, heads, columns in shapes:
        lengths = torch.randint(0, longest + 1, (groups,), device=device)
        offsets = pk.asynchronous_complete_cumsum(lengths)
        for dtype in (torch.float32, torch.float16):
            values = torch.randn(int(offsets[-1]), heads * columns, device=device).to(dtype)
            v = torch.randn(groups * heads, longest, device=device).to(dtype)
            gradient = torch.randn(groups * heads, columns, device=device).to(dtype)
            shape = f"B {groups}, max {longest}, H {heads}, D {columns}, {str(dtype)[6:]}"

            def with_torch(v=v, a=values, o=offsets, h=heads) -> torch.Tensor:
                aten = torch.ops.aten
                dense = aten._jagged_to_padded_dense_forward(a, [o], [v.shape[1]], 0.0)
                per_head = dense.view(-1, v.shape[1], h, a.shape[1] // h).transpose(1, 2)
                return v.view(-1, h, 1, v.shape[1]) @ per_head

            forward = (v, values, offsets)
            backward = (gradient, *forward)
            yield Case(
                "batched_dense_vec_jagged_2d_mul",
                shape,
                size(values, v, gradient),
                lambda a=forward: pk.batched_dense_vec_jagged_2d_mul(*a),
                with_torch,
                fbgemm and (lambda a=forward: fbgemm.batched_dense_vec_jagged_2d_mul(*a)),
            )
            ours = torch.ops.pinwheel.batched_dense_vec_jagged_2d_mul_backward
            yield Case(
                "batched_dense_vec_jagged_2d_mul_backward",
                shape,
                2 * size(values, v) + size(gradient),
                lambda a=backward, f=ours: f(*a),
                None,
                fbgemm and (lambda a=backward: fbgemm.batched_dense_vec_jagged_2d_mul_backward(*a)),
            )
