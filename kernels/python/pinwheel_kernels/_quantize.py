"""Rows of 8-bit codes that carry their own scale and bias."""

from __future__ import annotations

import torch
from torch import Tensor

from pinwheel_kernels._dtypes import OUTPUT_DTYPES
from pinwheel_kernels._register import is_on_cpu, shapes

_ops = torch.ops.pinwheel



def FloatOrHalfToFused8BitRowwiseQuantized(t: Tensor) -> Tensor:
    """Codes each row of `t` in 8 bits: `number = code * scale + bias`.

    t: [..., D] of float32, float16 or bfloat16, with at least 2 dimensions.

    Returns uint8 [..., P + 8]: D codes, then scale and bias as float32, with bias = the row's minimum and
    scale = (maximum - minimum) / 255. P is D on the CPU; on a GPU it is D rounded up to a multiple of 4, and
    the codes in between are 0. Numbers come back to within half a scale, and float32's rounding, where the
    range is from 1e-5 to float32's largest number. In a smaller range codes are smaller, down to 0, because
    255 is divided by the range + 1e-8, as on FBGEMM's CPU. Rows of a larger range, and such as hold NaN or
    infinities, get some codes.

    Raises RuntimeError on another rank or dtype. Not differentiable. After FBGEMM's operator.
    """
    return _ops.FloatOrHalfToFused8BitRowwiseQuantized(t)


def Fused8BitRowwiseQuantizedToFloatOrHalf(
    input: Tensor,
    output_dtype: int = 0,
    scale_bias_last: bool = True,
    quant_padding_float_type: bool = True,
) -> Tensor:
    """The numbers that rows of 8-bit codes stand for.

    input: uint8 [..., P + parameters], with at least 2 dimensions.
    output_dtype: 0 for float32, 1 for float16, 5 for bfloat16.
    scale_bias_last: scale and bias lie behind the codes, else before them.
    quant_padding_float_type: scale and bias are float32 (8 bytes together), else float16 (4 bytes).

    Returns [..., P]; on a GPU that includes the padding of the quantising operator.

    Raises RuntimeError on another rank or dtype and on rows without room for the parameters. Not
    differentiable. After FBGEMM's operator.
    """
    return _ops.Fused8BitRowwiseQuantizedToFloatOrHalf(
        input, output_dtype, scale_bias_last, quant_padding_float_type
    )


@shapes("FloatOrHalfToFused8BitRowwiseQuantized")
def _quantize_fake(t: Tensor) -> Tensor:
    torch._check(t.dim() >= 2, lambda: "`t` must have at least 2 dimensions")
    codes = t.shape[-1] if is_on_cpu(t) else (t.shape[-1] + 3) // 4 * 4
    return t.new_empty([*t.shape[:-1], codes + 8], dtype=torch.uint8)


@shapes("Fused8BitRowwiseQuantizedToFloatOrHalf")
def _dequantize_fake(
    input: Tensor,
    output_dtype: int = 0,
    scale_bias_last: bool = True,
    quant_padding_float_type: bool = True,
) -> Tensor:
    torch._check(input.dim() >= 2, lambda: "`input` must have at least 2 dimensions")
    torch._check(output_dtype in OUTPUT_DTYPES, lambda: "`output_dtype` must be 0, 1 or 5")
    columns = input.shape[-1] - (8 if quant_padding_float_type else 4)
    return input.new_empty([*input.shape[:-1], columns], dtype=OUTPUT_DTYPES[output_dtype])
