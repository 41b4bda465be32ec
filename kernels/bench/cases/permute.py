"""Permuting sparse features."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu, size

import pinwheel_kernels as pk


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    for features, samples, longest in ((26, 2048, 20), (26, 2048, 200), *filling_a_gpu(device, (100, 16384, 20))):
        lengths = torch.randint(0, longest, (features, samples), device=device)
        values = torch.randint(0, 10**6, (int(lengths.sum()),), device=device)
        weights = torch.rand(values.shape, device=device)
        permute = torch.randperm(features).int().to(device)
        order = permute.tolist()
        counts = lengths.sum(1).tolist()

        def with_torch(v=values, w=weights, le=lengths, o=order, c=counts) -> object:
            parts, weight_parts = v.split(c), w.split(c)
            return (
                le[o],
                torch.cat([parts[feature] for feature in o]),
                torch.cat([weight_parts[feature] for feature in o]),
            )

        arguments = (permute, lengths, values, weights)
        yield Case(
            "permute_2D_sparse_data",
            f"T {features}, B {samples}, {values.numel() / 1e6:.1f}M int64 + weights",
            2 * size(lengths, values, weights),
            lambda a=arguments: pk.permute_2D_sparse_data(*a),
            with_torch,
            fbgemm and (lambda a=arguments: fbgemm.permute_2D_sparse_data(*a)),
        )

    for bags, longest in ((26 * 2048, 4), (26 * 2048, 100), *filling_a_gpu(device, (100 * 16384, 20))):
        lengths = torch.randint(0, longest, (bags,), device=device)
        values = torch.randint(0, 10**6, (int(lengths.sum()),), device=device)
        weights = torch.rand(values.shape, device=device)
        arguments = (torch.randperm(bags).int().to(device), lengths, values, weights)

        def bags_with_torch(p=arguments[0], le=lengths, v=values, w=weights) -> object:
            p = p.long()
            counts = le[p]
            starts = (le.cumsum(0) - le)[p] - (counts.cumsum(0) - counts)
            at = torch.arange(int(counts.sum()), device=le.device) + starts.repeat_interleave(counts)
            return counts, v[at], w[at]

        yield Case(
            "permute_1D_sparse_data",
            f"{bags / 1e3:.0f}k bags, {values.numel() / 1e6:.1f}M int64 + weights",
            2 * size(lengths, values, weights),
            lambda a=arguments: pk.permute_1D_sparse_data(*a),
            bags_with_torch,
            fbgemm and (lambda a=arguments: fbgemm.permute_1D_sparse_data(*a)),
        )
