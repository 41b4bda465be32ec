from __future__ import annotations

import random

import pytest
import torch
from reference import INDEX_DTYPES, random_jagged

import pinwheel_kernels as pk

P = torch.ops.pinwheel
FLOATS = [torch.float32, torch.float16, torch.bfloat16, torch.float64]
TOLERANCE = {
    torch.float32: 1e-5,
    torch.float16: 2e-3,
    torch.bfloat16: 1.6e-2,
    torch.float64: 1e-12,
}


def padded(values: torch.Tensor, offsets: torch.Tensor, max_length: int) -> torch.Tensor:
    """[B, max_L, H * D] in plain torch, differentiable."""
    groups = []
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        rows = values[begin : min(end, begin + max_length)]
        rest = values.new_zeros(max_length - len(rows), values.shape[1])
        groups.append(torch.cat([rows, rest]))
    return torch.stack(groups) if groups else values.new_zeros(0, max_length, values.shape[1])


def product_of_a_loop(v: torch.Tensor, values: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    groups = offsets.numel() - 1
    heads = v.shape[0] // groups if groups else 1
    columns = values.shape[1] // heads
    dense = padded(values, offsets, v.shape[1]).view(groups, v.shape[1], heads, columns)
    weights = v.view(groups, heads, v.shape[1])
    return torch.einsum("bhl,blhd->bhd", weights, dense).reshape(groups * heads, columns)


def random_case(rng: random.Random, index: torch.dtype, dtype: torch.dtype):
    offsets, rows = random_jagged(rng, 1, rng.randint(0, 6), 9, index)
    groups = offsets[0].numel() - 1
    heads, columns = rng.randint(1, 3), rng.choice([0, 1, 3, 8, 16, 33, 64, 80])
    if groups == 0:
        heads = 1
    v = torch.randn(groups * heads, rng.randint(0, 10)).to(dtype)
    return v, torch.randn(rows + rng.choice([0, 2]), heads * columns).to(dtype), offsets[0]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("index", INDEX_DTYPES)
def test_products_and_gradients_match_torch(index, dtype, seed, device, rng):
    v, values, offsets = random_case(rng, index, dtype)
    exact_v, exact = v.double().requires_grad_(), values.double().requires_grad_()
    expected = product_of_a_loop(exact_v, exact, offsets)
    v = v.to(device).requires_grad_()
    values = values.to(device).requires_grad_()
    got = pk.batched_dense_vec_jagged_2d_mul(v, values, offsets.to(device))
    assert got.dtype == dtype
    close = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    torch.testing.assert_close(got.cpu().double(), expected, **close)
    gradient = torch.randn(got.shape).to(dtype)
    d_v, d_values = torch.autograd.grad(got, (v, values), gradient.to(device))
    exact_d_v, exact_d_values = torch.autograd.grad(
        expected, (exact_v, exact), gradient.double(), allow_unused=True, materialize_grads=True
    )
    torch.testing.assert_close(d_v.cpu().double(), exact_d_v, **close)
    torch.testing.assert_close(d_values.cpu().double(), exact_d_values, **close)


def test_infinities_outside_the_used_elements_are_harmless(device):
    """Truncated rows, weights past a group's last row and adjacent memory are ignored."""
    offsets = torch.tensor([0, 3, 4], device=device)
    values = torch.tensor([[1.0], [2.0], [float("inf")], [3.0]], device=device)
    v = torch.tensor([[1.0, 10.0], [5.0, float("nan")]], device=device)
    assert pk.batched_dense_vec_jagged_2d_mul(v, values, offsets).tolist() == [[21], [15]]


@pytest.mark.parametrize("heads", [1, 2])
def test_gradients_agree_with_finite_differences(heads, device, rng):
    offsets = torch.tensor([0, 2, 2, 5], device=device)
    v = torch.randn(3 * heads, 2, dtype=torch.float64, device=device).requires_grad_()
    values = torch.randn(6, heads * 3, dtype=torch.float64, device=device).requires_grad_()

    def product(v: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return pk.batched_dense_vec_jagged_2d_mul(v, values, offsets)

    assert torch.autograd.gradcheck(product, (v, values))
    assert torch.autograd.gradgradcheck(product, (v, values))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_larger_tensor_agrees_with_its_padded_form(dtype, device):
    lengths = torch.randint(0, 30, (500,))
    offsets = pk.asynchronous_complete_cumsum(lengths)
    values = torch.randn(int(lengths.sum()), 2 * 72).to(dtype)
    v = torch.randn(1000, 25).to(dtype)
    got = pk.batched_dense_vec_jagged_2d_mul(v.to(device), values.to(device), offsets.to(device))
    expected = product_of_a_loop(v.double(), values.double(), offsets)
    tolerance = 4 * TOLERANCE[dtype]
    torch.testing.assert_close(got.cpu().double(), expected, rtol=tolerance, atol=tolerance)


def test_non_contiguous_input_is_supported(device):
    v = torch.arange(6.0, device=device).view(3, 2).t()
    values = torch.arange(12.0, device=device).view(4, 3).t()
    offsets = torch.tensor([0, 9, 2, 9, 3], device=device)[::2]
    got = pk.batched_dense_vec_jagged_2d_mul(v, values, offsets)
    again = pk.batched_dense_vec_jagged_2d_mul(v.contiguous(), values.contiguous(), offsets)
    assert torch.equal(got, again)


V = torch.zeros(4, 3)
VALUES = torch.zeros(5, 4)
OFFSETS = torch.tensor([0, 2, 5])
BAD_CALLS = {
    "vectors of rank 1": (V[0], VALUES, OFFSETS, "`v` must be 2-D"),
    "values of rank 1": (V, VALUES[0], OFFSETS, "`a_values` must be 2-D"),
    "another dtype": (V, VALUES.half(), OFFSETS, "`a_values` must hold Float .* not Half"),
    "integers": (V.int(), VALUES.int(), OFFSETS, "`v` must hold float32.* not Int"),
    "vectors that no head has": (V[:3], VALUES, OFFSETS, "3 rows, which is not a multiple of the 2"),
    "columns that no head has": (V, VALUES[:, :3], OFFSETS, "divided among 2 heads"),
    "offsets of a float dtype": (V, VALUES, OFFSETS.float(), "int32 or int64, not Float"),
    "empty offsets": (V, VALUES, OFFSETS[:0], "at least one element"),
}
CPU_ONLY_BAD_CALLS = {
    "decreasing offsets": (V, VALUES, torch.tensor([0, 3, 2]), "decreases at position 2"),
    "offsets past the values": (V, VALUES, OFFSETS + torch.tensor([0, 0, 1]), "only 5 rows"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_input_is_an_error_that_names_the_operator(case, device):
    v, values, offsets, message = BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"batched_dense_vec_jagged_2d_mul: .*{message}"):
        pk.batched_dense_vec_jagged_2d_mul(v.to(device), values.to(device), offsets.to(device))


@pytest.mark.parametrize("case", CPU_ONLY_BAD_CALLS)
def test_bad_contents_are_an_error_on_the_cpu(case):
    v, values, offsets, message = CPU_ONLY_BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"batched_dense_vec_jagged_2d_mul: .*{message}"):
        pk.batched_dense_vec_jagged_2d_mul(v, values, offsets)


def test_a_gradient_of_a_wrong_shape_is_an_error():
    with pytest.raises(RuntimeError, match="2d_mul_backward: `grad_output` must have the shape"):
        P.batched_dense_vec_jagged_2d_mul_backward(V, V, VALUES, OFFSETS)


def test_the_operators_pass_opcheck(device):
    v = torch.randn(4, 3, device=device, requires_grad=True)
    values = torch.randn(5, 4, device=device, requires_grad=True)
    gradient = torch.randn(4, 2, device=device, requires_grad=True)
    offsets = OFFSETS.to(device)
    torch.library.opcheck(P.batched_dense_vec_jagged_2d_mul.default, (v, values, offsets))
    torch.library.opcheck(P.batched_dense_vec_jagged_2d_mul_forward.default, (v, values, offsets))
    backward = P.batched_dense_vec_jagged_2d_mul_backward.default
    torch.library.opcheck(backward, (gradient, v, values, offsets))


def test_a_compiled_function_gives_the_same_and_has_gradients(device):
    def loss(v: torch.Tensor, values: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        return pk.batched_dense_vec_jagged_2d_mul(v, values, offsets).square().sum()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True, dynamic=True)
    for rows in (5, 7):
        v = torch.randn(4, rows, device=device, requires_grad=True)
        values = torch.randn(rows, 4, device=device, requires_grad=True)
        expected = torch.autograd.grad(loss(v, values, OFFSETS.to(device)), (v, values))
        got = torch.autograd.grad(compiled(v, values, OFFSETS.to(device)), (v, values))
        for a, b in zip(got, expected, strict=True):
            torch.testing.assert_close(a, b)
