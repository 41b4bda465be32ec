from __future__ import annotations

import random

import pytest
import torch
from reference import INDEX_DTYPES, permute_2d

import pinwheel_kernels as pk


def batch(rng: random.Random, features: int, samples: int, longest: int, dtype: torch.dtype):
    lengths = torch.tensor(
        [[rng.randint(0, longest) for _ in range(samples)] for _ in range(features)], dtype=dtype
    ).view(features, samples)
    return lengths, torch.randint(0, 1000, (int(lengths.sum()),))


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("index", INDEX_DTYPES)
@pytest.mark.parametrize("permute_dtype", INDEX_DTYPES)
def test_permuted_features_match_a_loop(permute_dtype, index, seed, device, rng):
    features = rng.randint(0, 12)
    lengths, values = batch(rng, features, rng.randint(0, 9), 6, index)
    # Fewer features than there are, as many or more, in any order, with repeats.
    count = rng.randint(0, 2 * features)
    permute = [rng.randrange(features) for _ in range(count)]
    expected_lengths, expected = permute_2d(permute, lengths, values)
    with_weights = rng.random() < 0.5
    weights = torch.randn(values.shape) if with_weights else None
    total = expected.numel() if rng.random() < 0.5 else None
    got_lengths, got, got_weights = pk.permute_2D_sparse_data(
        torch.tensor(permute, dtype=permute_dtype, device=device),
        lengths.to(device),
        values.to(device),
        weights.to(device) if with_weights else None,
        total,
    )
    assert got_lengths.dtype == index
    assert torch.equal(got_lengths.cpu(), expected_lengths)
    assert torch.equal(got.cpu(), expected)
    if with_weights:
        assert torch.equal(got_weights.cpu(), permute_2d(permute, lengths, weights)[1])
    else:
        assert got_weights is None


@pytest.mark.parametrize(
    "dtype",
    [torch.uint8, torch.int16, torch.bfloat16, torch.float32, torch.float64, torch.complex128],
)
def test_values_of_every_width_are_moved(dtype, device, rng):
    lengths, values = batch(rng, 5, 4, 6, torch.int64)
    values = values.to(dtype)
    permute = [4, 0, 0, 2]
    got = pk.permute_2D_sparse_data(
        torch.tensor(permute, dtype=torch.int32, device=device),
        lengths.to(device),
        values.to(device),
    )
    assert torch.equal(got[1].cpu(), permute_2d(permute, lengths, values)[1])


def test_long_segments_are_split_over_threads_correctly(device, rng):
    lengths = torch.tensor([[100_000], [0], [70_001], [3]])
    values = torch.randint(0, 1000, (170_004,))
    permute = [2, 0, 1, 3, 2]
    got = pk.permute_2D_sparse_data(
        torch.tensor(permute, device=device), lengths.to(device), values.to(device)
    )
    assert torch.equal(got[1].cpu(), permute_2d(permute, lengths, values)[1])


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("index", INDEX_DTYPES)
@pytest.mark.parametrize("permute_dtype", INDEX_DTYPES)
def test_permuted_single_bags_match_a_loop(permute_dtype, index, seed, device, rng):
    bags = rng.randint(0, 40)
    lengths, values = batch(rng, bags, 1, rng.choice([1, 6, 200]), index)
    permute = [rng.randrange(bags) for _ in range(rng.randint(0, 2 * bags))]
    weights = torch.randn(values.shape) if rng.random() < 0.5 else None
    expected_lengths, expected = permute_2d(permute, lengths, values)
    got_lengths, got, got_weights = pk.permute_1D_sparse_data(
        torch.tensor(permute, dtype=permute_dtype, device=device),
        lengths[:, 0].to(device),
        values.to(device),
        None if weights is None else weights.to(device),
        expected.numel() if rng.random() < 0.5 else None,
    )
    assert torch.equal(got_lengths.cpu(), expected_lengths[:, 0])
    assert torch.equal(got.cpu(), expected)
    assert (got_weights is None) == (weights is None)
    if weights is not None:
        assert torch.equal(got_weights.cpu(), permute_2d(permute, lengths, weights)[1])


@pytest.mark.parametrize("columns", [0, 1, 3, 64])
@pytest.mark.parametrize("dims", [1, 2])
def test_weights_may_have_columns(dims, columns, device, rng):
    lengths, values = batch(rng, 6, 5 if dims == 2 else 1, 4, torch.int64)
    weights = torch.randn(values.numel(), columns).half()
    permute = [5, 1, 1, 0]
    operator = pk.permute_2D_sparse_data if dims == 2 else pk.permute_1D_sparse_data
    arguments = torch.tensor(permute), lengths if dims == 2 else lengths[:, 0], values, weights
    _, got, got_weights = operator(*(each.to(device) for each in arguments))
    assert torch.equal(got.cpu(), permute_2d(permute, lengths, values)[1])
    assert torch.equal(got_weights.cpu(), permute_2d(permute, lengths, weights)[1])


def test_single_bags_need_lengths_of_rank_1(device):
    with pytest.raises(RuntimeError, match="pinwheel::permute_1D_sparse_data: .*must be 1-D"):
        pk.permute_1D_sparse_data(PERMUTE.to(device), LENGTHS.to(device), VALUES.to(device))


def test_a_negative_length_of_a_bag_is_an_error_that_says_where():
    lengths = torch.tensor([3, 2, -1])
    with pytest.raises(RuntimeError, match="permute_1D_sparse_data: .*negative element, -1, at 2"):
        pk.permute_1D_sparse_data(PERMUTE, lengths, VALUES)


LENGTHS = torch.tensor([[1, 2], [0, 1]])
VALUES = torch.arange(4)
PERMUTE = torch.tensor([1, 0], dtype=torch.int32)
BAD_CALLS = {
    "permute of rank 2": ((PERMUTE[None], LENGTHS, VALUES), "`permute` must be 1-D"),
    "permute of a float dtype": ((PERMUTE.float(), LENGTHS, VALUES), "int32 or int64, not Float"),
    "lengths of rank 1": ((PERMUTE, LENGTHS[0], VALUES), "`lengths` must be 2-D"),
    "lengths of a float dtype": ((PERMUTE, LENGTHS.float(), VALUES), "`lengths` must hold int32"),
    "values of rank 2": ((PERMUTE, LENGTHS, VALUES[None]), "`values` must be 1-D"),
    "other weights": ((PERMUTE, LENGTHS, VALUES, VALUES[1:]), "`weights` must have the shape"),
    "transposed weights": ((PERMUTE, LENGTHS, VALUES, VALUES[None]), r"got shape \[1, 4\]"),
    "weights of rank 3": ((PERMUTE, LENGTHS, VALUES, VALUES.view(4, 1, 1)), "`weights` must have"),
    "negative sum": ((PERMUTE, LENGTHS, VALUES, None, -1), "`permuted_lengths_sum` is negative"),
}
CPU_ONLY_BAD_CALLS = {
    "feature that is not there": (
        (PERMUTE + 1, LENGTHS, VALUES),
        "`permute.0.` is 2 but there are 2",
    ),
    "negative feature": ((PERMUTE - 1, LENGTHS, VALUES), "`permute.1.` is -1"),
    "negative length": ((PERMUTE, LENGTHS - 1, VALUES), "negative element"),
    "too few values": ((PERMUTE, LENGTHS, VALUES[1:]), "add up to 4 but `values` has 3"),
    "lengths whose sum overflows": (
        (PERMUTE, torch.full((2, 2), 2**62), VALUES),
        "`lengths` holds 4611686018427387904 at 0 but `values` has 4",
    ),
    "another sum": (
        (PERMUTE, LENGTHS, VALUES, None, 5),
        "is 5 but the permuted lengths add up to 4",
    ),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_input_is_an_error_that_names_the_operator(case, device):
    arguments, message = BAD_CALLS[case]
    moved = [a.to(device) if isinstance(a, torch.Tensor) else a for a in arguments]
    with pytest.raises(RuntimeError, match=f"pinwheel::permute_2D_sparse_data: .*{message}"):
        pk.permute_2D_sparse_data(*moved)


@pytest.mark.parametrize("case", CPU_ONLY_BAD_CALLS)
def test_bad_contents_are_an_error_on_the_cpu(case):
    arguments, message = CPU_ONLY_BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::permute_2D_sparse_data: .*{message}"):
        pk.permute_2D_sparse_data(*arguments)


@pytest.mark.parametrize("weights", [None, torch.ones(4), torch.ones(4, 3)])
@pytest.mark.parametrize("total", [None, 4])
def test_the_operator_passes_opcheck(weights, total, device):
    moved = None if weights is None else weights.to(device)
    arguments = (PERMUTE.to(device), LENGTHS.to(device), VALUES.to(device), moved, total)
    torch.library.opcheck(torch.ops.pinwheel.permute_2D_sparse_data.default, arguments)


@pytest.mark.parametrize("total", [None, 3])
def test_the_operator_on_single_bags_passes_opcheck(total, device):
    arguments = (PERMUTE.to(device), LENGTHS[0].to(device), VALUES[:3].to(device), None, total)
    torch.library.opcheck(torch.ops.pinwheel.permute_1D_sparse_data.default, arguments)


def test_it_compiles_with_dynamic_shapes(device):
    compiled = torch.compile(
        pk.permute_1D_sparse_data, backend="eager", fullgraph=True, dynamic=True
    )
    for bags in (3, 7):
        lengths = torch.arange(bags, device=device)
        values = torch.arange(bags * (bags - 1) // 2, device=device)
        permute = torch.arange(bags - 1, -1, -1, device=device)
        total = values.numel()
        got = compiled(permute, lengths, values, None, total)
        expected = pk.permute_1D_sparse_data(permute, lengths, values, None, total)
        assert torch.equal(got[0], expected[0]) and torch.equal(got[1], expected[1])


@pytest.mark.parametrize("columns", [(), (2,)], ids=["", "columns"])
@pytest.mark.parametrize("dims", [1, 2])
def test_gradients_agree_with_finite_differences(dims, columns, device, rng):
    lengths, _ = batch(rng, 4, 3, 2, torch.int64)
    values = torch.randn(int(lengths.sum()) + 2, dtype=torch.float64, device=device)
    operator = pk.permute_2D_sparse_data
    if dims == 1:
        lengths, operator = lengths.sum(1), pk.permute_1D_sparse_data
    permute = torch.tensor([3, 0, 0, 1], device=device)  # one repeated, one dropped
    weights = torch.randn(*values.shape, *columns, dtype=torch.float64, device=device)
    inputs = (values.requires_grad_(), weights.requires_grad_())

    def permuted(values: torch.Tensor, weights: torch.Tensor):
        return operator(permute, lengths.to(device), values, weights)[1:]

    assert torch.autograd.gradcheck(permuted, inputs)
    assert torch.autograd.gradgradcheck(permuted, inputs)


def test_weights_of_integer_values_have_gradients(device):
    weights = torch.rand(4, device=device, requires_grad=True)
    moved = [t.to(device) for t in (PERMUTE, LENGTHS, VALUES)]
    _, values, permuted = pk.permute_2D_sparse_data(*moved, weights)
    assert not values.requires_grad
    permuted.backward(torch.tensor([1.0, 2, 3, 4], device=device))
    assert weights.grad.tolist() == [2, 3, 4, 1]


@pytest.mark.parametrize("total", [None, 4])
def test_a_compiled_function_has_gradients(total, device):
    def product(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        moved = pk.permute_2D_sparse_data(PERMUTE.to(device), LENGTHS.to(device), values, weights, total)
        return (moved[1] * moved[2]).square().sum()

    inputs = [torch.rand(4, device=device, requires_grad=True) for _ in range(2)]
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        compiled = torch.compile(product, backend="aot_eager", fullgraph=True)
        got = torch.autograd.grad(compiled(*inputs), inputs)
    expected = torch.autograd.grad(product(*inputs), inputs)
    assert all(torch.equal(a, b) for a, b in zip(got, expected, strict=True))
