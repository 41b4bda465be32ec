"""Lookups in embedding tables of 8-bit codes."""

from __future__ import annotations

import torch
from torch import Tensor

from pinwheel_kernels._dtypes import OUTPUT_DTYPES
from pinwheel_kernels._embedding import result_shape
from pinwheel_kernels._register import shapes

_ops = torch.ops.pinwheel


def int8_tbe_forward(
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
    scale_bias_last: bool = True,
    quant_padding_float_type: bool = True,
    row_alignment: int = 1,
) -> Tensor:
    """As `tbe_forward`, for tables whose rows are 8-bit codes: each value is code * scale + bias of its row.

    weights: uint8, 1-D; weights_offsets are in bytes. A row of table t has D_t codes and the scale and bias,
        rounded up to a multiple of `row_alignment` bytes.
    scale_bias_last: scale and bias are the last bytes of a row, otherwise the first.
    quant_padding_float_type: they are float32 (8 bytes together), otherwise float16 (4 bytes).
    row_alignment: between 1 and 2^20.
    indices: -1 is a pruned row: it adds nothing, but counts in the length of its bag.

    The defaults match the rows of `FloatOrHalfToFused8BitRowwiseQuantized` on the CPU; its rows on a GPU have
    row_alignment 4. FBGEMM's inference tables are (False, False, 1 on the CPU or 16 on a GPU).

    Results, other arguments and errors are those of `tbe_forward`. Not differentiable. Modeled on FBGEMM's
    operator.
    """
    return _ops.int8_tbe_forward(
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
        scale_bias_last,
        quant_padding_float_type,
        row_alignment,
    )


@shapes("int8_tbe_forward")
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
    scale_bias_last: bool = True,
    quant_padding_float_type: bool = True,
    row_alignment: int = 1,
) -> Tensor:
    torch._check(output_dtype in OUTPUT_DTYPES, lambda: "`output_dtype` must be 0, 1 or 5")
    shape = result_shape(total_D, weights_offsets, indices, offsets, pooling_mode)
    return weights.new_empty(shape, dtype=OUTPUT_DTYPES[output_dtype])
