"""The gradients of lookups in embedding tables."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from bench_case import Case, filling_a_gpu, size
from fbgemm_embedding import dense_gradient, indice_weights_gradient
from cases.embedding import tables_of, with_torch


def cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    shapes = ((4, 100_000, 64, 512), (4, 2000, 64, 64), *filling_a_gpu(device, (4, 1_000_000, 64, 4096)))
    for tables, rows, width, batch in shapes:
        weights = torch.rand(tables * rows * width, device=device)
        arguments = tables_of(tables, rows, width, batch, False, device)
        firsts, columns, total, sums, indices, offsets = arguments
        grad = torch.randn(batch, total, device=device)
        given = (grad, weights, firsts, columns, sums, indices, offsets, 0)
        per_index = torch.ones(indices.numel(), device=device)  # FBGEMM's operator requires them
        shape = f"{tables} x {rows} x {width} float32, B {batch}, weighted"
        leaf = weights.clone().requires_grad_()
        graph = with_torch(leaf, arguments, tables)

        def dense_of_torch(g=graph, w=leaf, d=grad) -> object:
            return torch.autograd.grad(g, w, d, retain_graph=True)

        yield Case(
            "tbe_backward_dense",
            shape,
            size(weights, grad, indices, per_index) + indices.numel() * width * 4,
            lambda g=given, p=per_index: torch.ops.pinwheel.tbe_backward_dense(*g, p),
            dense_of_torch,
            fbgemm and dense_gradient(fbgemm, given, per_index, width),
        )
        yield Case(
            "tbe_backward_indice_weights",
            shape,
            size(grad, indices) + indices.numel() * (width * 4 + 4),
            lambda g=given: torch.ops.pinwheel.tbe_backward_indice_weights(*g),
            None,
            fbgemm and indice_weights_gradient(fbgemm, given, width),
        )
