from __future__ import annotations

import random

import pytest
import torch
from reference import INDEX_DTYPES, random_jagged

import pinwheel_kernels as pk

P = torch.ops.pinwheel
FLOATS = [torch.float32, torch.float16, torch.bfloat16, torch.float64]
TOLERANCE = {
    torch.float32: 2e-6,
    torch.float16: 1e-3,
    torch.bfloat16: 8e-3,
    torch.float64: 1e-13,
}


def softmax_of_a_loop(values: torch.Tensor, offsets: torch.Tensor, max_length: int) -> torch.Tensor:
    parts, at = [], 0
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        length = min(end - begin, max_length)
        parts.append(values[begin : begin + length].softmax(0))
        parts.append(torch.zeros_like(values[begin + length : end]))
        at = end
    return torch.cat([values[:0], *parts, torch.zeros_like(values[at:])])


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("index", INDEX_DTYPES)
def test_columns_of_groups_match_torch(index, dtype, seed, device, rng: random.Random):
    longest = rng.choice([3, 9, 40])
    offsets, rows = random_jagged(rng, 1, rng.randint(0, 6), longest, index)
    values = (torch.randn(rows + rng.choice([0, 2]), rng.choice([0, 1, 2, 5, 16, 33])) * 5).to(dtype)
    max_length = rng.randint(0, longest + 2)
    exact = values.double().requires_grad_()
    expected = softmax_of_a_loop(exact, offsets[0], max_length)
    moved = values.to(device).requires_grad_()
    moved_offsets = offsets[0].to(device)
    got, offsets_back = pk.jagged_softmax(moved, moved_offsets, max_length)
    assert got.dtype == dtype and offsets_back is moved_offsets
    tolerance = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    torch.testing.assert_close(got.cpu().double(), expected, **tolerance)
    gradient = torch.randn(values.shape).to(dtype)
    (d_values,) = torch.autograd.grad(got, moved, gradient.to(device))
    (exact_d,) = torch.autograd.grad(expected, exact, gradient.double())
    wide = {"rtol": 20 * TOLERANCE[dtype], "atol": 4 * TOLERANCE[dtype]}
    torch.testing.assert_close(d_values.cpu().double(), exact_d, **wide)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("columns", [1, 3, 20])
def test_exponentials_are_accurate_from_the_smallest_to_1(columns, dtype, device):
    below = torch.linspace(0, -110, 2000, dtype=torch.float64).to(dtype)
    values = below[:, None].repeat(1, columns)
    offsets = torch.tensor([0, 2000], device=device)
    got = pk.jagged_softmax(values.to(device), offsets, 2000)[0].cpu().double()
    exact = values.double().softmax(0)
    normal = exact > 1e-37
    # Mostly the error of summing 2000 numbers.
    tolerance = 1e-6 if dtype == torch.float32 else 2e-14
    assert ((got - exact).abs() / exact)[normal].max() < tolerance
    torch.testing.assert_close(got[~normal], exact[~normal], rtol=0, atol=1e-43)


def test_exponentials_of_doubles_reach_down_to_the_smallest(device):
    below = torch.tensor([0.0, -1e-300, -0.5, -700.0, -744.0, -746.0, -1e9], dtype=torch.float64)
    got = pk.jagged_softmax(below[:, None].to(device), torch.tensor([0, 7], device=device), 7)[0]
    torch.testing.assert_close(got.cpu()[:, 0], below.softmax(0), rtol=1e-15, atol=5e-324)


@pytest.mark.parametrize("columns", [1, 3, 4])
def test_large_numbers_and_infinities_are_as_in_torch(columns, device):
    inf = float("inf")
    column = torch.tensor([-inf, 5.0, -inf, 4.0, 3e38, 3e38, -3e38, -inf, -inf, inf, 1.0])
    values = column[:, None].repeat(1, columns)
    offsets = torch.tensor([0, 4, 7, 9, 11])
    got = pk.jagged_softmax(values.to(device), offsets.to(device), 4)[0].cpu()
    expected = softmax_of_a_loop(values, offsets, 4)
    torch.testing.assert_close(got, expected, equal_nan=True)


@pytest.mark.parametrize("columns", [1, 2])
def test_gradients_agree_with_finite_differences(columns, device, rng):
    offsets = torch.tensor([0, 3, 3, 7], device=device)
    values = torch.randn(8, columns, dtype=torch.float64, device=device).requires_grad_()

    def softmax(v: torch.Tensor) -> torch.Tensor:
        return pk.jagged_softmax(v, offsets, 3)[0]

    assert torch.autograd.gradcheck(softmax, (values,))
    assert torch.autograd.gradgradcheck(softmax, (values,))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_larger_tensor_agrees_with_its_padded_form(dtype, device):
    lengths = torch.randint(0, 90, (700,))
    offsets = pk.asynchronous_complete_cumsum(lengths)
    values = torch.randn(int(lengths.sum()), 24).to(dtype)
    dense = pk.jagged_to_padded_dense(values.double(), [offsets], [70], -float("inf"))
    expected, _ = pk.dense_to_jagged(dense.softmax(1), [offsets])
    got = pk.jagged_softmax(values.to(device), offsets.to(device), 70)[0].cpu().double()
    tolerance = TOLERANCE[dtype]
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def test_non_contiguous_input_is_supported(device):
    values = torch.randn(2, 5, device=device).t()
    offsets = torch.tensor([0, 9, 2, 9, 5], device=device)[::2]
    got = pk.jagged_softmax(values, offsets, 4)[0]
    assert torch.equal(got, pk.jagged_softmax(values.contiguous(), offsets, 4)[0])


OFFSETS = torch.tensor([0, 2, 3])
VALUES = torch.zeros(3, 2)
BAD_CALLS = {
    "values of rank 1": (VALUES[0], OFFSETS, 2, "`values` must be 2-D"),
    "integers": (VALUES.int(), OFFSETS, 2, "`values` must hold float32.* not Int"),
    "a negative length": (VALUES, OFFSETS, -1, "a maximum length is negative"),
    "offsets of a float dtype": (VALUES, OFFSETS.float(), 2, "int32 or int64, not Float"),
    "empty offsets": (VALUES, OFFSETS[:0], 2, "at least one element"),
}
CPU_ONLY_BAD_CALLS = {
    "decreasing offsets": (VALUES, torch.tensor([0, 3, 2]), 2, "decreases at position 2"),
    "offsets past the values": (VALUES, torch.tensor([0, 2, 4]), 2, "only 3 rows"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_input_is_an_error_that_names_the_operator(case, device):
    values, offsets, length, message = BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::jagged_softmax: .*{message}"):
        pk.jagged_softmax(values.to(device), offsets.to(device), length)


@pytest.mark.parametrize("case", CPU_ONLY_BAD_CALLS)
def test_bad_contents_are_an_error_on_the_cpu(case):
    values, offsets, length, message = CPU_ONLY_BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::jagged_softmax: .*{message}"):
        pk.jagged_softmax(values, offsets, length)


def test_a_gradient_of_a_wrong_shape_is_an_error():
    with pytest.raises(RuntimeError, match="softmax_backward: `grad_output` must have the shape"):
        P.jagged_softmax_backward(VALUES[:2], VALUES, OFFSETS, 2)


def test_the_operators_pass_opcheck(device):
    values = torch.randn(3, 2, device=device, requires_grad=True)
    gradient = torch.randn(3, 2, device=device, requires_grad=True)
    offsets = OFFSETS.to(device)
    torch.library.opcheck(P.jagged_softmax.default, (values, offsets, 2))
    torch.library.opcheck(P.jagged_softmax_forward.default, (values, offsets, 2))
    torch.library.opcheck(P.jagged_softmax_backward.default, (gradient, values, offsets, 2))


def test_a_compiled_function_gives_the_same_and_has_gradients(device):
    def loss(values: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        return P.jagged_softmax(values, offsets, 3)[0].square().sum()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True, dynamic=True)
    for rows in (3, 6):
        values = torch.randn(rows, 2, device=device, requires_grad=True)
        offsets = torch.tensor([0, 2, rows], device=device)
        (expected,) = torch.autograd.grad(loss(values, offsets), values)
        (got,) = torch.autograd.grad(compiled(values, offsets), values)
        torch.testing.assert_close(got, expected)
