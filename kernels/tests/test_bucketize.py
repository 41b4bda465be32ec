from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import Any

import pytest
import torch
from reference import INDEX_DTYPES, bucketize
from torch import Tensor

import pinwheel_kernels as pk

OP = torch.ops.pinwheel.block_bucketize_sparse_features
WIDTH = {torch.int32: 32, torch.int64: 64}


def random_indices(rng: random.Random, count: int, dtype: torch.dtype) -> Tensor:
    bits = WIDTH[dtype]
    kind = rng.choice(["small", "around 0", "any"])
    any_number = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    low, high = {"small": (0, 150), "around 0": (-60, 60), "any": any_number}[kind]
    return torch.randint(low, high, (count,), dtype=dtype)


def random_call(rng: random.Random, index: torch.dtype, length: torch.dtype) -> dict[str, Any]:
    features, ranks = rng.randint(1, 5), rng.choice([1, 2, 3, 5, 8])
    varies = rng.random() < 0.3
    samples = rng.randint(0, 6)
    batches = [rng.randint(0, 6) if varies else samples for _ in range(features)]
    longest = rng.choice([1, 3, 20, 600])
    lengths = torch.tensor([rng.randint(0, longest) for _ in range(sum(batches))], dtype=length)
    indices = random_indices(rng, int(lengths.sum()), index)
    call: dict[str, Any] = {
        "lengths": lengths,
        "indices": indices,
        "bucketize_pos": rng.random() < 0.5,
        "sequence": rng.random() < 0.5,
        "block_sizes": torch.tensor(rng.choices([0, 1, 3, 10, 50], k=features), dtype=index),
        "my_size": ranks,
        "keep_orig_idx": rng.random() < 0.3,
    }
    if rng.random() < 0.5:
        call["weights"] = torch.rand(indices.shape)
    if varies:
        call["batch_size_per_feature"] = torch.tensor(batches, dtype=length)
        call["max_B"] = max(batches)
    if rng.random() < 0.3:
        bounds = [[0, *sorted(rng.randint(0, 120) for _ in range(ranks))] for _ in range(features)]
        call["block_bucketize_pos"] = [torch.tensor(b, dtype=index) for b in bounds]
    if rng.random() < 0.3:
        blocks = [ranks * rng.randint(1, 3) for _ in range(features)]
        call["total_num_blocks"] = torch.tensor(blocks, dtype=index)
    if rng.random() < 0.3:
        keep = [rng.random() < 0.5 for _ in range(features)]
        call["keep_orig_idx_per_feature"] = torch.tensor(keep)
    return call


def moved(call: dict[str, Any], device: torch.device) -> dict[str, Any]:
    def move(value: Any) -> Any:
        if isinstance(value, list):
            return [move(each) for each in value]
        return value.to(device) if isinstance(value, Tensor) else value

    return {name: move(value) for name, value in call.items()}


def assert_same(got: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
    for one, other in zip(got, expected, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert one.dtype == other.dtype
            assert torch.equal(one.cpu(), other.cpu())


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("length", INDEX_DTYPES)
@pytest.mark.parametrize("index", INDEX_DTYPES)
def test_ranks_and_indices_match_a_loop(index, length, seed, device, rng):
    call = random_call(rng, index, length)
    got = pk.block_bucketize_sparse_features(**moved(call, device))
    assert_same(got, bucketize(**call))


def call_of(indices: list[int], **options: Any) -> dict[str, Any]:
    """One bag of one feature, two ranks of ten rows."""
    return {
        "lengths": torch.tensor([len(indices)]),
        "indices": torch.tensor(indices, dtype=torch.int64),
        "bucketize_pos": False,
        "sequence": False,
        "block_sizes": torch.tensor([10]),
        "my_size": 2,
    } | options


@pytest.mark.parametrize("dtype", INDEX_DTYPES)
def test_negative_indices_are_interpreted_as_unsigned(dtype, device):
    call = call_of([-8, 3, -7, 19])
    call["indices"] = call["indices"].to(dtype)
    lengths, indices, *_ = pk.block_bucketize_sparse_features(**moved(call, device))
    half = 2 ** (WIDTH[dtype] - 1)
    assert lengths.tolist() == [2, 2]
    assert indices.tolist() == [half - 4, 3, half - 4, 9]


def test_blocks_above_2_to_the_52_are_split_exactly(device):
    rows = 2**60 + 1
    indices = [0, rows - 1, rows, 2 * rows - 1, 2**62, 2 * rows]
    call = call_of(indices, block_sizes=torch.tensor([rows]))
    assert_same(pk.block_bucketize_sparse_features(**moved(call, device)), bucketize(**call))


@pytest.mark.parametrize("rows", [1, 3, 7, 1000, 2**20 - 1, 2**31, 2**40 + 1, 2**51 - 1])
def test_block_boundaries_are_exact(rows, device):
    ranks = 5
    borders = [rank * rows + step for rank in range(ranks) for step in {0, rows // 2, rows - 1}]
    call = call_of(borders, block_sizes=torch.tensor([rows]), my_size=ranks, sequence=True)
    lengths, indices, _, _, permute = pk.block_bucketize_sparse_features(**moved(call, device))
    assert lengths.tolist() == [len(borders) // ranks] * ranks
    assert indices[permute].tolist() == [border % rows for border in borders]


def test_many_indices_are_split_over_threads_correctly(device, rng):
    lengths = torch.randint(0, 40, (3 * 2000,))
    lengths[5] = 30_000
    count = int(lengths.sum())
    call = {
        "lengths": lengths,
        "indices": torch.randint(0, 1000, (count,)),
        "bucketize_pos": True,
        "sequence": True,
        "block_sizes": torch.tensor([100, 200, 30]),
        "my_size": 4,
        "weights": torch.rand(count, dtype=torch.float64),
    }
    expected = bucketize(**call)
    assert_same(pk.block_bucketize_sparse_features(**moved(call, device)), expected)
    if device.type == "cpu":
        threads = torch.get_num_threads()
        for count in (1, 3):
            torch.set_num_threads(count)
            assert_same(pk.block_bucketize_sparse_features(**call), expected)
        torch.set_num_threads(threads)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float16, torch.int32, torch.float64])
def test_weights_of_every_width_are_moved(dtype, device, rng):
    call = call_of([random.randrange(20) for _ in range(50)], weights=torch.arange(50).to(dtype))
    got = pk.block_bucketize_sparse_features(**moved(call, device))
    assert_same(got, bucketize(**call))


def test_empty_input_gives_an_empty_result(device):
    nothing = torch.zeros(0, dtype=torch.int64)
    call = call_of([], lengths=nothing, block_sizes=nothing, weights=torch.zeros(0))
    lengths, indices, weights, *_ = pk.block_bucketize_sparse_features(**moved(call, device))
    assert (lengths.numel(), indices.numel(), weights.numel()) == (0, 0, 0)
    call = call_of([], lengths=torch.zeros(3, dtype=torch.int32), sequence=True)
    lengths, *_, permute = pk.block_bucketize_sparse_features(**moved(call, device))
    assert lengths.tolist() == [0] * 6
    assert permute.numel() == 0


def test_non_contiguous_input_is_supported(device, rng):
    wide = torch.randint(0, 25, (60,))
    call = call_of([], lengths=torch.tensor([10, 7, 20, 9])[::2], weights=torch.rand(60)[::2])
    call["indices"] = wide[::2]
    assert_same(pk.block_bucketize_sparse_features(**moved(call, device)), bucketize(**call))


LONG = torch.tensor([1, 2])
BAD_CALLS = {
    "lengths of rank 2": ({"lengths": LONG[None]}, "`lengths` must be 1-D"),
    "lengths of a float dtype": ({"lengths": LONG.float()}, "`lengths` must hold int32"),
    "indices of a float dtype": ({"indices": LONG.float()}, "`indices` must hold int32"),
    "no features": ({"block_sizes": LONG[:0]}, "`block_sizes` has none"),
    "bags that cannot be shared": (
        {"lengths": torch.ones(3).long(), "block_sizes": LONG},
        "not a multiple of the 2",
    ),
    "no ranks": ({"my_size": 0}, "`my_size` must be at least 1 .* not 0"),
    "other weights": ({"weights": torch.ones(3)}, "`weights` must have 2 elements, not 3"),
    "wide weights": ({"weights": torch.ones(2).to(torch.complex128)}, "more than 8 bytes"),
    "other blocks": ({"total_num_blocks": LONG}, "`total_num_blocks` must have 1 elements"),
    "other batches": ({"batch_size_per_feature": LONG}, "`batch_size_per_feature` must have 1"),
    "other flags": ({"keep_orig_idx_per_feature": LONG[:1]}, "must hold bool, not Long"),
    "other bounds": ({"block_bucketize_pos": [LONG, LONG]}, "one tensor for each of the 1"),
    "empty bounds": ({"block_bucketize_pos": [LONG[:0]]}, "`block_bucketize_pos` is empty"),
}
CPU_ONLY_BAD_CALLS = {
    "negative length": ({"lengths": torch.tensor([2, -1])}, "`lengths.1.` is negative: -1"),
    "lengths whose sum overflows": (
        {"lengths": torch.tensor([2**62] * 4 + [2])},
        "`lengths.0.` is 4611686018427387904 but `indices` has 2",
    ),
    "more rows than can be counted": (
        {"block_sizes": torch.tensor([2**62])},
        "2 blocks of `block_sizes.0.` = 4611686018427387904 rows",
    ),
    "too many indices": ({"lengths": torch.tensor([1])}, "add up to 1 but `indices` has 2"),
    "negative block": ({"block_sizes": torch.tensor([-4])}, "`block_sizes.0.` is negative: -4"),
    "blocks for half a rank": (
        {"total_num_blocks": torch.tensor([3])},
        "multiple of `my_size` 2, not 3",
    ),
    "no blocks": ({"total_num_blocks": torch.tensor([0])}, "multiple of `my_size` 2, not 0"),
    "negative batch": (
        {"batch_size_per_feature": torch.tensor([-1])},
        "feature.0.. is negative: -1",
    ),
    "more bags than there are": (
        {"batch_size_per_feature": torch.tensor([2])},
        "is 2 but `lengths` has 1",
    ),
    "a batch above the largest": (
        {"batch_size_per_feature": torch.tensor([1]), "max_B": 0},
        "feature.0.. is 1 but `max_B` is 0",
    ),
    "no batch": ({"batch_size_per_feature": torch.tensor([0])}, "adds up to 0 but `lengths` has 1"),
    "bounds from 1 on": ({"block_bucketize_pos": [LONG]}, "must start with 0, not 1"),
    "falling bounds": ({"block_bucketize_pos": [torch.tensor([0, 5, 4])]}, "decreases at 2"),
}


def assert_fails(call: dict[str, Any], message: str) -> None:
    name = "pinwheel::block_bucketize_sparse_features"
    with pytest.raises(RuntimeError, match=f"{name}: .*{message}"):
        pk.block_bucketize_sparse_features(**call)


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_input_is_an_error_that_names_the_operator(case, device):
    changes, message = BAD_CALLS[case]
    assert_fails(moved(call_of([1, 2]) | changes, device), message)


@pytest.mark.parametrize("case", CPU_ONLY_BAD_CALLS)
def test_bad_contents_are_an_error_on_the_cpu(case):
    changes, message = CPU_ONLY_BAD_CALLS[case]
    assert_fails(call_of([1, 2]) | changes, message)


def test_outputs_of_bags_without_a_feature_are_zeroed_on_a_gpu(gpu):
    call = {
        "lengths": torch.tensor([2, 2]),
        "indices": torch.tensor([1, 2, 3, 4]),
        "bucketize_pos": False,
        "sequence": True,
        "block_sizes": torch.tensor([10]),
        "my_size": 1,
        "batch_size_per_feature": torch.tensor([1]),
    }
    # Memory that the next results may reuse.
    del [torch.full((4,), 77, device=gpu) for _ in range(16)][:]
    permute = pk.block_bucketize_sparse_features(**moved(call, gpu))[-1]
    assert permute.tolist() == [0, 1, 0, 0]


def test_a_sum_of_lengths_near_the_least_integer_is_harmless_on_a_gpu(gpu):
    # The end of the third bag is -2^63 + 9: subtracting its start, 9, would wrap around.
    for lengths in ([4, 5, -(2**63), 1, 2], [4, 2**63 - 5, 9, 1, 2]):
        call = call_of([1, 12, 3, 14, 5, 16, 7, 18, 9, 10, 11], lengths=torch.tensor(lengths), weights=torch.rand(11))
        call |= {"sequence": True, "bucketize_pos": True}
        pk.block_bucketize_sparse_features(**moved(call, gpu))
        if gpu.type == "cuda":
            torch.cuda.synchronize()


@pytest.mark.parametrize("seed", range(4))
def test_the_operator_passes_opcheck(seed, device, rng):
    call = moved(random_call(rng, torch.int64, torch.int32), device)
    torch.library.opcheck(OP.default, (), call)


def test_it_compiles_with_dynamic_shapes(device):
    op = pk.block_bucketize_sparse_features
    compiled = torch.compile(op, backend="eager", fullgraph=True, dynamic=True)
    for count in (3, 8):
        call = moved(call_of(list(range(count)), sequence=True, weights=torch.rand(count)), device)
        assert_same(compiled(**call), pk.block_bucketize_sparse_features(**call))


def test_more_ranks_than_fit_in_memory_are_an_error():
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("the address sanitizer needs the address space")
    script = (
        "import resource, torch, pinwheel_kernels as pk\n"
        "pages = int(open('/proc/self/statm').read().split()[0])\n"
        "most = pages * resource.getpagesize() + 2**30\n"
        "resource.setrlimit(resource.RLIMIT_AS, (most, most))\n"
        "one = torch.ones(1, dtype=torch.int32)\n"
        "try:\n"
        "    pk.block_bucketize_sparse_features(one, one, False, False, one, 2**27)\n"
        "except RuntimeError as error:\n"
        "    print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "block_bucketize_sparse_features: not enough memory for the counts of 134217728 ranks" in ran.stdout
