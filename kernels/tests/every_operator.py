"""Every operator once, on inputs of moderate size: for what must hold for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

import pinwheel_kernels as pk

OPS = torch.ops.pinwheel
GROUPS, LONGEST, COLUMNS = 200, 30, 64
FEATURES, SAMPLES = 6, 40
TABLES, ROWS, WIDTH, BATCH = 3, 500, 32, 64


@dataclass
class Call:
    """`run` takes the tensors, on any device, and changes none of them."""

    run: Callable[..., Any]
    tensors: list[Tensor]

    def on(self, device: torch.device) -> Any:
        return self.run(*(tensor.to(device) for tensor in self.tensors))


def integers(high: int, *shape: int, dtype: torch.dtype = torch.int64) -> Tensor:
    return torch.randint(0, high, shape, dtype=dtype)


def sums(lengths: Tensor) -> Tensor:
    return torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])


def jagged() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """lengths, offsets, values, dense."""
    lengths = integers(LONGEST + 1, GROUPS)
    rows = int(lengths.sum())
    return lengths, sums(lengths), torch.randn(rows, COLUMNS), torch.randn(GROUPS, LONGEST, COLUMNS)


def cumsum_calls() -> dict[str, Callable[[], Call]]:
    long, int32 = torch.int64, torch.int32
    return {
        "asynchronous_complete_cumsum": lambda: Call(pk.asynchronous_complete_cumsum, [integers(100, 20_000)]),
        "asynchronous_inclusive_cumsum": lambda: Call(
            pk.asynchronous_inclusive_cumsum, [integers(100, 20_000, dtype=int32)]
        ),
        "asynchronous_exclusive_cumsum": lambda: Call(pk.asynchronous_exclusive_cumsum, [integers(100, 20_000)]),
        "asynchronous_complete_cumsum, rows": lambda: Call(
            pk.asynchronous_complete_cumsum, [integers(100, 13, 5000, dtype=long)]
        ),
    }


def jagged_call(name: str) -> Call:
    lengths, offsets, values, dense = jagged()
    rows, softmax, gradient = values.shape[0], torch.rand(values.shape), torch.randn(values.shape)
    vectors, outputs = torch.randn(GROUPS * 2, LONGEST), torch.randn(GROUPS * 2, COLUMNS // 2)
    forward = {
        "jagged_to_padded_dense": (lambda v, o: pk.jagged_to_padded_dense(v, [o], [LONGEST], 0.5), [values, offsets]),
        "dense_to_jagged": (lambda d, o: pk.dense_to_jagged(d, [o], rows)[0], [dense, offsets]),
        "jagged_dense_elementwise_add_jagged_output": (
            lambda v, o, d: pk.jagged_dense_elementwise_add_jagged_output(v, [o], d)[0],
            [values, offsets, dense],
        ),
        "jagged_dense_elementwise_mul": (
            lambda v, o, d: pk.jagged_dense_elementwise_mul(v, [o], d)[0],
            [values, offsets, dense],
        ),
        "jagged_dense_elementwise_add": (
            lambda v, o, d: pk.jagged_dense_elementwise_add(v, [o], d),
            [values, offsets, dense],
        ),
        "jagged_softmax": (lambda v, o: pk.jagged_softmax(v, o, LONGEST)[0], [values, offsets]),
        "batched_dense_vec_jagged_2d_mul": (pk.batched_dense_vec_jagged_2d_mul, [vectors, values, offsets]),
        "pack_segments": (lambda v, n: pk.pack_segments(v, n, LONGEST), [values, lengths]),
        "pack_segments_v2": (
            lambda v, n: pk.pack_segments_v2(v, n, LONGEST, pad_minf=False, return_presence_mask=True),
            [values, lengths],
        ),
    }
    backward = {
        "jagged_to_padded_dense_backward": (
            lambda d, o: OPS.jagged_to_padded_dense_backward(d, [o], rows),
            [dense, offsets],
        ),
        "jagged_dense_elementwise_mul_backward": (
            lambda g, o, d, v: OPS.jagged_dense_elementwise_mul_backward(g, [o], d, v),
            [gradient, offsets, dense, values],
        ),
        "jagged_softmax_backward": (
            lambda g, s, o: OPS.jagged_softmax_backward(g, s, o, LONGEST),
            [gradient, softmax, offsets],
        ),
        "batched_dense_vec_jagged_2d_mul_backward": (
            lambda *a: OPS.batched_dense_vec_jagged_2d_mul_backward(*a),
            [outputs, vectors, values, offsets],
        ),
        "pack_segments_backward": (lambda p, n: OPS.pack_segments_backward(p, n, rows, LONGEST), [dense, lengths]),
    }
    return Call(*(forward | backward)[name])


def sparse_call(name: str) -> Call:
    lengths = integers(8, FEATURES, SAMPLES)
    count = int(lengths.sum())
    values, weights = integers(1000, count), torch.randn(count)
    flat, permute, bags = lengths.flatten(), torch.randperm(FEATURES), torch.randperm(FEATURES * SAMPLES)
    blocks = torch.full((FEATURES,), 125)
    calls = {
        "permute_2D_sparse_data": (pk.permute_2D_sparse_data, [permute, lengths, values, weights]),
        "permute_2D_sparse_data, sum given": (
            lambda p, n, v, w: pk.permute_2D_sparse_data(p, n, v, w, count),
            [permute, lengths, values, weights],
        ),
        "permute_1D_sparse_data": (
            lambda p, n, v, w: pk.permute_1D_sparse_data(p, n, v, w, count),
            [bags, flat, values, torch.randn(count, 3)],
        ),
        "block_bucketize_sparse_features": (
            lambda n, i, b, w: pk.block_bucketize_sparse_features(n, i, True, True, b, 8, w),
            [flat, values, blocks, weights],
        ),
        "offsets_range": (lambda o: pk.offsets_range(o, count), [sums(flat)]),
        "segment_sum_csr": (lambda o, v: pk.segment_sum_csr(1, o, v), [sums(flat), weights]),
    }
    return Call(*calls[name])


def pooled_call() -> Call:
    dims, order, zero = torch.full((FEATURES,), 8), torch.randperm(FEATURES), torch.zeros(1, dtype=torch.int64)
    lists = [torch.cat([zero, dims.cumsum(0)]), order, torch.cat([zero, dims[order].cumsum(0)]), order.argsort()]
    return Call(pk.permute_pooled_embs, [torch.randn(50, int(dims.sum())), *lists])


def quantize_call(name: str) -> Call:
    rows = torch.randn(100, 128)
    if name == "FloatOrHalfToFused8BitRowwiseQuantized":
        return Call(pk.FloatOrHalfToFused8BitRowwiseQuantized, [rows])
    least, most = rows.aminmax(dim=1, keepdim=True)
    codes = ((rows - least) / (most - least) * 255).round().to(torch.uint8)
    parameters = torch.cat([(most - least) / 255, least], 1).view(torch.uint8)
    return Call(pk.Fused8BitRowwiseQuantizedToFloatOrHalf, [torch.cat([codes, parameters], 1)])


def tables() -> list[Tensor]:
    """weights_offsets, D_offsets, hash_size_cumsum, indices, offsets."""
    offsets = sums(integers(10, TABLES * BATCH))
    steps = torch.arange(TABLES + 1)
    places = [steps[:-1] * ROWS * WIDTH, (steps * WIDTH).int(), steps * ROWS]
    return [*places, integers(ROWS, int(offsets[-1])), offsets]


def tbe_call(name: str) -> Call:
    lists = tables()
    weights, gradient = torch.randn(TABLES * ROWS * WIDTH), torch.randn(BATCH, TABLES * WIDTH)
    per_index, momentum = torch.randn(lists[3].numel()), torch.rand(TABLES * ROWS)
    total = TABLES * WIDTH

    def forward(pooling: int, dtype: int) -> Callable[..., Tensor]:
        return lambda w, f, c, r, i, o, *p: OPS.tbe_forward(w, f, c, total, r, i, o, pooling, *(p or [None]), dtype)

    def sgd(g: Tensor, w: Tensor, *rest: Tensor) -> Tensor:
        changed = w.clone()
        OPS.tbe_backward_sgd_(g, changed, *rest, 0, None, 0.05)
        return changed

    def adagrad(g: Tensor, w: Tensor, m: Tensor, *rest: Tensor) -> tuple[Tensor, Tensor]:
        changed, momentum = w.clone(), m.clone()
        OPS.tbe_backward_rowwise_adagrad_(g, changed, momentum, *rest, 0, None, 0.05, 1e-6)
        return changed, momentum

    calls = {
        "tbe_forward": (forward(0, 0), [weights, *lists, per_index]),
        "tbe_forward, no weights": (forward(0, 0), [weights, *lists]),
        "tbe_forward, mean of float16": (forward(1, 1), [weights.half(), *lists]),
        "tbe_forward, no pooling": (forward(2, 0), [weights, *lists]),
        "tbe_backward_dense": (
            lambda g, w, f, c, r, i, o, p: OPS.tbe_backward_dense(g, w, f, c, r, i, o, 0, p),
            [gradient, weights, *lists, per_index],
        ),
        "tbe_backward_indice_weights": (
            lambda *a: OPS.tbe_backward_indice_weights(*a, 0),
            [gradient, weights, *lists],
        ),
        "tbe_backward_sgd_": (sgd, [gradient, weights, *lists]),
        "tbe_backward_rowwise_adagrad_": (adagrad, [gradient, weights, momentum, *lists]),
    }
    return Call(*calls[name])


def int8_call() -> Call:
    _, columns, rows, indices, offsets = tables()
    row_bytes = WIDTH + 4
    weights = integers(256, TABLES * ROWS, row_bytes, dtype=torch.uint8)
    weights[:, :4] = (torch.rand(TABLES * ROWS, 2) * 0.02).half().view(torch.uint8)
    firsts = torch.arange(TABLES) * ROWS * row_bytes

    def run(w: Tensor, f: Tensor, c: Tensor, r: Tensor, i: Tensor, o: Tensor) -> Tensor:
        return OPS.int8_tbe_forward(w, f, c, TABLES * WIDTH, r, i, o, 0, None, 0, False, False, 1)

    return Call(run, [weights.flatten(), firsts, columns, rows, indices, offsets])


def bounds_call() -> Call:
    *_, indices, offsets = tables()

    def run(r: Tensor, i: Tensor, o: Tensor) -> tuple[Tensor, ...]:
        repaired, repaired_offsets, warnings = i.clone(), o.clone(), torch.zeros(1, dtype=torch.int64, device=i.device)
        pk.bounds_check_indices(r, repaired, repaired_offsets, 1, warnings)
        return repaired, repaired_offsets, warnings

    return Call(run, [torch.full((TABLES,), 100), indices, offsets])


def named(make: Callable[[str], Call], *names: str) -> dict[str, Callable[[], Call]]:
    return {name: lambda name=name: make(name) for name in names}


CALLS: dict[str, Callable[[], Call]] = {
    **cumsum_calls(),
    **named(
        jagged_call,
        "jagged_to_padded_dense",
        "dense_to_jagged",
        "jagged_to_padded_dense_backward",
        "jagged_dense_elementwise_add_jagged_output",
        "jagged_dense_elementwise_mul",
        "jagged_dense_elementwise_add",
        "jagged_dense_elementwise_mul_backward",
        "jagged_softmax",
        "jagged_softmax_backward",
        "batched_dense_vec_jagged_2d_mul",
        "batched_dense_vec_jagged_2d_mul_backward",
        "pack_segments",
        "pack_segments_v2",
        "pack_segments_backward",
    ),
    **named(
        sparse_call,
        "permute_2D_sparse_data",
        "permute_2D_sparse_data, sum given",
        "permute_1D_sparse_data",
        "block_bucketize_sparse_features",
        "offsets_range",
        "segment_sum_csr",
    ),
    "permute_pooled_embs": pooled_call,
    **named(
        quantize_call, "FloatOrHalfToFused8BitRowwiseQuantized", "Fused8BitRowwiseQuantizedToFloatOrHalf"
    ),
    **named(
        tbe_call,
        "tbe_forward",
        "tbe_forward, no weights",
        "tbe_forward, mean of float16",
        "tbe_forward, no pooling",
        "tbe_backward_dense",
        "tbe_backward_indice_weights",
        "tbe_backward_sgd_",
        "tbe_backward_rowwise_adagrad_",
    ),
    "int8_tbe_forward": int8_call,
    "bounds_check_indices": bounds_call,
}


def call_of(name: str) -> Call:
    """Skips the test if this flavor leaves out the operator."""
    if not hasattr(OPS, name.partition(",")[0]):
        pytest.skip(f"this build has no `{name}`")
    return CALLS[name]()


def flat(result: Any) -> list[Tensor]:
    """The tensors of a result, in order."""
    if isinstance(result, Tensor):
        return [result]
    return [tensor for each in result for tensor in flat(each)] if isinstance(result, (list, tuple)) else []


def assert_equal(got: Any, expected: Any) -> None:
    for one, other in zip(flat(got), flat(expected), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0, equal_nan=True)
