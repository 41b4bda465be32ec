from __future__ import annotations

import random

import pytest
import torch
from reference import INDEX_DTYPES, complete_cumsum

import pinwheel_kernels as pk

P = torch.ops.pinwheel
SUMMED = [
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.float64,
    torch.int32,
    torch.int64,
]


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("dtype", INDEX_DTYPES)
def test_every_segment_is_counted_from_0(dtype, complete, seed, device, rng: random.Random):
    longest = rng.choice([1, 3, 50])
    lengths = [rng.choice([0, rng.randint(0, longest)]) for _ in range(rng.randint(0, 40))]
    starts = complete_cumsum(lengths)
    offsets = torch.tensor(starts if complete else starts[:-1], dtype=dtype, device=device)
    got = pk.offsets_range(offsets, starts[-1])
    assert got.dtype == dtype
    assert got.tolist() == [k for length in lengths for k in range(length)]


def test_long_ranges_are_split_over_threads_correctly(device):
    lengths = torch.tensor([70_001, 0, 5, 200_000, 1])
    offsets = pk.asynchronous_exclusive_cumsum(lengths).to(device)
    expected = torch.cat([torch.arange(length) for length in lengths.tolist()])
    assert torch.equal(pk.offsets_range(offsets, int(lengths.sum())).cpu(), expected)


def test_many_short_segments_are_counted(device):
    lengths = torch.randint(0, 5, (50_000,))
    offsets = pk.asynchronous_complete_cumsum(lengths)
    expected = torch.arange(int(offsets[-1])) - offsets[:-1].repeat_interleave(lengths)
    assert torch.equal(pk.offsets_range(offsets.to(device), len(expected)).cpu(), expected)


def test_many_consecutive_empty_segments_are_skipped(device):
    lengths = torch.tensor(([1, 2] + [0] * 100) * 20 + [3])
    offsets = pk.asynchronous_complete_cumsum(lengths)
    expected = torch.arange(int(offsets[-1])) - offsets[:-1].repeat_interleave(lengths)
    assert torch.equal(pk.offsets_range(offsets.to(device), len(expected)).cpu(), expected)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("dtype", SUMMED, ids=str)
@pytest.mark.parametrize("index", INDEX_DTYPES)
def test_sums_match_slices(index, dtype, seed, device, rng: random.Random):
    batch = rng.randint(1, 3)
    longest = rng.choice([3, 100])
    lengths = [rng.randint(0, longest) for _ in range(rng.randint(0, 12))]
    before, behind = rng.choice([0, 2]), rng.choice([0, 3])
    offsets = [before + start for start in complete_cumsum(lengths)]
    size = offsets[-1] * batch + behind
    # Small integers: exact in every order and dtype.
    values = torch.randint(-2, 3, (size,)).to(dtype)
    expected = [
        values[a * batch : b * batch].double().sum().item()
        for a, b in zip(offsets[:-1], offsets[1:], strict=True)
    ]
    moved = torch.tensor(offsets, dtype=index, device=device)
    got = pk.segment_sum_csr(batch, moved, values.to(device))
    assert got.dtype == dtype
    assert got.tolist() == expected


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("length", [1, 15, 16, 17, 64, 1000, 5000])
def test_sums_of_many_numbers_are_close_to_exact_ones(length, dtype, device, rng):
    values = torch.rand(4 * length + 1).to(dtype)
    offsets = torch.tensor([0, length, 4 * length], device=device)
    got = pk.segment_sum_csr(1, offsets, values.to(device)).cpu().double()
    exact = torch.stack([values[:length].double().sum(), values[length : 4 * length].double().sum()])
    tolerance = {torch.float16: 1e-3, torch.bfloat16: 8e-3}.get(dtype, 1e-6)
    torch.testing.assert_close(got, exact, rtol=tolerance, atol=0)


def test_sums_of_integers_wrap_around(device):
    values = torch.tensor([2**31 - 1, 1, 5], dtype=torch.int32, device=device)
    assert pk.segment_sum_csr(1, torch.tensor([0, 2, 3], device=device), values).tolist() == [-(2**31), 5]


@pytest.mark.parametrize("index", INDEX_DTYPES)
def test_an_empty_batch_has_empty_segments(index, device):
    starts = torch.tensor([0, 2, 3], dtype=index, device=device)
    values = torch.zeros(0, device=device, requires_grad=True)
    assert pk.segment_sum_csr(0, starts[:1], values).shape == (0,)
    sums = pk.segment_sum_csr(0, starts, values)
    assert sums.tolist() == [0, 0]
    sums.sum().backward()
    assert values.grad.shape == (0,)
    assert pk.segment_sum_csr(0, starts, torch.ones(6, device=device)).tolist() == [0, 0]


def test_non_contiguous_input_is_supported(device):
    offsets = torch.tensor([0, 9, 2, 9, 3], device=device)[::2]
    values = torch.arange(12.0, device=device)[::2]
    assert pk.segment_sum_csr(2, offsets, values).tolist() == [0 + 2 + 4 + 6, 8 + 10]
    assert pk.offsets_range(offsets, 4).tolist() == [0, 1, 0, 0]


STARTS = torch.tensor([0, 2, 3])
BAD_RANGES = {
    "offsets of rank 2": (STARTS[None], 3, "`offsets` must be 1-D"),
    "offsets of a float dtype": (STARTS.float(), 3, "int32 or int64, not Float"),
    "a negative size": (STARTS, -1, "`range_size` is negative"),
    "a size without segments": (STARTS[:0], 3, "`offsets` is empty but `range_size` is 3"),
}
CPU_ONLY_BAD_RANGES = {
    "decreasing offsets": (torch.tensor([0, 3, 2]), 3, "decreases at position 2, from 3 to 2"),
    "offsets past the end": (STARTS, 2, "`offsets.2.` is 3, more than 2"),
    "a negative offset": (STARTS - 1, 3, "`offsets.0.` is -1"),
    "offsets that start late": (STARTS + 1, 5, "`offsets.0.` must be 0, not 1"),
}
VALUES = torch.zeros(6)
BAD_SUMS = {
    "a negative batch": (-1, STARTS, VALUES, "`batch_size` is negative: -1"),
    "offsets of rank 2": (2, STARTS[None], VALUES, "`csr_seg` must be 1-D"),
    "empty offsets": (2, STARTS[:0], VALUES, "at least one element"),
    "offsets of a float dtype": (2, STARTS.float(), VALUES, "int32 or int64, not Float"),
    "values of rank 2": (2, STARTS, VALUES[None], "`values` must be 1-D"),
    "values of another dtype": (2, STARTS, VALUES.bool(), "`values` must hold .*, not Bool"),
}
CPU_ONLY_BAD_SUMS = {
    "decreasing offsets": (2, torch.tensor([0, 3, 2]), VALUES, "decreases at position 2"),
    "offsets past the end": (3, STARTS, VALUES, "`csr_seg.2.` is 3, more than 2"),
    "a negative offset": (2, STARTS - 1, VALUES, "`csr_seg.0.` is -1"),
}


@pytest.mark.parametrize("case", BAD_RANGES)
def test_bad_ranges_are_an_error_that_names_the_operator(case, device):
    offsets, size, message = BAD_RANGES[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::offsets_range: .*{message}"):
        pk.offsets_range(offsets.to(device), size)


@pytest.mark.parametrize("case", CPU_ONLY_BAD_RANGES)
def test_bad_starts_are_an_error_on_the_cpu(case):
    offsets, size, message = CPU_ONLY_BAD_RANGES[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::offsets_range: .*{message}"):
        pk.offsets_range(offsets, size)


@pytest.mark.parametrize("case", BAD_SUMS)
def test_bad_sums_are_an_error_that_names_the_operator(case, device):
    batch, offsets, values, message = BAD_SUMS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::segment_sum_csr: .*{message}"):
        pk.segment_sum_csr(batch, offsets.to(device), values.to(device))


@pytest.mark.parametrize("case", CPU_ONLY_BAD_SUMS)
def test_bad_segments_are_an_error_on_the_cpu(case):
    batch, offsets, values, message = CPU_ONLY_BAD_SUMS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::segment_sum_csr: .*{message}"):
        pk.segment_sum_csr(batch, offsets, values)


def test_the_operators_pass_opcheck(device):
    starts = STARTS.to(device)
    torch.library.opcheck(P.offsets_range.default, (starts, 5))
    torch.library.opcheck(P.segment_sum_csr.default, (2, starts, VALUES.to(device)))


def test_a_compiled_function_gives_the_same(device):
    def both(lengths: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        offsets = pk.asynchronous_complete_cumsum(lengths)
        return pk.offsets_range(offsets, values.shape[0]), pk.segment_sum_csr(1, offsets, values)

    compiled = torch.compile(both, backend="eager", fullgraph=True, dynamic=True)
    for lengths in ([1, 0, 3], [2, 5]):
        arguments = (torch.tensor(lengths, device=device), torch.rand(sum(lengths), device=device))
        for got, expected in zip(compiled(*arguments), both(*arguments), strict=True):
            assert torch.equal(got, expected)


@pytest.mark.parametrize("index", INDEX_DTYPES)
def test_gradients_of_sums_agree_with_finite_differences(index, device):
    # An empty segment at each end and in the middle, and values that belong to no segment.
    offsets = torch.tensor([1, 1, 2, 2, 4, 4], dtype=index, device=device)
    values = torch.randn(10, dtype=torch.float64, device=device, requires_grad=True)
    assert torch.autograd.gradcheck(lambda v: pk.segment_sum_csr(2, offsets, v), values)
    assert torch.autograd.gradgradcheck(lambda v: pk.segment_sum_csr(2, offsets, v).square(), values)
    sums = pk.segment_sum_csr(2, offsets, values)
    (gradient,) = torch.autograd.grad(sums, values, torch.arange(5.0, device=device).double())
    assert gradient.tolist() == [0, 0, 1, 1, 3, 3, 3, 3, 0, 0]
    torch.library.opcheck(P.segment_sum_csr.default, (2, offsets, values))
