"""Rows of 8-bit codes with their own scale and bias."""

from __future__ import annotations

import torch
from torch import Tensor

from pinwheel_kernels._dtypes import OUTPUT_DTYPES
from pinwheel_kernels._register import is_on_cpu, shapes

_ops = torch.ops.pinwheel



def FloatOrHalfToFused8BitRowwiseQuantized(t: Tensor) -> Tensor:
    """Quantizes each row of `t` to 8 bits: `value = code * scale + bias`.

    t: [..., D] of float32, float16 or bfloat16, with at least 2 dimensions.

    Returns uint8 [..., P + 8]: D codes, then scale and bias as float32, with bias = the row's minimum and
    scale = (maximum - minimum) / 255. P is D on the CPU; on a GPU it is D rounded up to a multiple of 4, and
    the codes in between are 0. The round-trip error is at most half a scale, plus float32 rounding, if the
    range is between 1e-5 and the largest float32. In a smaller range codes are smaller, down to 0, because 255
    is divided by the range + 1e-8, as on FBGEMM's CPU. Rows with a larger range, NaN or infinities get
    arbitrary codes.

    Raises RuntimeError on a wrong rank or dtype. Not differentiable. Modeled on FBGEMM's operator.
    """
    return _ops.FloatOrHalfToFused8BitRowwiseQuantized(t)


def Fused8BitRowwiseQuantizedToFloatOrHalf(
    input: Tensor,
    output_dtype: int = 0,
    scale_bias_last: bool = True,
    quant_padding_float_type: bool = True,
) -> Tensor:
    """Dequantizes rows of 8-bit codes.

    input: uint8 [..., P + parameters], with at least 2 dimensions.
    output_dtype: 0 for float32, 1 for float16, 5 for bfloat16.
    scale_bias_last: scale and bias follow the codes, otherwise precede them.
    quant_padding_float_type: scale and bias are float32 (8 bytes together), otherwise float16 (4 bytes).

    Returns [..., P]; on a GPU that includes the padding of the quantizing operator.

    Raises RuntimeError on a wrong rank or dtype and on rows too short for scale and bias. Not differentiable.
    Modeled on FBGEMM's operator.
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
