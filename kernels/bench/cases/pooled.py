"""Permuting the columns of features."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu, size

import pinwheel_kernels as pk


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    for features, samples, widths in [
        (26, 2048, [64]),
        (26, 8192, [64]),
        (26, 2048, [32, 64, 128, 192]),
        *filling_a_gpu(device, (100, 16384, [64])),
    ]:
        dims = torch.tensor([widths[t % len(widths)] for t in range(features)])
        order = torch.randperm(features)
        zero = torch.zeros(1, dtype=torch.int64)
        offsets = torch.cat([zero, dims.cumsum(0)])
        inverse_offsets = torch.cat([zero, dims[order].cumsum(0)])
        pooled = torch.randn(samples, int(dims.sum()), device=device)
        lists = [t.to(device) for t in (offsets, order, inverse_offsets, order.argsort())]

        def with_torch(x=pooled, d=dims.tolist(), o=order.tolist()) -> object:
            parts = x.split(d, dim=1)
            return torch.cat([parts[t] for t in o], dim=1)

        yield Case(
            "permute_pooled_embs",
            f"B {samples}, T {features}, D {'/'.join(map(str, widths))} float32",
            2 * size(pooled),
            lambda x=pooled, a=lists: pk.permute_pooled_embs(x, *a),
            with_torch,
            fbgemm and (lambda x=pooled, a=lists: fbgemm.permute_pooled_embs(x, *a)),
        )
