"""FBGEMM's operators on embedding tables, whose names and arguments on a GPU are not those on the CPU."""

from __future__ import annotations

import torch
from bench_case import Run
from torch import Tensor

RATE, EPS = 0.01, 1e-6
# What fbgemm_gpu's modules pass: BT_block_size and max_segment_length_per_warp; info_B_num_bits and info_B_mask.
BLOCK, SEGMENT, INFO = 32, 32, (26, (1 << 26) - 1)


def none_of(like: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.empty(0, dtype=dtype, device=like.device)


def bits_of(rows: Tensor) -> int:
    """The bits of a row's number, counted over all tables."""
    return int(rows[-1]).bit_length()


def dense_gradient(fbgemm: object, given: tuple, per_index: Tensor, width: int) -> Run:
    """`given`: grad, weights, weights_offsets, D_offsets, hash_size_cumsum, indices, offsets, pooling."""
    grad, weights, firsts, columns, rows, indices, offsets, pooling = given
    if not grad.is_cuda:
        operator = fbgemm.split_embedding_backward_codegen_dense_cpu
        lists = (grad, weights, firsts, columns, width, rows, 32, indices, offsets)
        return lambda: operator(*lists, pooling, per_index, 0.0)
    operator = fbgemm.split_embedding_backward_codegen_dense_weighted_exact_cuda
    lists = (grad, weights, firsts, columns, width, False, rows, bits_of(rows), indices, offsets)
    return lambda: operator(*lists, pooling, per_index, BLOCK, SEGMENT, 0.0)


def indice_weights_gradient(fbgemm: object, given: tuple, width: int) -> Run:
    grad, weights, firsts, columns, _, indices, offsets, _ = given
    lists = (grad, weights, firsts, columns)
    if not grad.is_cuda:
        wanted = torch.ones(firsts.numel(), dtype=torch.int32)
        operator = fbgemm.split_embedding_codegen_grad_indice_weights_cpu
        return lambda: operator(*lists, indices, offsets, wanted)
    operator = fbgemm.dense_embedding_codegen_grad_indice_weights_cuda
    wanted = none_of(grad, torch.int32)
    return lambda: operator(*lists, width, indices, offsets, wanted)


def update(fbgemm: object, arguments: list[Tensor], width: int, momentum: Tensor | None) -> Run:
    """The backward pass with SGD or, with `momentum`, rowwise Adagrad."""
    make = gpu_update if arguments[0].is_cuda else cpu_update
    return make(fbgemm, arguments, width, momentum)


def cpu_update(fbgemm: object, arguments: list[Tensor], width: int, momentum: Tensor | None) -> Run:
    grad, weights, starts, columns, rows, indices, offsets = arguments
    places = torch.zeros(starts.numel(), dtype=torch.int32)
    common = (
        (grad, weights, places, starts, columns, width, rows)
        + (bits_of(rows), indices, offsets, 0, torch.empty(0), False)
    )
    rate = torch.tensor(RATE)
    if momentum is None:
        return lambda: fbgemm.split_embedding_backward_codegen_sgd_cpu(*common, rate)
    first = rows[:-1].clone()
    operator = fbgemm.split_embedding_backward_codegen_rowwise_adagrad_cpu
    return lambda: operator(*common, momentum, places, first, rate, EPS)


def gpu_update(fbgemm: object, arguments: list[Tensor], width: int, momentum: Tensor | None) -> Run:
    """For fbgemm-gpu 1.6. Nothing is in unified memory or in its cache."""
    grad, weights, starts, columns, rows, indices, offsets = arguments
    none, no_cache = none_of(grad), torch.empty(0, 0, device=grad.device)
    places = torch.zeros(starts.numel(), dtype=torch.int32, device=grad.device)
    common = (
        (grad, weights, none, no_cache, places, starts, columns, width, False, rows, bits_of(rows))
        + (indices, offsets, 0, none_of(grad, torch.int32), BLOCK, SEGMENT, False, *INFO, False, True)
    )
    rate = torch.tensor(RATE)
    if momentum is None:
        return lambda: fbgemm.split_embedding_backward_codegen_sgd_unweighted_exact_cuda(*common, rate)
    first = rows[:-1].clone()
    operator = fbgemm.split_embedding_backward_codegen_rowwise_adagrad_unweighted_exact_cuda
    return lambda: operator(*common, momentum, none, places, first, rate, EPS, 0.0, 0, 0.0)
