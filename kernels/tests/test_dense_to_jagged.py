from __future__ import annotations

import random

import pytest
import torch
from reference import INDEX_DTYPES, random_jagged, to_jagged

import pinwheel_kernels as pk

DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.uint8]


def random_dense(shape: list[int], dtype: torch.dtype) -> torch.Tensor:
    return (torch.randn(shape, dtype=torch.float64) * 20).to(dtype)


def to_device(tensors: list[torch.Tensor], device: torch.device) -> list[torch.Tensor]:
    return [tensor.to(device) for tensor in tensors]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("index", INDEX_DTYPES)
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_values_match_a_loop(depth, index, seed, device, rng: random.Random):
    longest = 8 if depth <= 2 else 3
    offsets, rows = random_jagged(rng, depth, rng.randint(0, 5), longest, index)
    max_lengths = [rng.randint(0, longest + 1) for _ in range(depth)]
    width = rng.choice([None, 0, 1, 2, 3, 5, 8])
    shape = [offsets[0].numel() - 1, *max_lengths, *([] if width is None else [width])]
    dense = random_dense(shape, rng.choice(DTYPES))
    behind = rng.choice([None, 0, 3])
    total = None if behind is None else rows + behind
    expected = to_jagged(dense, offsets, max_lengths, rows + (behind or 0))
    moved = to_device(offsets, device)
    got, got_offsets = pk.dense_to_jagged(dense.to(device), moved, total)
    assert got.dtype == dense.dtype
    assert torch.equal(got.cpu(), expected)
    assert all(a is b for a, b in zip(got_offsets, moved, strict=True))


def test_it_inverts_padding(device):
    lengths = torch.randint(0, 60, (3000,))
    offsets = [pk.asynchronous_complete_cumsum(lengths.to(device))]
    values = torch.randn(int(lengths.sum()), 33, device=device)
    dense = pk.jagged_to_padded_dense(values, offsets, [60], 5.0)
    assert torch.equal(pk.dense_to_jagged(dense, offsets)[0], values)
    assert torch.equal(pk.dense_to_jagged(dense, offsets, len(values))[0], values)


@pytest.mark.parametrize("width", [None, 3])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_gradients_agree_with_finite_differences(depth, width, device, rng):
    offsets, rows = random_jagged(rng, depth, 3, 3, torch.int64)
    offsets = to_device(offsets, device)
    shape = [3, *[2] * depth, *([] if width is None else [width])]
    dense = random_dense(shape, torch.float64).to(device).requires_grad_()

    def values(d: torch.Tensor) -> torch.Tensor:
        return pk.dense_to_jagged(d, offsets, rows + 1)[0]

    assert torch.autograd.gradcheck(values, (dense,))
    assert torch.autograd.gradgradcheck(values, (dense,))


def test_non_contiguous_input_is_supported(device):
    dense = torch.arange(24.0, device=device).view(3, 4, 2).transpose(0, 1)
    offsets = [torch.tensor([0, 9, 2, 9, 2, 9, 5, 9, 7], device=device)[::2]]
    for total in (None, 7):
        got = pk.dense_to_jagged(dense, offsets, total)[0]
        assert torch.equal(got, pk.dense_to_jagged(dense.contiguous(), offsets, total)[0])


OFFSETS = torch.tensor([0, 2, 3])
DENSE = torch.zeros(2, 3, 2)
BAD_CALLS = {
    "no offsets": (DENSE, [], None, "1 to 5 1-D tensors"),
    "too many levels": (DENSE[None, None, None], [OFFSETS] * 6, 3, "must be 7-D or 8-D"),
    "another rank": (DENSE[None], [OFFSETS], 3, "`dense` must be 2-D or 3-D"),
    "another number of groups": (DENSE[:1], [OFFSETS], 3, "1 groups but `x_offsets.0.` has 2"),
    "a negative total": (DENSE, [OFFSETS], -1, "`total_L` is negative"),
    "offsets of a float dtype": (DENSE, [OFFSETS.float()], None, "int32 or int64, not Float"),
    "empty offsets": (DENSE, [OFFSETS[:0]], None, "at least one element"),
}
CPU_ONLY_BAD_CALLS = {
    "decreasing offsets": (DENSE, [torch.tensor([0, 3, 2])], 3, "decreases at position 2, from 3"),
    "a total that is too small": (DENSE, [OFFSETS], 2, "ends at 3 but there are only 2 rows"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_input_is_an_error_that_names_the_operator(case, device):
    dense, offsets, total, message = BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::dense_to_jagged: .*{message}"):
        pk.dense_to_jagged(dense.to(device), to_device(offsets, device), total)


@pytest.mark.parametrize("case", CPU_ONLY_BAD_CALLS)
def test_bad_contents_are_an_error_on_the_cpu(case):
    dense, offsets, total, message = CPU_ONLY_BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::dense_to_jagged: .*{message}"):
        pk.dense_to_jagged(dense, offsets, total)


@pytest.mark.parametrize("total", [None, 3, 5])
def test_the_operators_pass_opcheck(total, device):
    dense = torch.randn(2, 3, 2, device=device, requires_grad=True)
    for name in ("dense_to_jagged_forward", "dense_to_jagged"):
        operator = getattr(torch.ops.pinwheel, name).default
        torch.library.opcheck(operator, (dense, [OFFSETS.to(device)], total))


def test_a_compiled_function_gives_the_same_and_has_gradients(device):
    def loss(dense: torch.Tensor, lengths: torch.Tensor, total: int) -> torch.Tensor:
        offsets = pk.asynchronous_complete_cumsum(lengths)
        values, _ = torch.ops.pinwheel.dense_to_jagged(dense, [offsets], total)
        return (values * 3).sum()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True, dynamic=True)
    for lengths in ([1, 3, 0], [2, 0]):
        counts = torch.tensor(lengths, device=device)
        dense = torch.randn(len(lengths), 2, 2, device=device, requires_grad=True)
        torch.testing.assert_close(compiled(dense, counts, 4), loss(dense, counts, 4))
        compiled(dense, counts, 4).backward()
        shown = torch.arange(2)[None, :] < torch.tensor(lengths)[:, None]
        assert torch.equal(dense.grad[..., 0].cpu(), shown * 3.0)


def test_a_function_compiled_without_a_total_gives_the_same(device):
    def doubled(dense: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        return pk.dense_to_jagged(dense, [offsets])[0] * 2

    compiled = torch.compile(doubled, backend="eager", fullgraph=True, dynamic=True)
    dense = torch.randn(2, 3, 2, device=device)
    assert torch.equal(compiled(dense, OFFSETS.to(device)), doubled(dense, OFFSETS.to(device)))
