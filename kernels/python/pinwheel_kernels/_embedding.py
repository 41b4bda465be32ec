"""Lookups in several embedding tables at once ("TBE", table-batched embedding)."""

from __future__ import annotations

import torch
from torch import Tensor

from pinwheel_kernels._dtypes import OUTPUT_DTYPES
from pinwheel_kernels._register import shapes

_ops = torch.ops.pinwheel



def tbe_forward(
    weights: Tensor,
    weights_offsets: Tensor,
    D_offsets: Tensor,
    total_D: int,
    hash_size_cumsum: Tensor,
    indices: Tensor,
    offsets: Tensor,
    pooling_mode: int,
    indice_weights: Tensor | None = None,
    output_dtype: int = 0,
) -> Tensor:
    """Sums or means of bags of rows, from T tables for B samples in one call.

    weights: 1-D of float32, float16 or bfloat16: the rows of all tables. Table t has
        hash_size_cumsum[t+1] - hash_size_cumsum[t] rows of D_t = D_offsets[t+1] - D_offsets[t] elements,
        contiguous from element weights_offsets[t] on.
    weights_offsets: int64 [T].
    D_offsets: int32 or int64 [T + 1], from 0 to total_D.
    hash_size_cumsum: int64 [T + 1].
    indices, offsets: int32 or int64, of the same dtype. Bag (t, b) looks up the rows indices[offsets[t*B+b] :
        offsets[t*B+b+1]] of table t; offsets are [T*B + 1], start with 0 and never decrease.
    pooling_mode: 0 sum, 1 mean (of an empty bag: 0), 2 none.
    indice_weights: float32, one per index; its row is multiplied by it before pooling.
    output_dtype: 0 for float32, 1 for float16, 5 for bfloat16. Accumulation is in float32.

    Returns [B, total_D]: the columns from D_offsets[t] on are table t's. Without pooling [indices, D], one row
    per index (0 if no bag has it); all tables must then have the same number of columns. Differentiable (twice)
    in `weights`, where the gradient is dense, and in `indice_weights`.

    Raises RuntimeError on wrong shapes, dtypes or devices, and on the CPU on invalid offsets, tables outside
    `weights` and indices out of range for their table, if it has columns. On a GPU contents are not read back:
    an out-of-range index adds nothing (a mean still divides by the length of the bag), and an out-of-range bag
    or table is empty; if `D_offsets` does not cover 0 to `total_D`, elements of the result that belong to no
    table are uninitialized. Modeled on FBGEMM's forward operators.
    """
    return _ops.tbe_forward(
        weights,
        weights_offsets,
        D_offsets,
        total_D,
        hash_size_cumsum,
        indices,
        offsets,
        pooling_mode,
        indice_weights,
        output_dtype,
    )


def result_shape(
    total_D: int, weights_offsets: Tensor, indices: Tensor, offsets: Tensor, pooling_mode: int
) -> list[int]:
    """The shape of a lookup's result: one row per sample, or one row per index."""
    torch._check(pooling_mode in (0, 1, 2), lambda: "`pooling_mode` must be 0, 1 or 2")
    for name, tensor in (("weights_offsets", weights_offsets), ("indices", indices), ("offsets", offsets)):
        torch._check(tensor.dim() == 1, lambda name=name: f"`{name}` must be 1-D")
    tables = weights_offsets.shape[0]
    if pooling_mode == 2:
        return [indices.shape[0], total_D // tables if tables else 0]
    return [(offsets.shape[0] - 1) // tables if tables else 0, total_D]


@shapes("tbe_forward")
def _forward_fake(
    weights: Tensor,
    weights_offsets: Tensor,
    D_offsets: Tensor,
    total_D: int,
    hash_size_cumsum: Tensor,
    indices: Tensor,
    offsets: Tensor,
    pooling_mode: int,
    indice_weights: Tensor | None = None,
    output_dtype: int = 0,
) -> Tensor:
    torch._check(output_dtype in OUTPUT_DTYPES, lambda: "`output_dtype` must be 0, 1 or 5")
    shape = result_shape(total_D, weights_offsets, indices, offsets, pooling_mode)
    return weights.new_empty(shape, dtype=OUTPUT_DTYPES[output_dtype])
