"""More than 2^31 elements, on a GPU with enough memory; the emulator runs the same with few."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from conftest import COMPUTE
from torch import Tensor

import pinwheel_kernels as pk

pytestmark = pytest.mark.large

OPS = torch.ops.pinwheel
SMALL = COMPUTE == "emulated"
PERIOD = 997


def large(number: int, small: int) -> int:
    return small if SMALL else number


@pytest.fixture
def room(gpu: torch.device) -> torch.device:
    """A GPU with 60 GB of free memory."""
    if not SMALL:
        torch.cuda.empty_cache()
        if torch.cuda.mem_get_info(gpu)[0] < 60e9:
            pytest.skip("less than 60 GB of free memory on the GPU")
    return gpu


@dataclass
class Lookups:
    """Two tables whose row r, counted over both, holds r % PERIOD in every column."""

    weights: Tensor
    lists: tuple[Tensor, ...]
    numbers: Tensor  # [2, batch, length], the rows that are looked up
    columns: int

    @property
    def expected(self) -> Tensor:
        return (self.numbers % PERIOD).float()


def lookups(device: torch.device) -> Lookups:
    rows, columns, batch, length = large(5_000_000, 400), large(1024, 16), 512, 8
    weights = torch.empty(2 * rows * columns, device=device)
    weights.view(-1, columns).copy_((torch.arange(2 * rows, device=device) % PERIOD)[:, None].expand(-1, columns))
    indices = torch.randint(0, rows, (2 * batch * length,), device=device)
    indices[-64:] = rows - 1 - torch.arange(64, device=device)  # the end of the weights
    steps = torch.arange(3, device=device)
    offsets = torch.arange(2 * batch + 1, device=device) * length
    lists = (steps[:-1] * rows * columns, (steps * columns).int(), steps * rows, indices, offsets)
    numbers = indices.view(2, batch, length) + steps[:-1, None, None] * rows
    return Lookups(weights, lists, numbers, columns)


def forward(of: Lookups, pooling: int) -> Tensor:
    firsts, columns, rows, indices, offsets = of.lists
    return OPS.tbe_forward(of.weights, firsts, columns, 2 * of.columns, rows, indices, offsets, pooling, None, 0)


def test_lookups_in_large_tables(room, rng):
    of = lookups(room)
    sums = of.expected.sum(2).t()
    assert (forward(of, 0).view(-1, 2, of.columns) == sums[:, :, None]).all()
    rows = forward(of, 2)
    assert (rows == of.expected.flatten()[:, None]).all()


@pytest.mark.parametrize("optimizer", ["sgd", "rowwise_adagrad"])
def test_updates_of_large_tables(optimizer, room, rng):
    of = lookups(room)
    gradient = torch.ones(of.numbers.shape[1], 2 * of.columns, device=room)
    touched, counts = of.numbers.flatten().unique(return_counts=True)
    if optimizer == "sgd":
        OPS.tbe_backward_sgd_(gradient, of.weights, *of.lists, 0, None, 1.0)
        steps = counts.float()
    else:
        momentum = torch.zeros(int(of.lists[2][-1]), device=room)
        OPS.tbe_backward_rowwise_adagrad_(gradient, of.weights, momentum, *of.lists, 0, None, 1.0, 0.0)
        assert torch.equal(momentum[touched], counts.float() ** 2)
        steps = torch.ones(touched.numel(), device=room)
    rows = of.weights.view(-1, of.columns)
    torch.testing.assert_close(rows[touched], ((touched % PERIOD) - steps)[:, None].expand(-1, of.columns))
    near = torch.cat([touched - 1, touched + 1]).clamp(0, rows.shape[0] - 1)
    near = near[~torch.isin(near, touched)]
    assert torch.equal(rows[near], (near % PERIOD).float()[:, None].expand(-1, of.columns))


def test_gradients_of_lookups_in_large_tables(room, rng):
    of = lookups(room)
    gradient = torch.ones(of.numbers.shape[1], 2 * of.columns, device=room)
    per_index = OPS.tbe_backward_indice_weights(gradient, of.weights, *of.lists, 0)
    assert torch.equal(per_index, of.expected.flatten() * of.columns)


def test_a_dense_gradient_of_many_elements(room, rng):
    rows, columns = large(2_300_000, 300), large(1024, 16)
    weights = torch.zeros(rows * columns, device=room)
    indices = torch.randint(0, rows, (4096,), device=room)
    indices[-1] = rows - 1
    steps, offsets = torch.arange(2, device=room), torch.arange(513, device=room) * 8
    lists = (steps[:1], (steps * columns).int(), steps * rows, indices, offsets)
    found = OPS.tbe_backward_dense(torch.ones(512, columns, device=room), weights, *lists, 0).view(rows, columns)
    touched, counts = indices.unique(return_counts=True)
    assert torch.equal(found[touched], counts.float()[:, None].expand(-1, columns))
    assert int(found[:, 0].count_nonzero()) == touched.numel()


def test_lookups_in_a_large_table_of_codes(room, rng):
    rows, width = large(300_000_000, 3000), 128
    weights = torch.empty(rows, width + 4, dtype=torch.uint8, device=room)
    weights[:, :4] = torch.tensor([1.0, 0.0]).half().view(torch.uint8).to(room)
    weights[:, 4:] = (torch.arange(rows, device=room) % 251).to(torch.uint8)[:, None]
    indices = torch.randint(0, rows, (4096 * 4,), device=room)
    indices[-9:] = rows - 1 - torch.arange(9, device=room)
    steps, offsets = torch.arange(2, device=room), torch.arange(4097, device=room) * 4
    lists = (steps[:1], (steps * width).int(), width, steps * rows)
    for dtype in (torch.int64, torch.int32):
        bags = indices.to(dtype), offsets.to(dtype)
        out = OPS.int8_tbe_forward(weights.view(-1), *lists, *bags, 0, None, 0, False, False, 1)
        assert (out == (indices % 251).view(-1, 4).sum(1).float()[:, None]).all()


@dataclass
class Jagged:
    """More than 2^31 values, and the groups at their end."""

    lengths: Tensor
    offsets: Tensor
    values: Tensor
    longest: int = 512

    @property
    def inside(self) -> Tensor:
        return torch.arange(self.longest, device=self.lengths.device)[None] < self.lengths[:, None]

    @property
    def tail(self) -> tuple[int, int]:
        """The first group of the end, and its first row."""
        group = len(self.lengths) - 50
        return group, int(self.offsets[group])

    @property
    def end(self) -> tuple[Tensor, Tensor]:
        group, row = self.tail
        return self.values[row:].contiguous(), self.offsets[group:] - row


@pytest.fixture
def jagged(room: torch.device, rng) -> Jagged:
    lengths = torch.randint(480, Jagged.longest + 1, (large(70_000, 70),), device=room)
    offsets = pk.asynchronous_complete_cumsum(lengths)
    values = torch.empty(int(offsets[-1]), 64, dtype=torch.float16, device=room).normal_()
    return Jagged(lengths, offsets, values)


def test_jagged_tensors_of_many_elements(jagged):
    values, offsets, longest = jagged.values, [jagged.offsets], jagged.longest
    dense = pk.jagged_to_padded_dense(values, offsets, [longest])
    assert torch.equal(dense[jagged.inside], values)
    assert not dense[~jagged.inside].any()
    assert torch.equal(pk.dense_to_jagged(dense, offsets, len(values))[0], values)
    packed = pk.pack_segments(values, jagged.lengths, longest)
    assert torch.equal(packed, dense)
    assert torch.equal(OPS.pack_segments_backward(packed, jagged.lengths, len(values), longest), values)


def test_sums_of_jagged_tensors_of_many_elements(jagged):
    values, offsets = jagged.values, [jagged.offsets]
    ones = torch.ones(len(jagged.lengths), jagged.longest, 64, dtype=torch.float16, device=values.device)
    assert torch.equal(pk.jagged_dense_elementwise_add_jagged_output(values, offsets, ones)[0], values + 1)
    assert torch.equal(pk.jagged_dense_elementwise_mul(values, offsets, ones * 2)[0], values * 2)
    added = pk.jagged_dense_elementwise_add(values, offsets, ones)
    assert torch.equal(added[jagged.inside], values + 1)
    assert (added[~jagged.inside] == 1).all()


def test_the_end_of_many_elements_is_computed_like_the_whole(jagged):
    group, row = jagged.tail
    values, offsets = jagged.end
    whole, _ = pk.jagged_softmax(jagged.values, jagged.offsets, jagged.longest)
    torch.testing.assert_close(whole[row:], pk.jagged_softmax(values, offsets, jagged.longest)[0])
    del whole
    vectors = torch.randn(2 * len(jagged.lengths), jagged.longest, device=values.device).half()
    last = vectors[2 * group :].contiguous()
    products = pk.batched_dense_vec_jagged_2d_mul(vectors, jagged.values, jagged.offsets)
    expected = pk.batched_dense_vec_jagged_2d_mul(last, values, offsets)
    torch.testing.assert_close(products[2 * group :], expected)
    backward = OPS.batched_dense_vec_jagged_2d_mul_backward
    of_vectors, of_values = backward(products, vectors, jagged.values, jagged.offsets)
    of_last, of_end = backward(products[2 * group :].contiguous(), last, values, offsets)
    torch.testing.assert_close(of_vectors[2 * group :], of_last)
    torch.testing.assert_close(of_values[row:], of_end)


def test_prefix_sums_and_ranges_of_many_elements(room, rng):
    count = large(2_200_000_000, 22_000)
    sums = pk.asynchronous_complete_cumsum(torch.ones(count, dtype=torch.int64, device=room))
    places = torch.randint(0, count + 1, (min(count, 1_000_000),), device=room)
    assert torch.equal(sums[places], places)
    del sums
    numbers = torch.zeros(count, dtype=torch.int32, device=room)
    numbers[1::2] = 1
    sums = pk.asynchronous_complete_cumsum(numbers)
    assert torch.equal(sums[places].long(), places // 2)
    del sums, numbers
    offsets = torch.arange(0, count + 1, large(1000, 10), device=room)
    ranges = pk.offsets_range(offsets, count)
    places = places[places < count]
    assert torch.equal(ranges[places], places % large(1000, 10))


def test_permuted_values_of_many_elements(room, rng):
    features, samples = 4, large(1000, 10)
    count = large(2_200_000_000, 2000)
    lengths = torch.full((features, samples), count // (features * samples), device=room)
    values = torch.arange(count, device=room).int()
    permute = torch.tensor([3, 1, 0, 2], device=room)
    _, permuted, _ = pk.permute_2D_sparse_data(permute, lengths, values)
    assert torch.equal(permuted.view(features, -1), values.view(features, -1)[permute])


def test_permuted_bags_and_sums_of_many_elements(room, rng):
    bags = large(1_000_000, 400)
    lengths = torch.randint(0, large(4400, 44), (bags,), device=room)
    offsets = pk.asynchronous_complete_cumsum(lengths)
    count = int(offsets[-1])
    values = torch.rand(count, device=room)
    sums = pk.segment_sum_csr(1, offsets, values)
    for bag in range(bags - 100, bags):
        expected = values[int(offsets[bag]) : int(offsets[bag + 1])].double().sum()
        torch.testing.assert_close(sums[bag].double(), expected, rtol=1e-4, atol=1e-3)
    values = torch.arange(count, device=room).int()
    permute = torch.randperm(bags, device=room)
    permuted_lengths, permuted, _ = pk.permute_1D_sparse_data(permute, lengths, values, None, count)
    assert torch.equal(permuted_lengths, lengths[permute])
    starts = pk.asynchronous_complete_cumsum(permuted_lengths)
    for bag in [*range(50), *range(bags - 50, bags)]:
        source = int(permute[bag])
        own = values[int(offsets[source]) : int(offsets[source + 1])]
        assert torch.equal(permuted[int(starts[bag]) : int(starts[bag + 1])], own)


def test_rows_of_codes_of_many_elements(room, rng):
    numbers = torch.empty(large(17_200_000, 500), 128, dtype=torch.float16, device=room).normal_()
    codes = pk.FloatOrHalfToFused8BitRowwiseQuantized(numbers)
    last = numbers[-100:].contiguous()
    assert torch.equal(codes[-100:], pk.FloatOrHalfToFused8BitRowwiseQuantized(last))
    back = pk.Fused8BitRowwiseQuantizedToFloatOrHalf(codes)
    assert torch.equal(back[-100:], pk.Fused8BitRowwiseQuantizedToFloatOrHalf(codes[-100:].contiguous()))
    assert (back[-100:] - last).abs().max() < 0.03


def test_permuted_columns_of_many_elements(room, rng):
    features, width = 100, 65
    pooled = torch.empty(large(340_000, 200), features * width, dtype=torch.float16, device=room).normal_()
    dims, order, zero = torch.full((features,), width), torch.randperm(features), torch.zeros(1, dtype=torch.int64)
    lists = [torch.cat([zero, dims.cumsum(0)]), order, torch.cat([zero, dims[order].cumsum(0)]), order.argsort()]
    permuted = pk.permute_pooled_embs(pooled, *(each.to(room) for each in lists))
    for rows in (slice(100), slice(-100, None)):
        parts = pooled[rows].view(100, features, width)[:, order.to(room)]
        assert torch.equal(permuted[rows], parts.reshape(100, -1))


def test_bounds_and_buckets_of_many_indices(room, rng):
    bags, rows = large(1_000_000, 400), 1000
    lengths = torch.randint(0, large(4400, 44), (bags,), device=room)
    offsets = pk.asynchronous_complete_cumsum(lengths)
    count = int(offsets[-1])
    indices = torch.randint(0, rows, (count,), device=room)
    wrong = torch.tensor([0, count // 2, count - 2, count - 1], device=room)
    indices[wrong] = torch.tensor([-7, 2**40, rows, rows], device=room)
    warnings = torch.zeros(1, dtype=torch.int64, device=room)
    pk.bounds_check_indices(torch.full((4,), rows, device=room), indices, offsets, 1, warnings)
    assert int(warnings) == 4 and not indices[wrong].any()
    narrow, blocks = indices.int(), torch.full((4,), 250, dtype=torch.int32, device=room)
    del indices
    counts, bucketed, *_ = pk.block_bucketize_sparse_features(lengths, narrow, False, False, blocks, 4)
    assert int(counts.sum()) == count
    starts = pk.asynchronous_complete_cumsum(counts)
    for bag in range(bags - 20, bags):
        source = narrow[int(offsets[bag]) : int(offsets[bag + 1])]
        for rank in range(4):
            at = rank * bags + bag
            own = source[source // 250 == rank] % 250
            assert torch.equal(bucketed[int(starts[at]) : int(starts[at + 1])], own)
