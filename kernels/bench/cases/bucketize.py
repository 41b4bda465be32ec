"""Bucketizing sparse features over ranks."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu, size

import pinwheel_kernels as pk

RANKS = 8


def with_torch(lengths, indices, weights, block_sizes):
    """The same with a stable sort: rank by rank, bag by bag. Supports only blocks and in-range indices."""
    bags = lengths.numel()
    bag = torch.repeat_interleave(torch.arange(bags, device=lengths.device), lengths)
    block = block_sizes.repeat_interleave(bags // block_sizes.numel())[bag]
    rank = indices // block
    order = torch.argsort(rank, stable=True)
    counts = torch.bincount(rank * bags + bag, minlength=RANKS * bags)
    return counts, (indices % block)[order], None if weights is None else weights[order], order


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    rows = 1_000_000
    shapes = [
        (26, 512, 40, torch.int64, True, False),
        (26, 4096, 100, torch.int64, True, False),
        (26, 4096, 100, torch.int64, False, True),
        (26, 4096, 100, torch.int32, False, False),
        (26, 16384, 4, torch.int64, False, False),
        *filling_a_gpu(
            device, (100, 16384, 20, torch.int64, True, False), (100, 16384, 20, torch.int64, False, True)
        ),
    ]
    for features, samples, longest, dtype, weighted, sequence in shapes:
        lengths = torch.randint(0, longest, (features * samples,), dtype=dtype, device=device)
        indices = torch.randint(0, rows, (int(lengths.sum()),), dtype=dtype, device=device)
        weights = torch.rand(indices.shape, device=device) if weighted else None
        blocks = torch.full((features,), rows // RANKS, dtype=dtype, device=device)
        arguments = (lengths, indices, False, sequence, blocks, RANKS, weights)
        moved = size(*[t for t in arguments if isinstance(t, torch.Tensor)])
        extras = (" + weights" if weighted else "") + (", sequence" if sequence else "")
        yield Case(
            "block_bucketize_sparse_features",
            f"T {features}, B {samples}, {indices.numel() / 1e6:.1f}M {str(dtype)[6:]}{extras}",
            2 * moved + size(lengths) * (RANKS - 1) + sequence * size(indices),
            lambda a=arguments: pk.block_bucketize_sparse_features(*a),
            lambda a=arguments: with_torch(a[0], a[1], a[6], a[4]),
            fbgemm and (lambda a=arguments: fbgemm.block_bucketize_sparse_features(*a)),
        )
