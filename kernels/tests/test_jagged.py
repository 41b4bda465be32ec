from __future__ import annotations

import random

import pytest
import torch
from reference import INDEX_DTYPES, random_jagged, to_padded_dense

import pinwheel_kernels as pk

VALUE_DTYPES = [
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.float64,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.uint8,
    torch.bool,
]


def random_values(rows: int, width: int | None, dtype: torch.dtype) -> torch.Tensor:
    shape = (rows,) if width is None else (rows, width)
    if dtype.is_floating_point:
        return torch.randn(shape, dtype=torch.float64).to(dtype)
    return torch.randint(0, 2 if dtype == torch.bool else 100, shape).to(dtype)


def to_device(tensors: list[torch.Tensor], device: torch.device) -> list[torch.Tensor]:
    return [tensor.to(device) for tensor in tensors]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("index", INDEX_DTYPES)
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_the_dense_form_matches_a_loop(depth, index, seed, device, rng: random.Random):
    longest = 8 if depth <= 2 else 3
    offsets, rows = random_jagged(rng, depth, rng.randint(0, 5), longest, index)
    # Below, at and above the longest row: truncated, exact and padded.
    max_lengths = [rng.randint(0, longest + 1) for _ in range(depth)]
    width = rng.choice([None, 0, 1, 2, 3, 5, 8])
    values = random_values(rows, width, rng.choice(VALUE_DTYPES))
    padding = rng.choice([0, 1, 7])
    expected = to_padded_dense(values, offsets, max_lengths, padding)
    got = pk.jagged_to_padded_dense(
        values.to(device), to_device(offsets, device), max_lengths, padding
    )
    assert got.dtype == values.dtype
    assert torch.equal(got.cpu(), expected)


@pytest.mark.parametrize(
    "dtype", [*VALUE_DTYPES, torch.uint16, torch.uint32, torch.uint64], ids=str
)
def test_every_dtype_takes_its_own_padding(dtype, device):
    values = random_values(3, 3, dtype)
    offsets = [torch.tensor([0, 1, 3], device=device)]
    got = pk.jagged_to_padded_dense(values.to(device), offsets, [4], 3.0).cpu()
    assert torch.equal(got, to_padded_dense(values, [offsets[0].cpu()], [4], 3.0))


@pytest.mark.parametrize("padding", [float("nan"), float("inf"), -float("inf"), 1e-30, 65504.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
def test_padding_is_rounded_as_in_torch(padding, dtype, device):
    got = pk.jagged_to_padded_dense(
        torch.zeros(0, 1, dtype=dtype, device=device),
        [torch.tensor([0, 0], device=device)],
        [2],
        padding,
    )
    expected = torch.full((1, 2, 1), padding, dtype=dtype)
    torch.testing.assert_close(got.cpu(), expected, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_the_backward_pass_is_the_gather_of_the_gradient(depth, seed, device, rng):
    longest = 6 if depth <= 2 else 3
    offsets, rows = random_jagged(rng, depth, rng.randint(1, 5), longest, torch.int64)
    max_lengths = [rng.randint(0, longest) for _ in range(depth)]
    width = rng.choice([None, 1, 4])
    values = random_values(rows, width, torch.float64).requires_grad_()
    dense = to_padded_dense(values, offsets, max_lengths, 0.0)
    gradient = torch.randn_like(dense)
    expected = torch.zeros_like(values)
    if dense.requires_grad:  # otherwise the dense form has none of the values
        (expected,) = torch.autograd.grad(dense, values, gradient)
    got = torch.ops.pinwheel.jagged_to_padded_dense_backward(
        gradient.to(device), to_device(offsets, device), rows
    )
    assert torch.equal(got.cpu(), expected)


def test_value_rows_past_the_last_offset_get_a_zero_gradient(device):
    offsets = [torch.tensor([0, 2], device=device)]
    values = torch.ones(4, 2, device=device, requires_grad=True)
    pk.jagged_to_padded_dense(values, offsets, [3]).sum().backward()
    assert values.grad.tolist() == [[1, 1], [1, 1], [0, 0], [0, 0]]


@pytest.mark.parametrize("width", [None, 3])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_gradients_agree_with_finite_differences(depth, width, device, rng):
    offsets, rows = random_jagged(rng, depth, 3, 3, torch.int64)
    offsets = to_device(offsets, device)
    values = random_values(rows, width, torch.float64).to(device).requires_grad_()

    def dense(v: torch.Tensor) -> torch.Tensor:
        return pk.jagged_to_padded_dense(v, offsets, [2] * depth, 1.5)

    assert torch.autograd.gradcheck(dense, (values,))
    assert torch.autograd.gradgradcheck(dense, (values,))


def test_a_larger_tensor_agrees_with_indexing(device):
    lengths = torch.randint(0, 60, (4000,))
    offsets = pk.asynchronous_complete_cumsum(lengths)
    values = torch.randn(int(offsets[-1]), 33)
    got = pk.jagged_to_padded_dense(values.to(device), [offsets.to(device)], [50], -1.0).cpu()
    shown = torch.arange(50)[None, :] < lengths[:, None]
    where = (offsets[:-1, None] + torch.arange(50)[None, :]).clamp(max=values.shape[0] - 1)
    assert torch.equal(got, torch.where(shown[..., None], values[where], torch.tensor(-1.0)))


@pytest.mark.parametrize("width", [9_001, 40_000])  # words of 4 and of 16 bytes, which are several blocks' work
def test_few_long_rows_are_moved_whole(width, device):
    offsets = [torch.tensor([0, 2, 2, 3])]
    values = torch.randn(4, width)
    got = pk.jagged_to_padded_dense(values.to(device), to_device(offsets, device), [2], 7.0)
    assert torch.equal(got.cpu(), to_padded_dense(values, offsets, [2], 7.0))
    back = pk.dense_to_jagged(got, to_device(offsets, device))[0]
    assert torch.equal(back.cpu(), values[:3])


def test_non_contiguous_values_and_gradients_are_supported(device):
    values = torch.arange(24.0, device=device).view(4, 6).t()
    offsets = [torch.tensor([0, 9, 2, 9, 6], device=device)[::2]]
    got = pk.jagged_to_padded_dense(values, offsets, [4])
    assert torch.equal(got, pk.jagged_to_padded_dense(values.contiguous(), offsets, [4]))


OFFSETS = torch.tensor([0, 2, 3])
VALUES = torch.zeros(3, 2)
BAD_CALLS = {
    "no offsets": (VALUES, [], [], "1 to 5 tensors"),
    "too many levels": (VALUES, [OFFSETS] * 6, [1] * 6, "1 to 5 tensors"),
    "as many lengths as levels": (VALUES, [OFFSETS], [1, 2], "one maximum length for each"),
    "negative length": (VALUES, [OFFSETS], [-1], "negative"),
    "offsets of a float dtype": (VALUES, [OFFSETS.float()], [2], "int32 or int64, not Float"),
    "offsets of two dtypes": (
        VALUES,
        [OFFSETS, torch.arange(4, dtype=torch.int32)],
        [2, 2],
        "the same dtype",
    ),
    "offsets of rank 2": (VALUES, [OFFSETS[None]], [2], "must be 1-D"),
    "empty offsets": (VALUES, [OFFSETS[:0]], [2], "at least one element"),
    "values of rank 3": (VALUES[None], [OFFSETS], [2], "`values` must be 1-D or 2-D"),
    "complex values": (VALUES.to(torch.complex64), [OFFSETS], [2], "not ComplexFloat"),
}
CPU_ONLY_BAD_CALLS = {
    "decreasing offsets": (VALUES, [torch.tensor([0, 3, 2])], [2], "decreases"),
    "offsets that start late": (VALUES, [torch.tensor([1, 3])], [2], "must start with 0, not 1"),
    "offsets past the values": (VALUES, [torch.tensor([0, 2, 4])], [2], "only 3 rows"),
    "offsets past the next level": (VALUES, [torch.tensor([0, 5]), OFFSETS], [2, 2], "only 2 rows"),
    "padding that does not fit": (VALUES.to(torch.int8), [OFFSETS], [2], "does not fit"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_input_is_an_error_that_names_the_operator(case, device):
    values, offsets, max_lengths, message = BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::jagged_to_padded_dense: .*{message}"):
        pk.jagged_to_padded_dense(values.to(device), to_device(offsets, device), max_lengths)


@pytest.mark.parametrize("length", [2**55, 2**61, 2**62])
def test_a_result_that_does_not_fit_in_memory_is_an_error(length, device):
    with pytest.raises(RuntimeError, match="not enough memory for a result of shape"):
        pk.jagged_to_padded_dense(VALUES.to(device), [OFFSETS.to(device)], [length])


@pytest.mark.parametrize("case", CPU_ONLY_BAD_CALLS)
def test_bad_contents_are_an_error_on_the_cpu(case):
    values, offsets, max_lengths, message = CPU_ONLY_BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::jagged_to_padded_dense: .*{message}"):
        pk.jagged_to_padded_dense(values, offsets, max_lengths, 300.0)


@pytest.mark.parametrize(
    ("gradient", "total", "message"),
    [
        (torch.zeros(2, 2, 2, 2), 3, "must be 2-D or 3-D"),
        (torch.zeros(3, 2, 2), 3, "3 groups but"),
        (torch.zeros(2, 2, 2), -1, "negative"),
        (torch.zeros(2, 2, 2), 2, "only 2 rows"),
    ],
)
def test_a_bad_gradient_is_an_error(gradient, total, message):
    with pytest.raises(RuntimeError, match=f"jagged_to_padded_dense_backward: .*{message}"):
        torch.ops.pinwheel.jagged_to_padded_dense_backward(gradient, [OFFSETS], total)


@pytest.mark.parametrize("name", ["jagged_to_padded_dense", "jagged_to_padded_dense_forward"])
@pytest.mark.parametrize("depth", [1, 2])
def test_the_forward_operators_pass_opcheck(name, depth, device, rng):
    offsets, rows = random_jagged(rng, depth, 3, 3, torch.int64)
    values = torch.randn(rows, 2, device=device, requires_grad=True)
    arguments = (values, to_device(offsets, device), [2] * depth, 0.5)
    torch.library.opcheck(getattr(torch.ops.pinwheel, name).default, arguments)


def test_the_backward_operator_passes_opcheck(device):
    gradient = torch.randn(2, 2, 3, device=device, requires_grad=True)
    torch.library.opcheck(
        torch.ops.pinwheel.jagged_to_padded_dense_backward.default,
        (gradient, [OFFSETS.to(device)], 3),
    )


def test_a_compiled_function_gives_the_same_and_has_gradients(device):
    def loss(values: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        offsets = pk.asynchronous_complete_cumsum(lengths)
        return (pk.jagged_to_padded_dense(values, [offsets], [2], 1.0) * 3).sum()

    # "aot_eager" traces through the registered fake and backward functions without a C++ compiler.
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    lengths = torch.tensor([1, 3, 0], device=device)
    values = torch.randn(4, 2, device=device, requires_grad=True)
    torch.testing.assert_close(compiled(values, lengths), loss(values, lengths))
    compiled(values, lengths).backward()
    assert values.grad.tolist() == [[3, 3], [3, 3], [3, 3], [0, 0]]


FAR = 2**63 - 1


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize(
    "contents", [[-FAR - 1, 3], [0, FAR, -2, 2], [FAR, -FAR, FAR], [5, 1, FAR]], ids=str
)
def test_out_of_range_offsets_are_harmless_on_a_gpu(contents, deep, gpu):
    """Differences of offsets, which may overflow, are harmless too."""
    offsets = [torch.tensor(contents, device=gpu)]
    if deep:
        offsets.append(torch.tensor([0, 2, 5], device=gpu))
    shape = [len(contents) - 1, *[3] * len(offsets)]
    padded = pk.jagged_to_padded_dense(torch.ones(5, 2, device=gpu), offsets, shape[1:], -1.0)
    assert set(padded.flatten().tolist()) <= {1.0, -1.0}
    values, _ = pk.dense_to_jagged(torch.ones(*shape, 2, device=gpu), offsets, 5)
    assert set(values.flatten().tolist()) <= {0.0, 1.0}
