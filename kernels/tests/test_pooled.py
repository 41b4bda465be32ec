from __future__ import annotations

import random

import pytest
import torch
from reference import INDEX_DTYPES, complete_cumsum
from torch import Tensor

import pinwheel_kernels as pk

OPS = [pk.permute_pooled_embs, pk.permute_pooled_embs_auto_grad]
all_ops = pytest.mark.parametrize("op", OPS, ids=lambda op: op.__name__)


def lists_of(
    dims: list[int], order: list[int], dtype: torch.dtype, device: torch.device
) -> list[Tensor]:
    inverse = [order.index(t) for t in range(len(order))]
    offsets = complete_cumsum(dims)
    inverse_offsets = complete_cumsum([dims[t] for t in order])
    lists = (offsets, order, inverse_offsets, inverse)
    return [torch.tensor(numbers, dtype=dtype, device=device) for numbers in lists]


def by_splitting(pooled: Tensor, dims: list[int], order: list[int]) -> Tensor:
    parts = pooled.split(dims, dim=1)
    return torch.cat([pooled[:, :0], *[parts[t] for t in order]], dim=1)


@all_ops
def test_the_example_of_the_documentation(op, device):
    lists = lists_of([2, 3, 1, 4], [3, 0, 2, 1], torch.int64, device)
    got = op(torch.arange(10, device=device)[None], *lists)
    assert got.tolist() == [[6, 7, 8, 9, 0, 1, 5, 2, 3, 4]]


@all_ops
@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("dtype", INDEX_DTYPES)
def test_permuted_columns_match_split_and_cat(op, dtype, seed, device, rng: random.Random):
    features = rng.randint(0, 9)
    widths = rng.choice([[0, 1, 2, 5], [16], [64], [4, 32, 64, 100]])
    dims = [rng.choice(widths) for _ in range(features)]
    order = rng.sample(range(features), features)
    pooled = torch.randn(rng.randint(0, 20), sum(dims))
    element = rng.choice([torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int8])
    pooled = pooled.to(element)
    got = op(pooled.to(device), *lists_of(dims, order, dtype, device))
    assert got.dtype == element
    assert torch.equal(got.cpu(), by_splitting(pooled, dims, order))


def test_many_rows_are_split_over_threads_correctly(device):
    dims, order = [64, 128, 60], [2, 0, 1]
    pooled = torch.randn(5001, sum(dims))
    got = pk.permute_pooled_embs(pooled.to(device), *lists_of(dims, order, torch.int64, device))
    assert torch.equal(got.cpu(), by_splitting(pooled, dims, order))


def test_non_contiguous_input_is_supported(device):
    pooled = torch.randn(10, 6, device=device).t()[::2]
    lists = lists_of([4, 6], [1, 0], torch.int64, device)
    got = pk.permute_pooled_embs(pooled, *lists)
    assert torch.equal(got, by_splitting(pooled, [4, 6], [1, 0]))


@all_ops
def test_gradients_match_finite_differences(op, device):
    lists = lists_of([2, 3, 1, 0], [3, 0, 2, 1], torch.int64, device)
    pooled = torch.randn(3, 6, dtype=torch.float64, device=device, requires_grad=True)
    torch.autograd.gradcheck(lambda x: op(x, *lists), (pooled,))
    torch.autograd.gradgradcheck(lambda x: op(x, *lists), (pooled,))


@all_ops
def test_gradients_go_back_to_their_columns(op, device):
    dims, order = [2, 3, 1, 4], [3, 0, 2, 1]
    pooled = torch.randn(4, 10, device=device, requires_grad=True)
    weights = torch.randn(4, 10, device=device)
    op(pooled, *lists_of(dims, order, torch.int64, device)).backward(weights)
    other = pooled.detach().clone().requires_grad_()
    by_splitting(other, dims, order).backward(weights)
    assert torch.equal(pooled.grad, other.grad)


POOLED = torch.zeros(2, 5)
LISTS = [[0, 2, 5], [1, 0], [0, 3, 5], [1, 0]]
BAD_CALLS = {
    "pooled of rank 1": ((POOLED[0], *LISTS), "`pooled_embs` must be 2-D"),
    "offsets too short": (
        (POOLED, [0, 5], *LISTS[1:]),
        "`offset_dim_list` must have the shape .3.",
    ),
    "inverse too short": ((POOLED, *LISTS[:3], [1]), "`inv_permute_list` must have the shape .2."),
    "a list of floats": (
        (POOLED, LISTS[0], [1.0, 0.0], *LISTS[2:]),
        "`permute_list` must hold int32",
    ),
}
CPU_ONLY_BAD_CALLS = {
    "first offset": ((POOLED, [1, 2, 5], *LISTS[1:]), "`offset_dim_list` must start with 0, not 1"),
    "falling offsets": ((POOLED, [0, 6, 5], *LISTS[1:]), "`offset_dim_list` decreases at 2"),
    "last offset": ((POOLED, [0, 2, 4], *LISTS[1:]), "ends at 4 but `pooled_embs` has 5 columns"),
    "inverse offsets": (
        (POOLED, *LISTS[:2], [0, 2, 5], LISTS[3]),
        "has 2 columns for output feature 0",
    ),
    "feature that is not there": ((POOLED, LISTS[0], [2, 0], *LISTS[2:]), "`permute_list.0.` is 2"),
    "repeated feature": ((POOLED, LISTS[0], [1, 1], *LISTS[2:]), "`inv_permute_list.1.` is 0 but"),
    "no inverse": (
        (POOLED, *LISTS[:3], [0, 1]),
        "`inv_permute_list.1.` is 1 but `permute_list.0.` is 1",
    ),
}


def assert_fails(op, arguments, message, device):
    moved = [torch.as_tensor(argument).to(device) for argument in arguments]
    with pytest.raises(RuntimeError, match=f"pinwheel::{op.__name__}: .*{message}"):
        op(*moved)


@all_ops
@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_input_is_an_error_that_names_the_operator(case, op, device):
    assert_fails(op, *BAD_CALLS[case], device)


@all_ops
@pytest.mark.parametrize("case", CPU_ONLY_BAD_CALLS)
def test_bad_contents_are_an_error_on_the_cpu(case, op):
    assert_fails(op, *CPU_ONLY_BAD_CALLS[case], torch.device("cpu"))


@all_ops
def test_the_operator_passes_opcheck(op, device):
    pooled = torch.randn(3, 10, device=device, requires_grad=True)
    lists = lists_of([2, 3, 1, 4], [3, 0, 2, 1], torch.int64, device)
    torch.library.opcheck(getattr(torch.ops.pinwheel, op.__name__).default, (pooled, *lists))


@all_ops
def test_it_compiles_with_dynamic_shapes_and_gradients(op, device):
    lists = lists_of([2, 3], [1, 0], torch.int64, device)
    compiled = torch.compile(op, backend="eager", fullgraph=True, dynamic=True)
    for rows in (2, 7):
        pooled = torch.randn(rows, 5, device=device, requires_grad=True)
        got = compiled(pooled, *lists)
        assert torch.equal(got, by_splitting(pooled, [2, 3], [1, 0]))
        got.sum().backward()
        assert torch.equal(pooled.grad, torch.ones_like(pooled))
