from __future__ import annotations

import random

import pytest
import torch
from reference import INDEX_DTYPES
from tables import DTYPE_NUMBERS, MEAN, NONE, SUM, Tables, lookup, random_tables

import pinwheel_kernels as pk

FLOATS = [torch.float32, torch.float16, torch.bfloat16]
TOLERANCE = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 1e-2}
# Below, at and above one vector; blocks of vectors with and without a remainder.
WIDTHS = [1, 2, 3, 4, 7, 8, 12, 15, 16, 17, 24, 31, 33, 64, 100, 128, 129, 192, 260]


def check(case: Tables, out_dtype: torch.dtype, device: torch.device) -> None:
    tables = [table.double() for table in case.tables()]
    expected = lookup(case, tables)
    got = pk.tbe_forward(*case.to(device).arguments(), DTYPE_NUMBERS[out_dtype]).cpu()
    assert got.dtype == out_dtype
    assert got.shape == expected.shape
    tolerance = TOLERANCE[out_dtype]
    torch.testing.assert_close(got.double(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("index", INDEX_DTYPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("mode", [SUM, MEAN])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_pooled_bags_match_a_loop(seed, weighted, mode, dtype, index, device, rng):
    dims = [rng.choice(WIDTHS) for _ in range(rng.randint(1, 5))]
    case = random_tables(
        rng,
        dims,
        rng.randint(1, 7),
        rng.choice([1, 5, 40]),
        index=index,
        dtype=dtype,
        pooling_mode=mode,
        weighted=weighted,
    )
    check(case, rng.choice(FLOATS), device)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_rows_of_every_width_are_read(dtype, width, device, rng):
    check(random_tables(rng, [width, 5, width], 9, 4, dtype=dtype), dtype, device)


@pytest.mark.parametrize("index", INDEX_DTYPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("width", [1, 4, 16, 50, 64, 130])
def test_without_pooling_every_index_gives_its_row(width, dtype, index, device, rng):
    case = random_tables(rng, [width] * 3, 5, 6, index=index, dtype=dtype, pooling_mode=NONE)
    got = pk.tbe_forward(*case.to(device).arguments(), DTYPE_NUMBERS[dtype]).cpu()
    assert torch.equal(got, lookup(case, case.tables()))


def test_positions_that_no_bag_has_are_zero_without_pooling(device, rng):
    case = random_tables(rng, [4, 4], 2, 3, pooling_mode=NONE)
    case.indices = torch.cat([case.indices, torch.tensor([10**9, -5])])
    got = pk.tbe_forward(*case.to(device).arguments()).cpu()
    assert torch.equal(got[-2:], torch.zeros(2, 4))
    assert torch.equal(got[:-2], lookup(case, case.tables()))


@pytest.mark.parametrize("mode", [SUM, MEAN, NONE])
@pytest.mark.parametrize(("dims", "batch"), [([], 0), ([4], 0), ([0, 0], 3), ([4, 4], 3)])
def test_there_may_be_no_tables_samples_columns_or_indices(dims, batch, mode, device, rng):
    case = random_tables(rng, dims, batch, 0, pooling_mode=mode)
    got = pk.tbe_forward(*case.to(device).arguments()).cpu()
    rows = 0 if mode == NONE else batch
    assert got.shape == (rows, sum(dims) // max(1, len(dims)) if mode == NONE else sum(dims))
    assert not got.any()


def test_a_table_may_have_no_columns_between_others(device, rng):
    check(random_tables(rng, [3, 0, 5], 4, 6), torch.float32, device)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_many_bags_of_very_different_lengths_agree_with_embedding_bag(dtype, device, rng):
    """Enough work for several threads, with one bag that is longer than all others together."""
    rows, width, batch = 5000, 64, 400
    lengths = torch.randint(0, 30, (3 * batch,))
    lengths[batch // 2] = 20_000
    offsets = pk.asynchronous_complete_cumsum(lengths)
    indices = torch.randint(0, rows, (int(offsets[-1]),))
    weights = torch.randn(3 * rows * width).to(dtype)
    tables = weights.view(3, rows, width)
    got = pk.tbe_forward(
        weights.to(device),
        torch.arange(3, device=device) * rows * width,
        torch.arange(4, device=device, dtype=torch.int32) * width,
        3 * width,
        torch.arange(4, device=device) * rows,
        indices.to(device),
        offsets.to(device),
        MEAN,
    ).cpu()
    for t in range(3):
        first, last = int(offsets[t * batch]), int(offsets[(t + 1) * batch])
        expected = torch.nn.functional.embedding_bag(
            indices[first:last],
            tables[t].float(),
            offsets[t * batch : (t + 1) * batch] - first,
            mode="mean",
        )
        torch.testing.assert_close(got[:, t * width : (t + 1) * width], expected, rtol=1e-4, atol=1e-4)


def test_non_contiguous_arguments_are_supported(device, rng: random.Random):
    case = random_tables(rng, [4, 7], 5, 6, weighted=True).to(device)
    expected = pk.tbe_forward(*case.arguments())
    strided = [
        torch.stack([a, a * 3], 1)[:, 0] if isinstance(a, torch.Tensor) else a
        for a in case.arguments()
    ]
    assert not strided[0].is_contiguous()
    assert torch.equal(pk.tbe_forward(*strided), expected)


BAD_CALLS = {
    "weights of rank 2": ({"weights": torch.zeros(4, 4)}, "`weights` must be 1-D"),
    "weights of float64": ({"weights": torch.zeros(16).double()}, "float32, float16 or bfloat16"),
    "weights offsets of int32": (
        {"weights_offsets": torch.zeros(1).int()},
        "`weights_offsets` must hold Long, not Int",
    ),
    "too few columns": ({"D_offsets": torch.tensor([0])}, "`D_offsets` must be 1-D with 2 elements"),
    "rows of another count": (
        {"hash_size_cumsum": torch.tensor([0, 2, 4])},
        "`hash_size_cumsum` must be 1-D with 2 elements",
    ),
    "indices of a float dtype": (
        {"indices": torch.zeros(4)},
        "`indices` must hold int32 or int64, not Float",
    ),
    "two index dtypes": ({"indices": torch.zeros(4).int()}, "must have the same dtype"),
    "indices of rank 2": ({"indices": torch.zeros(2, 2).long()}, "`indices` must be 1-D"),
    "no offsets": ({"offsets": torch.zeros(0).long()}, "`offsets` must be 1-D"),
    "a wrong mode": ({"pooling_mode": 3}, "`pooling_mode` must be 0 .* not 3"),
    "a negative width": ({"total_D": -1}, "negative"),
    "weights of too few indices": (
        {"indice_weights": torch.ones(3)},
        "`indice_weights` must be 1-D with 4 elements",
    ),
    "weights of float16": (
        {"indice_weights": torch.ones(4).half()},
        "`indice_weights` must hold Float, not Half",
    ),
    "weights without pooling": (
        {"indice_weights": torch.ones(4), "pooling_mode": NONE},
        "`indice_weights` require pooling",
    ),
    "a wrong output dtype": ({"output_dtype": 2}, "must be 0 .* not 2"),
}
CPU_ONLY_BAD_CALLS = {
    "an index past the table": (
        {"indices": torch.tensor([0, 1, 4, 9])},
        r"`indices\[2\]` is 4 but table 0 has 4 rows \(sample 1\)",
    ),
    "a negative index": (
        {"indices": torch.tensor([0, -1, 4, 0])},
        r"`indices\[1\]` is -1 but table 0 has 4 rows \(sample 0\)",
    ),
    "decreasing offsets": ({"offsets": torch.tensor([0, 3, 2])}, "decreases from 3 to 2 at position 2"),
    "offsets that start late": ({"offsets": torch.tensor([1, 3, 4])}, "must start with 0, not 1"),
    "offsets past the indices": ({"offsets": torch.tensor([0, 3, 5])}, "only 4 indices"),
    "rows outside the weights": (
        {"hash_size_cumsum": torch.tensor([0, 5])},
        "table 0 of 5 rows of 4 from 0 on does not fit in `weights`, which has 16",
    ),
    "a start outside the weights": ({"weights_offsets": torch.tensor([-1])}, "does not fit"),
    "a huge table": ({"hash_size_cumsum": torch.tensor([0, 2**62])}, "does not fit"),
    "fewer rows than none": ({"hash_size_cumsum": torch.tensor([4, 0])}, "decreases after table 0"),
    "columns of another total": (
        {"D_offsets": torch.tensor([0, 3])},
        "must span 0 to `total_D`, which is 4, not from 0 to 3",
    ),
}


def call(changes: dict[str, object], device: torch.device) -> torch.Tensor:
    arguments = {
        "weights": torch.zeros(16),
        "weights_offsets": torch.tensor([0]),
        "D_offsets": torch.tensor([0, 4]),
        "total_D": 4,
        "hash_size_cumsum": torch.tensor([0, 4]),
        "indices": torch.zeros(4).long(),
        "offsets": torch.tensor([0, 2, 4]),
        "pooling_mode": SUM,
    } | changes
    moved = {k: v.to(device) if isinstance(v, torch.Tensor) else v for k, v in arguments.items()}
    return pk.tbe_forward(**moved)


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_input_is_an_error_that_names_the_operator(case, device):
    changes, message = BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::tbe_forward: .*{message}"):
        call(changes, device)


@pytest.mark.parametrize("case", CPU_ONLY_BAD_CALLS)
def test_bad_contents_are_an_error_on_the_cpu(case):
    changes, message = CPU_ONLY_BAD_CALLS[case]
    with pytest.raises(RuntimeError, match=f"pinwheel::tbe_forward: .*{message}"):
        call(changes, torch.device("cpu"))


def test_tables_of_two_widths_need_pooling():
    changes = {
        "weights_offsets": torch.tensor([0, 4]),
        "D_offsets": torch.tensor([0, 1, 4]),
        "hash_size_cumsum": torch.tensor([0, 2, 4]),
        "pooling_mode": NONE,
    }
    with pytest.raises(RuntimeError, match="tbe_forward: without pooling .* table 0 has 1 of 4"):
        call(changes, torch.device("cpu"))


def test_the_error_names_the_first_of_many_bad_indices(rng):
    case = random_tables(rng, [64] * 8, 300, 10)
    bad = sorted(rng.sample(range(case.indices.numel()), 50))
    case.indices[bad] = -3
    with pytest.raises(RuntimeError, match=rf"`indices\[{bad[0]}\]` is -3"):
        pk.tbe_forward(*case.arguments())


def test_hostile_contents_are_harmless_on_a_gpu(gpu, rng):
    case = random_tables(rng, [4, 8], 8, 3).to(gpu)
    expected = pk.tbe_forward(*case.arguments())
    # The last sample's bag of the last table is hostile, and so are bags with one of these positions.
    spared = [
        sample
        for sample in range(case.batch - 1)
        if not any({0, 1} & set(case.bags_of(t)[sample]) for t in range(2))
    ]
    assert len(spared) >= 5
    case.indices[:2] = torch.tensor([2**40, -(2**40)], device=gpu)
    case.offsets[-1] = 2**50
    got = pk.tbe_forward(*case.arguments())
    assert torch.equal(got[spared], expected[spared])


@pytest.mark.parametrize("mode", [SUM, MEAN, NONE])
def test_the_forward_operator_passes_opcheck(mode, device, rng):
    case = random_tables(rng, [4, 4], 3, 4, pooling_mode=mode, weighted=mode != NONE).to(device)
    torch.library.opcheck(torch.ops.pinwheel.tbe_forward.default, case.arguments())


def test_a_compiled_function_gives_the_same_for_other_batches(device, rng):
    def double(*arguments) -> torch.Tensor:
        return pk.tbe_forward(*arguments) * 2

    compiled = torch.compile(double, backend="eager", fullgraph=True, dynamic=True)
    for batch in (3, 5):
        case = random_tables(rng, [4, 7], batch, 5, weighted=True).to(device)
        torch.testing.assert_close(compiled(*case.arguments()), double(*case.arguments()))
