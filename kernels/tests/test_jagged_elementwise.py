from __future__ import annotations

import random

import pytest
import torch
from reference import INDEX_DTYPES, random_jagged, to_jagged, to_padded_dense

import pinwheel_kernels as pk

FLOATS = [torch.float32, torch.float16, torch.bfloat16, torch.float64]
P = torch.ops.pinwheel


def to_device(tensors: list[torch.Tensor], device: torch.device) -> list[torch.Tensor]:
    return [tensor.to(device) for tensor in tensors]


def random_case(rng: random.Random, depth: int, index: torch.dtype, dtype: torch.dtype):
    """x_values, x_offsets, y and, for each value row, whether y has a row for it."""
    longest = 8 if depth <= 2 else 3
    offsets, rows = random_jagged(rng, depth, rng.randint(0, 5), longest, index)
    max_lengths = [rng.randint(0, longest + 1) for _ in range(depth)]
    row = rng.choice([[], [0], [1], [3], [8], [37]])
    rows += rng.choice([0, 0, 2])
    values = torch.randn(rows, *row).to(dtype)
    y = torch.randn(offsets[0].numel() - 1, *max_lengths, *row).to(dtype)
    places = to_jagged(torch.ones(y.shape[: depth + 1]), offsets, max_lengths, rows) == 1
    return values, offsets, y, max_lengths, places.view(-1, *[1] * len(row))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("index", INDEX_DTYPES)
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_sums_and_products_match_torch(depth, index, dtype, seed, device, rng):
    values, offsets, y, max_lengths, shown = random_case(rng, depth, index, dtype)
    gathered = to_jagged(y, offsets, max_lengths, len(values))
    moved = (values.to(device), to_device(offsets, device), y.to(device))
    added, offsets_back = pk.jagged_dense_elementwise_add_jagged_output(*moved)
    assert all(a is b for a, b in zip(offsets_back, moved[1], strict=True))
    assert torch.equal(added.cpu(), values + gathered)
    product = pk.jagged_dense_elementwise_mul(*moved)[0].cpu()
    assert torch.equal(product, torch.where(shown, values * gathered, torch.zeros_like(values)))
    covered = values[: int(offsets[-1][-1])]
    dense = pk.jagged_dense_elementwise_add(*moved).cpu()
    assert torch.equal(dense, to_padded_dense(covered, offsets, max_lengths, 0.0) + y)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("depth", [1, 2, 5])
def test_the_backward_operator_gives_both_gradients(depth, dtype, seed, device, rng):
    values, offsets, y, max_lengths, shown = random_case(rng, depth, torch.int64, dtype)
    gradient = torch.randn_like(values)
    d_values, d_y = P.jagged_dense_elementwise_mul_backward(
        gradient.to(device), to_device(offsets, device), y.to(device), values.to(device)
    )
    gathered = to_jagged(y, offsets, max_lengths, len(values))
    assert torch.equal(d_values.cpu(), torch.where(shown, gradient * gathered, 0.0).to(dtype))
    covered = (gradient * values)[: int(offsets[-1][-1])]
    assert torch.equal(d_y.cpu(), to_padded_dense(covered, offsets, max_lengths, 0.0))


def test_infinities_outside_the_dense_form_are_harmless(device):
    """Rows without a counterpart in y become 0 and not 0 * infinity; padding is ignored."""
    offsets = [torch.tensor([0, 3], device=device)]
    values = torch.tensor([[1.0], [2.0], [float("inf")]], device=device)
    y = torch.tensor([[[3.0], [4.0]]], device=device)
    assert pk.jagged_dense_elementwise_mul(values, offsets, y)[0].tolist() == [[3], [8], [0]]
    short = [torch.tensor([0, 1], device=device)]
    y[0, 1] = float("nan")
    got = pk.jagged_dense_elementwise_mul(values, short, y)[0]
    assert got.tolist() == [[3], [0], [0]]


@pytest.mark.parametrize("row", [[], [3]])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_gradients_agree_with_finite_differences(depth, row, device, rng):
    offsets, rows = random_jagged(rng, depth, 2, 3, torch.int64)
    offsets = to_device(offsets, device)
    values = torch.randn(rows, *row, dtype=torch.float64, device=device).requires_grad_()
    y = torch.randn(2, *[2] * depth, *row, dtype=torch.float64, device=device).requires_grad_()
    for operator in (
        P.jagged_dense_elementwise_add_jagged_output_forward,
        P.jagged_dense_elementwise_mul_forward,
        P.jagged_dense_elementwise_add,
    ):

        def run(v: torch.Tensor, d: torch.Tensor, operator=operator) -> torch.Tensor:
            return operator(v, offsets, d)

        assert torch.autograd.gradcheck(run, (values, y))
        assert torch.autograd.gradgradcheck(run, (values, y))
        assert torch.autograd.gradcheck(lambda d, run=run: run(values.detach(), d), (y,))
        assert torch.autograd.gradcheck(lambda v, run=run: run(v, y.detach()), (values,))


def test_a_larger_tensor_agrees_with_its_padded_form(device):
    lengths = torch.randint(0, 60, (3000,))
    offsets = [pk.asynchronous_complete_cumsum(lengths.to(device))]
    values = torch.randn(int(lengths.sum()), 33, device=device)
    y = torch.randn(3000, 50, 33, device=device)
    there = pk.jagged_to_padded_dense(values, offsets, [50])
    assert torch.equal(pk.jagged_dense_elementwise_add(values, offsets, y), there + y)
    expected = pk.dense_to_jagged(there * y, offsets)[0]
    assert torch.equal(pk.jagged_dense_elementwise_mul(values, offsets, y)[0], expected)


@pytest.mark.parametrize("width", [9_001, 40_000])
def test_few_long_rows_are_combined_whole(width, device):
    offsets = [torch.tensor([0, 2, 2, 3], device=device)]
    values, y = torch.randn(3, width, device=device), torch.randn(3, 2, width, device=device)
    there = pk.jagged_to_padded_dense(values, offsets, [2])
    assert torch.equal(pk.jagged_dense_elementwise_add(values, offsets, y), there + y)
    expected = pk.dense_to_jagged(there * y, offsets)[0]
    assert torch.equal(pk.jagged_dense_elementwise_mul(values, offsets, y)[0], expected)


def test_non_contiguous_input_is_supported(device):
    values = torch.arange(6.0, device=device).view(2, 3).t()
    y = torch.arange(8.0, device=device).view(2, 2, 2).transpose(1, 2)
    offsets = [torch.tensor([0, 9, 2, 9, 3], device=device)[::2]]
    got = pk.jagged_dense_elementwise_mul(values, offsets, y)[0]
    again = pk.jagged_dense_elementwise_mul(values.contiguous(), offsets, y.contiguous())[0]
    assert torch.equal(got, again)


OFFSETS = torch.tensor([0, 2, 3])
VALUES = torch.zeros(3, 2)
Y = torch.zeros(2, 3, 2)
BAD_CALLS = {
    "no offsets": (VALUES, [], Y[0], "1 to 5 tensors"),
    "another rank of y": (VALUES, [OFFSETS], Y[None], "`y` must be 2-D or 3-D"),
    "rows of y without a dimension": (VALUES, [OFFSETS], Y[..., 0], "rows of .* differ"),
    "wider rows of y": (VALUES, [OFFSETS], torch.zeros(2, 3, 3), "rows of .* differ"),
    "another number of groups": (VALUES, [OFFSETS], Y[:1], "1 groups but `x_offsets.0.` has 2"),
    "another dtype of y": (VALUES, [OFFSETS], Y.double(), "`y` must hold Float .* not Double"),
    "integers": (VALUES.int(), [OFFSETS], Y.int(), "`x_values` must hold float32.* not Int"),
    "values of rank 3": (VALUES[None], [OFFSETS], Y, "`x_values` must be 1-D or 2-D"),
}
CPU_ONLY_BAD_CALLS = {
    "decreasing offsets": (VALUES, [torch.tensor([0, 3, 2])], Y, "decreases at position 2"),
    "offsets past the values": (VALUES, [torch.tensor([0, 2, 4])], Y, "only 3 rows"),
}
OPERATORS = [
    pk.jagged_dense_elementwise_add_jagged_output,
    pk.jagged_dense_elementwise_add,
    pk.jagged_dense_elementwise_mul,
]


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_input_is_an_error_that_names_the_operator(case, operator, device):
    values, offsets, y, message = BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::{operator.__name__}: .*{message}"):
        operator(values.to(device), to_device(offsets, device), y.to(device))


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("case", CPU_ONLY_BAD_CALLS)
def test_bad_contents_are_an_error_on_the_cpu(case, operator):
    values, offsets, y, message = CPU_ONLY_BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::{operator.__name__}: .*{message}"):
        operator(values, offsets, y)


def test_a_gradient_of_a_wrong_shape_is_an_error():
    with pytest.raises(RuntimeError, match="mul_backward: `grad_output` must have the shape"):
        P.jagged_dense_elementwise_mul_backward(VALUES[:2], [OFFSETS], Y, VALUES)


@pytest.mark.parametrize(
    "name",
    [
        "jagged_dense_elementwise_add_jagged_output",
        "jagged_dense_elementwise_add_jagged_output_forward",
        "jagged_dense_elementwise_add",
        "jagged_dense_elementwise_mul",
        "jagged_dense_elementwise_mul_forward",
    ],
)
def test_the_operators_pass_opcheck(name, device):
    values = torch.randn(3, 2, device=device, requires_grad=True)
    y = torch.randn(2, 3, 2, device=device, requires_grad=True)
    torch.library.opcheck(getattr(P, name).default, (values, [OFFSETS.to(device)], y))


def test_the_backward_operator_passes_opcheck(device):
    values = torch.randn(3, 2, device=device, requires_grad=True)
    y = torch.randn(2, 3, 2, device=device, requires_grad=True)
    gradient = torch.randn(3, 2, device=device, requires_grad=True)
    operator = P.jagged_dense_elementwise_mul_backward.default
    torch.library.opcheck(operator, (gradient, [OFFSETS.to(device)], y, values))


def test_a_compiled_function_gives_the_same_and_has_gradients(device):
    def loss(values: torch.Tensor, offsets: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        product, _ = P.jagged_dense_elementwise_mul(values, [offsets], y)
        total, _ = pk.jagged_dense_elementwise_add_jagged_output(product, [offsets], y)
        return total.sum()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True, dynamic=True)
    for rows in (3, 5):
        values = torch.randn(rows, 2, device=device, requires_grad=True)
        y = torch.randn(2, rows, 2, device=device, requires_grad=True)
        offsets = torch.tensor([0, 2, rows], device=device)
        expected = torch.autograd.grad(loss(values, offsets, y), (values, y))
        got = torch.autograd.grad(compiled(values, offsets, y), (values, y))
        assert all(torch.equal(a, b) for a, b in zip(got, expected, strict=True))
