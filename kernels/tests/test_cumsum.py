from __future__ import annotations

import random

import pytest
import torch
from reference import INDEX_DTYPES, complete_cumsum

import pinwheel_kernels as pk

OPS = [
    pk.asynchronous_exclusive_cumsum,
    pk.asynchronous_inclusive_cumsum,
    pk.asynchronous_complete_cumsum,
]
SLICE = {
    "asynchronous_exclusive_cumsum": slice(0, -1),
    "asynchronous_inclusive_cumsum": slice(1, None),
    "asynchronous_complete_cumsum": slice(None),
}
all_ops = pytest.mark.parametrize("op", OPS, ids=lambda op: op.__name__)


@all_ops
@pytest.mark.parametrize("dtype", INDEX_DTYPES)
@pytest.mark.parametrize("length", [0, 1, 2, 31, 32, 33, 1000, 4095, 4096, 4097])
def test_sums_match_a_loop(op, dtype, length, device, rng: random.Random):
    numbers = [rng.randint(-50, 1000) for _ in range(length)]
    got = op(torch.tensor(numbers, dtype=dtype, device=device))
    expected = complete_cumsum(numbers)[SLICE[op.__name__]]
    assert got.dtype == dtype
    assert got.tolist() == expected


@all_ops
@pytest.mark.parametrize("dtype", INDEX_DTYPES)
@pytest.mark.parametrize("length", [262_143, 1_000_003, 4_300_001])
def test_long_rows_that_are_split_agree_with_torch(op, dtype, length, device, rng):
    numbers = torch.randint(-9, 1000, (length,), dtype=dtype)
    sums = torch.cat([torch.zeros(1, dtype=dtype), numbers.cumsum(0, dtype=dtype)])
    assert torch.equal(op(numbers.to(device)).cpu(), sums[SLICE[op.__name__]])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_cpu_supports_floating_point_sums_too(dtype, rng):
    numbers = torch.rand(1000, dtype=dtype)
    torch.testing.assert_close(pk.asynchronous_inclusive_cumsum(numbers), numbers.cumsum(0))
    assert pk.asynchronous_complete_cumsum(numbers)[0] == 0


@pytest.mark.parametrize("dtype", INDEX_DTYPES)
@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (3, 0), (1, 1), (7, 33), (3, 5000)])
def test_complete_sums_each_row_of_a_matrix(dtype, shape, device, rng):
    numbers = torch.randint(0, 100, shape, dtype=dtype)
    got = pk.asynchronous_complete_cumsum(numbers.to(device)).cpu()
    assert got.shape == (shape[0], shape[1] + 1)
    assert got.tolist() == [complete_cumsum(row) for row in numbers.tolist()]


def test_sums_of_integers_wrap_around(device):
    numbers = torch.tensor([2**31 - 1, 1, 1], dtype=torch.int32, device=device)
    assert pk.asynchronous_inclusive_cumsum(numbers).tolist() == [2**31 - 1, -(2**31), -(2**31) + 1]


@all_ops
def test_non_contiguous_input_is_supported(op, device):
    numbers = torch.arange(20, dtype=torch.int64, device=device)
    assert torch.equal(op(numbers[::3]), op(numbers[::3].clone()))


@all_ops
@pytest.mark.parametrize("dtype", [torch.int8, torch.bool, torch.complex64])
def test_a_wrong_dtype_is_an_error_that_names_the_operator(op, dtype, device):
    with pytest.raises(RuntimeError, match=f"pinwheel::{op.__name__}: .*int32 or int64"):
        op(torch.zeros(3, dtype=dtype, device=device))


@all_ops
@pytest.mark.parametrize("shape", [(), (2, 2, 2)])
def test_a_wrong_rank_is_an_error_that_names_the_operator(op, shape, device):
    with pytest.raises(RuntimeError, match=f"pinwheel::{op.__name__}: .*must be 1-D"):
        op(torch.zeros(shape, dtype=torch.int64, device=device))


@all_ops
def test_the_operator_passes_opcheck(op, device):
    numbers = torch.arange(5, device=device)
    torch.library.opcheck(getattr(torch.ops.pinwheel, op.__name__).default, (numbers,))
