from __future__ import annotations

import random

import pytest
import torch
from reference import INDEX_DTYPES, complete_cumsum

import pinwheel_kernels as pk

P = torch.ops.pinwheel
DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.uint8]


def packed_by_a_loop(
    rows: torch.Tensor, lengths: list[int], max_length: int, padding: float = 0.0
) -> torch.Tensor:
    packed = torch.full((len(lengths), max_length, *rows.shape[1:]), padding, dtype=rows.dtype)
    for b, start in enumerate(complete_cumsum(lengths)[:-1]):
        kept = min(lengths[b], max_length)
        packed[b, :kept] = rows[start : start + kept]
    return packed


def random_case(rng: random.Random, dtype: torch.dtype) -> tuple[torch.Tensor, list[int], int]:
    longest = rng.choice([1, 4, 30])
    lengths = [rng.randint(0, longest) for _ in range(rng.randint(0, 8))]
    shape = [sum(lengths) + rng.choice([0, 0, 3]), *rng.choice([[], [1], [5], [3, 2], [2, 0]])]
    rows = (torch.randn(shape, dtype=torch.float64) * 20).to(dtype)
    return rows, lengths, rng.randint(0, longest + 2)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("index", INDEX_DTYPES)
def test_packed_segments_match_a_loop(index, dtype, seed, device, rng):
    rows, lengths, max_length = random_case(rng, dtype)
    moved = (rows.to(device), torch.tensor(lengths, dtype=index, device=device), max_length)
    expected = packed_by_a_loop(rows, lengths, max_length)
    assert torch.equal(pk.pack_segments(*moved).cpu(), expected)
    packed, mask = pk.pack_segments_v2(*moved)
    assert mask is None and torch.equal(packed.cpu(), expected)
    infinite = dtype.is_floating_point and rng.random() < 0.5
    packed, mask = pk.pack_segments_v2(*moved, infinite, True)
    padding = -float("inf") if infinite else 0.0
    assert torch.equal(packed.cpu(), packed_by_a_loop(rows, lengths, max_length, padding))
    present = torch.arange(max_length)[None, :] < torch.tensor(lengths, dtype=torch.int64)[:, None]
    assert mask.dtype == torch.bool and torch.equal(mask.cpu(), present)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("index", INDEX_DTYPES)
def test_the_backward_operator_unpacks(index, seed, device, rng):
    rows, lengths, max_length = random_case(rng, torch.float32)
    data = torch.randn(len(lengths), max_length, *rows.shape[1:])
    expected = torch.zeros_like(rows)
    for b, start in enumerate(complete_cumsum(lengths)[:-1]):
        kept = min(lengths[b], max_length)
        expected[start : start + kept] = data[b, :kept]
    moved = torch.tensor(lengths, dtype=index, device=device)
    got = P.pack_segments_backward(data.to(device), moved, rows.shape[0], max_length)
    assert torch.equal(got.cpu(), expected)


def test_gradients_agree_with_finite_differences(device):
    lengths = torch.tensor([2, 0, 4], device=device)
    rows = torch.randn(7, 2, dtype=torch.float64, device=device).requires_grad_()
    for pack in (
        lambda t: pk.pack_segments(t, lengths, 3),
        lambda t: pk.pack_segments_v2(t, lengths, 3)[0],
        lambda t: pk.pack_segments_v2(t, lengths, 3, False, True)[0],
    ):
        assert torch.autograd.gradcheck(pack, (rows,))
        assert torch.autograd.gradgradcheck(pack, (rows,))


def test_minus_infinity_has_no_gradient(device):
    rows = torch.randn(3, 2, device=device, requires_grad=True)
    lengths = torch.tensor([1, 2], device=device)
    packed, mask = pk.pack_segments_v2(rows, lengths, 4, True, True)
    assert not mask.requires_grad
    packed.softmax(1)[..., 0].sum().backward()
    assert bool(rows.grad.isfinite().all())


def test_non_contiguous_input_is_supported(device):
    rows = torch.arange(12.0, device=device).view(3, 4).t()
    lengths = torch.tensor([1, 9, 3], device=device)[::2]
    got = pk.pack_segments(rows, lengths, 2)
    assert torch.equal(got, pk.pack_segments(rows.contiguous(), lengths.clone(), 2))


ROWS = torch.zeros(5, 2)
LENGTHS = torch.tensor([2, 3])
BAD_CALLS = {
    "rows of rank 0": (ROWS[0, 0], LENGTHS, 2, "at least 1 dimension"),
    "lengths of rank 2": (ROWS, LENGTHS[None], 2, "`lengths` must be 1-D"),
    "lengths of a float dtype": (ROWS, LENGTHS.float(), 2, "int32 or int64, not Float"),
    "a negative length of the result": (ROWS, LENGTHS, -1, "`max_length` is negative"),
    "complex rows": (ROWS.to(torch.complex64), LENGTHS, 2, "not ComplexFloat"),
}
CPU_ONLY_BAD_CALLS = {
    "a negative length": (ROWS, LENGTHS - 3, 2, "`lengths.0.` is negative: -1"),
    "too few rows": (ROWS[:4], LENGTHS, 2, "`lengths.1.` is 3 but only 2 of the 4 rows are left"),
    "lengths whose sum overflows": (
        ROWS,
        torch.tensor([2**63 - 1, 2**63 - 1, 4]),
        2,
        "`lengths.0.` is 9223372036854775807 but only 5 of the 5 rows are left",
    ),
}


@pytest.mark.parametrize("operator", [pk.pack_segments, pk.pack_segments_v2])
@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_input_is_an_error_that_names_the_operator(case, operator, device):
    rows, lengths, max_length, message = BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::{operator.__name__}: .*{message}"):
        operator(rows.to(device), lengths.to(device), max_length)


@pytest.mark.parametrize("case", CPU_ONLY_BAD_CALLS)
def test_bad_contents_are_an_error_on_the_cpu(case):
    rows, lengths, max_length, message = CPU_ONLY_BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::pack_segments: .*{message}"):
        pk.pack_segments(rows, lengths, max_length)


def test_lengths_whose_sum_overflows_are_harmless_on_a_gpu(gpu):
    far = 2**63 - 1
    for lengths in ([far, far, 4], [far - 2, far, 5], [-far - 1, 3, 2]):
        packed = pk.pack_segments(torch.ones(5, 2, device=gpu), torch.tensor(lengths, device=gpu), 3)
        assert set(packed.flatten().tolist()) <= {0.0, 1.0}


def test_minus_infinity_requires_a_floating_point_dtype(device):
    with pytest.raises(RuntimeError, match="pack_segments_v2: `pad_minf` requires .* not Int"):
        pk.pack_segments_v2(ROWS.int().to(device), LENGTHS.to(device), 2, True)


@pytest.mark.parametrize(
    ("data", "total", "message"),
    [
        (torch.zeros(2), 5, "at least 2 dimensions"),
        (torch.zeros(2, 3, 2), 5, "must have the shape .2, 2, ...."),
        (torch.zeros(2, 2, 2), -1, "`total_length` is negative"),
        (torch.zeros(2, 2, 2), 4, "`lengths.1.` is 3 but only 2 of the 4 rows are left"),
    ],
)
def test_a_bad_gradient_is_an_error(data, total, message):
    with pytest.raises(RuntimeError, match=f"pinwheel::pack_segments_backward: .*{message}"):
        P.pack_segments_backward(data, LENGTHS, total, 2)


def test_the_operators_pass_opcheck(device):
    rows = torch.randn(5, 2, device=device, requires_grad=True)
    data = torch.randn(2, 2, 2, device=device, requires_grad=True)
    lengths = LENGTHS.to(device)
    torch.library.opcheck(P.pack_segments.default, (rows, lengths, 2))
    torch.library.opcheck(P.pack_segments_v2.default, (rows, lengths, 2))
    torch.library.opcheck(P.pack_segments_v2.default, (rows, lengths, 2, False, True))
    torch.library.opcheck(P.pack_segments_backward.default, (data, lengths, 5, 2))


def test_a_compiled_function_gives_the_same_and_has_gradients(device):
    def loss(rows: torch.Tensor, lengths: torch.Tensor, max_length: int) -> torch.Tensor:
        packed, mask = pk.pack_segments_v2(rows, lengths, max_length, False, True)
        return (packed.square() * mask[..., None]).sum()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True, dynamic=True)
    for lengths, max_length in (([2, 3], 2), ([1, 0, 6], 4)):
        rows = torch.randn(sum(lengths), 2, device=device, requires_grad=True)
        moved = torch.tensor(lengths, device=device)
        (expected,) = torch.autograd.grad(loss(rows, moved, max_length), rows)
        (got,) = torch.autograd.grad(compiled(rows, moved, max_length), rows)
        assert torch.equal(got, expected)
