from __future__ import annotations

import pytest
import torch
from reference import quantize_row

import pinwheel_kernels as pk
from pinwheel_kernels._register import is_on_cpu

FLOATS = [torch.float32, torch.float16, torch.bfloat16]
CODE_OF = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 5}


def parameters(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    both = rows[..., -8:].clone(memory_format=torch.contiguous_format).view(torch.float32)
    return both[..., 0], both[..., 1]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 7, 16, 17, 64, 100])
@pytest.mark.parametrize("rows", [1, 5])
def test_codes_scale_and_bias_match_the_formula(rows, columns, dtype, device, rng):
    numbers = torch.randn(rows, columns).to(dtype)
    got = pk.FloatOrHalfToFused8BitRowwiseQuantized(numbers.to(device)).cpu()
    padded = columns if is_on_cpu(numbers.to(device)) else (columns + 3) // 4 * 4
    assert got.shape == (rows, padded + 8)
    assert got.dtype == torch.uint8
    scales, biases = parameters(got)
    for row in range(rows):
        codes, scale, bias = quantize_row(numbers[row].tolist())
        assert biases[row].item() == bias
        assert scales[row].item() == pytest.approx(scale, rel=1e-6)
        difference = got[row, :columns].int() - torch.tensor(codes, dtype=torch.int32)
        assert difference.abs().max() <= 1
        # Off by one only if the double-precision quotient is near a tie.
        assert (difference != 0).sum() <= columns // 16 + 1
        assert not got[row, columns:padded].any()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_the_round_trip_error_is_at_most_half_a_scale(dtype, device, rng):
    numbers = (torch.rand(40, 64) * 20 - 10).to(dtype).to(device)
    coded = pk.FloatOrHalfToFused8BitRowwiseQuantized(numbers)
    back = pk.Fused8BitRowwiseQuantizedToFloatOrHalf(coded)
    scales, _ = parameters(coded)
    error = (back - numbers.float()).abs()
    assert back.dtype == torch.float32
    assert bool((error <= 0.501 * scales[:, None] + 1e-5).all())


def test_the_round_trip_of_a_constant_row_is_exact(device):
    numbers = torch.tensor([[3.25] * 8, [0.0] * 8, [-1e30] * 8], device=device)
    coded = pk.FloatOrHalfToFused8BitRowwiseQuantized(numbers)
    assert torch.equal(pk.Fused8BitRowwiseQuantizedToFloatOrHalf(coded), numbers)


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (0, 0), (2, 3, 5), (2, 0, 4)])
def test_leading_dimensions_and_empty_rows_are_kept(shape, device):
    numbers = torch.rand(shape, device=device)
    coded = pk.FloatOrHalfToFused8BitRowwiseQuantized(numbers)
    assert coded.shape[:-1] == numbers.shape[:-1]
    back = pk.Fused8BitRowwiseQuantizedToFloatOrHalf(coded)
    assert back.shape == (*shape[:-1], coded.shape[-1] - 8)


def test_rows_with_nan_and_infinities_are_harmless(device):
    numbers = torch.tensor(
        [[1.0, float("nan"), 2.0], [float("inf"), 0.0, -float("inf")]], device=device
    )
    coded = pk.FloatOrHalfToFused8BitRowwiseQuantized(
        torch.cat([numbers, torch.ones(1, 3, device=device)])
    )
    back = pk.Fused8BitRowwiseQuantizedToFloatOrHalf(coded)
    assert torch.equal(back[2, :3].cpu(), torch.ones(3))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("columns", [0, 1, 5, 16, 33])
def test_every_layout_and_output_dtype_is_read(columns, wide, last, dtype, device, rng):
    codes = torch.randint(0, 256, (6, columns), dtype=torch.uint8)
    stored = torch.float32 if wide else torch.float16
    both = (torch.rand(6, 2) * 4 - 2).to(stored)
    raw = both.view(torch.uint8)
    rows = torch.cat([codes, raw] if last else [raw, codes], dim=1)
    got = pk.Fused8BitRowwiseQuantizedToFloatOrHalf(rows.to(device), CODE_OF[dtype], last, wide)
    exact = codes.double() * both[:, :1].double() + both[:, 1:].double()
    assert got.dtype == dtype
    tolerance = {torch.float32: 1e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}[dtype]
    torch.testing.assert_close(got.cpu().double(), exact, rtol=tolerance, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_all_16_bit_numbers_are_converted_as_in_torch(dtype, device):
    """One value per row: its bias is the value itself as float32, which rounds back to it."""
    everything = torch.arange(-(2**15), 2**15).to(torch.int16).view(dtype)
    finite = everything[everything.isfinite()].to(device)
    coded = pk.FloatOrHalfToFused8BitRowwiseQuantized(finite[:, None])
    _, biases = parameters(coded)
    assert torch.equal(biases, finite.float())
    back = pk.Fused8BitRowwiseQuantizedToFloatOrHalf(coded, CODE_OF[dtype])[:, 0]
    assert torch.equal(back, finite)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_float32_is_rounded_to_16_bits_as_in_torch(dtype, device):
    """Rows with a single code, 0: the result is the rounded bias."""
    bits = torch.randint(-(2**31), 2**31 - 1, (100_000,), dtype=torch.int64).to(torch.int32)
    near_ties = (torch.arange(-(2**15), 2**15) * 2**13 + 2**12).to(torch.int32)
    numbers = torch.cat([bits, near_ties, near_ties + 1, near_ties - 1]).view(torch.float32)
    numbers = torch.cat([numbers, torch.rand(20_000) * 1e-7, torch.rand(20_000) * 1e-4])
    parameters_ = torch.stack([torch.zeros_like(numbers), numbers], dim=1).view(torch.uint8)
    rows = torch.cat([torch.zeros(len(numbers), 1, dtype=torch.uint8), parameters_], dim=1)
    got = pk.Fused8BitRowwiseQuantizedToFloatOrHalf(rows.to(device), CODE_OF[dtype])[:, 0].cpu()
    torch.testing.assert_close(got, numbers.to(dtype), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize(
    ("t", "message"),
    [
        (torch.rand(3), "at least 2 dimensions"),
        (torch.rand(3, 3, dtype=torch.float64), "not Double"),
        (torch.zeros(3, 3, dtype=torch.int32), "not Int"),
    ],
)
def test_invalid_values_are_an_error(t, message, device):
    with pytest.raises(RuntimeError, match=f"FloatOrHalfToFused8BitRowwiseQuantized: .*{message}"):
        pk.FloatOrHalfToFused8BitRowwiseQuantized(t.to(device))


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (torch.zeros(9, dtype=torch.uint8), {}, "at least 2 dimensions"),
        (torch.zeros(2, 9), {}, "must hold uint8, not Float"),
        (torch.zeros(2, 7, dtype=torch.uint8), {}, "at least 8 bytes"),
        (
            torch.zeros(2, 3, dtype=torch.uint8),
            {"quant_padding_float_type": False},
            "at least 4 bytes",
        ),
        (torch.zeros(2, 9, dtype=torch.uint8), {"output_dtype": 2}, "must be 0 .* not 2"),
    ],
)
def test_invalid_codes_are_an_error(rows, options, message, device):
    with pytest.raises(RuntimeError, match=f"Fused8BitRowwiseQuantizedToFloatOrHalf: .*{message}"):
        pk.Fused8BitRowwiseQuantizedToFloatOrHalf(rows.to(device), **options)


def test_the_operators_pass_opcheck(device):
    numbers = torch.rand(3, 5, device=device)
    quantize = torch.ops.pinwheel.FloatOrHalfToFused8BitRowwiseQuantized
    torch.library.opcheck(quantize.default, (numbers,))
    dequantize = torch.ops.pinwheel.Fused8BitRowwiseQuantizedToFloatOrHalf
    torch.library.opcheck(dequantize.default, (quantize(numbers), 1))
