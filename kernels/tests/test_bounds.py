from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from reference import INDEX_DTYPES, complete_cumsum
from torch import Tensor

import pinwheel_kernels as pk

OP = torch.ops.pinwheel.bounds_check_indices
FATAL, WARNING, IGNORE = 0, 1, 2


def random_call(
    rng: random.Random, index: torch.dtype, offset: torch.dtype, varies: bool
) -> dict[str, Any]:
    """A valid call."""
    tables = rng.randint(1, 5)
    samples = rng.randint(0, 6)
    batches = [rng.randint(0, 6) if varies else samples for _ in range(tables)]
    rows = [rng.randint(1, 50) for _ in range(tables)]
    lengths, indices = [], []
    for t, batch in enumerate(batches):
        of_table = [rng.randint(0, rng.choice([2, 60])) for _ in range(batch)]
        lengths += of_table
        indices += [rng.randint(-1, rows[t] - 1) for _ in range(sum(of_table))]
    call: dict[str, Any] = {
        "rows_per_table": torch.tensor(rows),
        "indices": torch.tensor(indices, dtype=index),
        "offsets": torch.tensor(complete_cumsum(lengths), dtype=offset),
        "warning": torch.tensor([77]),
    }
    if varies:
        call["B_offsets"] = torch.tensor(complete_cumsum(batches), dtype=torch.int32)
        call["max_B"] = max(batches)
    return call


def spoil(call: dict[str, Any], rng: random.Random, offsets_too: bool) -> None:
    indices, offsets = call["indices"], call["offsets"]
    for at in range(indices.numel()):
        if rng.random() < 0.1:
            indices[at] = rng.randint(-100, 100)
    for at in range(offsets.numel()):
        if offsets_too and rng.random() < 0.1:
            offsets[at] = rng.randint(-5, indices.numel() + 5)


def repair(call: dict[str, Any]) -> tuple[list[int], list[int], int]:
    """Indices, offsets and the number of repairs, bag by bag."""
    names = ("indices", "offsets", "rows_per_table")
    indices, offsets, rows = (call[name].tolist() for name in names)
    bags = len(offsets) - 1
    starts = range(0, bags + 1, max(1, bags // len(rows)))
    if "B_offsets" in call:
        starts = call["B_offsets"].tolist()
    count = len(indices)
    warnings = int(offsets[-1] != count)
    offsets[-1] = count
    for t, table_rows in enumerate(rows):
        for bag in range(starts[t], starts[t + 1]) if bags > 0 else ():
            begin, end = offsets[bag : bag + 2]
            if not 0 <= begin <= end <= count:
                warnings += 1
                begin = min(max(begin, 0), count)
                end = max(begin, min(end, count))
                offsets[bag : bag + 2] = begin, end
            for i in range(begin, end):
                if not -1 <= indices[i] < table_rows:
                    warnings += 1
                    indices[i] = 0
    return indices, offsets, warnings


def moved(call: dict[str, Any], device: torch.device) -> dict[str, Any]:
    """A copy, because the operator changes its arguments."""
    return {name: v.clone().to(device) if isinstance(v, Tensor) else v for name, v in call.items()}


dtypes = pytest.mark.parametrize(
    ("index", "offset"), [(i, o) for i in INDEX_DTYPES for o in INDEX_DTYPES], ids=str
)


@dtypes
@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("varies", [False, True])
def test_repairs_match_a_loop(varies, seed, index, offset, device, rng):
    call = random_call(rng, index, offset, varies)
    if seed % 3 > 0:
        spoil(call, rng, offsets_too=seed % 3 == 2)
    indices, offsets, warnings = repair(call)
    for mode in (WARNING, IGNORE):
        got = moved(call, device)
        pk.bounds_check_indices(**got, bounds_check_mode=mode)
        assert got["indices"].tolist() == indices
        assert got["offsets"].tolist() == offsets
        assert got["warning"].tolist() == [warnings if mode == WARNING else 77]


@dtypes
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("varies", [False, True])
def test_fatal_mode_changes_nothing_and_fails_where_a_loop_repairs(
    varies, seed, index, offset, device, rng
):
    call = random_call(rng, index, offset, varies)
    if seed % 3 > 0:
        spoil(call, rng, offsets_too=seed % 3 == 2)
    wrong = repair(call)[2] > 0
    got = moved(call, device)
    if wrong:
        with pytest.raises(RuntimeError, match="pinwheel::bounds_check_indices: .*(offsets|indices)"):
            pk.bounds_check_indices(**got, bounds_check_mode=FATAL)
    else:
        pk.bounds_check_indices(**got, bounds_check_mode=FATAL)
    for name in ("indices", "offsets", "warning"):
        assert torch.equal(got[name].cpu(), call[name])


def many_indices(dtype: torch.dtype, longest: int = 40) -> dict:
    """Indices for 7 tables of 1000 rows; 500 of them are 1000."""
    tables, samples = 7, 5000
    lengths = torch.randint(0, longest, (tables * samples,))
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)])
    indices = torch.randint(0, 1000, (int(offsets[-1]),), dtype=dtype)
    indices[torch.randperm(indices.numel())[:500]] = 1000
    return {
        "rows_per_table": torch.full((tables,), 1000),
        "indices": indices,
        "offsets": offsets,
        "warning": torch.zeros(1, dtype=torch.int64),
    }


@pytest.mark.parametrize("longest", [30, 70])  # for two launches, and for three
@pytest.mark.parametrize("dtype", INDEX_DTYPES)
def test_many_indices_are_split_over_threads_correctly(dtype, longest, device, rng):
    call = many_indices(dtype, longest)
    got = moved(call, device)
    pk.bounds_check_indices(**got, bounds_check_mode=WARNING)
    assert got["warning"].item() == 500
    assert torch.equal(got["indices"].cpu(), call["indices"].where(call["indices"] < 1000, 0))


@pytest.mark.parametrize("longest", [30, 70])
def test_offsets_of_many_indices_are_repaired(longest, device, rng):
    call = many_indices(torch.int64, longest)
    repaired = call["offsets"].clone()
    repaired[20_000] = repaired[19_999]
    call["offsets"][20_000] = -1
    got = moved(call, device)
    pk.bounds_check_indices(**got, bounds_check_mode=WARNING)
    assert got["warning"].item() == 501
    assert torch.equal(got["offsets"].cpu(), repaired)
    assert torch.equal(got["indices"].cpu(), call["indices"].where(call["indices"] < 1000, 0))


@pytest.mark.parametrize("dtype", INDEX_DTYPES)
def test_the_error_names_the_first_of_many_bad_indices_on_the_cpu(dtype, rng):
    call = many_indices(dtype)
    first = int((call["indices"] == 1000).nonzero()[0])
    with pytest.raises(RuntimeError, match=rf"`indices.{first}.` is 1000 but table \d has 1000 rows"):
        pk.bounds_check_indices(**call, bounds_check_mode=FATAL)


@pytest.mark.parametrize("dtype", INDEX_DTYPES)
def test_the_largest_row_numbers_are_valid(dtype, device):
    top = torch.iinfo(dtype).max
    indices = torch.tensor([top, -1, 0], dtype=dtype)
    call = call_of(rows_per_table=torch.tensor([2**62]), indices=indices)
    got = moved(call, device)
    pk.bounds_check_indices(**got)
    assert got["indices"].tolist() == ([top, -1, 0] if dtype == torch.int32 else [0, -1, 0])


def test_empty_input_is_valid(device):
    empty = torch.zeros(0, dtype=torch.int64)
    zero = torch.zeros(1, dtype=torch.int64)
    for rows in (empty, torch.tensor([3, 4])):
        for mode in (FATAL, WARNING, IGNORE):
            call = call_of(rows_per_table=rows, indices=empty, offsets=zero, bounds_check_mode=mode)
            pk.bounds_check_indices(**moved(call, device))


def call_of(**changes: Any) -> dict[str, Any]:
    return {
        "rows_per_table": torch.tensor([10]),
        "indices": torch.tensor([1, 2, 3]),
        "offsets": torch.tensor([0, 2, 3]),
        "bounds_check_mode": WARNING,
        "warning": torch.zeros(1, dtype=torch.int64),
    } | changes


I32 = torch.int32
BAD_CALLS = {
    "another mode": ({"bounds_check_mode": 3}, "`bounds_check_mode` must be 0 .* not 3"),
    "another version": (
        {"bounds_check_version": 3},
        "`bounds_check_version` must be 1 or 2, not 3",
    ),
    "rows of int32": (
        {"rows_per_table": torch.tensor([1], dtype=I32)},
        "`rows_per_table` must hold Long",
    ),
    "indices of rank 2": ({"indices": torch.ones(1, 3).long()}, "`indices` must be 1-D"),
    "indices of floats": ({"indices": torch.ones(3)}, "`indices` must hold int32 or int64"),
    "no offsets": ({"offsets": torch.ones(0).long()}, "`offsets` must have at least one"),
    "offsets of floats": ({"offsets": torch.ones(3)}, "`offsets` must hold int32 or int64"),
    "small warning": ({"warning": torch.ones(0).long()}, "`warning` must have at least one"),
    "warning of int32": (
        {"warning": torch.ones(1, dtype=I32)},
        "`warning` must hold Long, not Int",
    ),
    "other weights": ({"weights": torch.ones(2)}, "`weights` must have the shape of `indices`"),
    "bags that cannot be shared": (
        {"rows_per_table": torch.ones(3).long()},
        "2 bags, .* multiple of the 3 tables",
    ),
    "starts of int64": (
        {"B_offsets": torch.tensor([0, 2]), "max_B": 2},
        "`B_offsets` must hold Int, not Long",
    ),
    "other starts": (
        {"B_offsets": torch.tensor([0], dtype=I32), "max_B": 2},
        "`B_offsets` must have 2 elements",
    ),
    "no largest batch": ({"B_offsets": torch.tensor([0, 2], dtype=I32)}, "`max_B` must be given"),
}
CPU_ONLY_BAD_CALLS = {
    "bad index": (
        {"indices": torch.tensor([1, 12, -9]), "bounds_check_mode": FATAL},
        "`indices.1.` is 12 but table 0 has 10 rows",
    ),
    "falling offset": (
        {"offsets": torch.tensor([0, -1, 3]), "bounds_check_mode": FATAL},
        "`offsets.1.` is -1",
    ),
    "last offset": (
        {"offsets": torch.tensor([0, 1, 2]), "bounds_check_mode": FATAL},
        "`offsets.2.` is 2, .* fit 3 indices",
    ),
    "first start": (
        {"B_offsets": torch.tensor([1, 2], dtype=I32), "max_B": 2},
        "must start with 0, not 1",
    ),
    "falling starts": (
        {"B_offsets": torch.tensor([0, -1], dtype=I32), "max_B": 2},
        "`B_offsets` decreases at 1",
    ),
    "last start": (
        {"B_offsets": torch.tensor([0, 1], dtype=I32), "max_B": 2},
        "ends at 1 but `offsets` has 2 bags",
    ),
    "large batch": (
        {"B_offsets": torch.tensor([0, 2], dtype=I32), "max_B": 1},
        "table 0 has 2 bags but `max_B` is 1",
    ),
}


def assert_fails(call: dict[str, Any], message: str) -> None:
    with pytest.raises(RuntimeError, match=f"pinwheel::bounds_check_indices: .*{message}"):
        pk.bounds_check_indices(**call)


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_input_is_an_error_that_names_the_operator(case, device):
    changes, message = BAD_CALLS[case]
    assert_fails(moved(call_of(**changes), device), message)


@pytest.mark.parametrize("case", CPU_ONLY_BAD_CALLS)
def test_bad_contents_are_an_error_on_the_cpu(case):
    changes, message = CPU_ONLY_BAD_CALLS[case]
    assert_fails(call_of(**changes), message)


def test_tensors_changed_in_place_must_be_contiguous(device):
    wide = torch.zeros(6, dtype=torch.int64, device=device)
    call = moved(call_of(), device) | {"indices": wide[::2]}
    assert_fails(call, "`indices` must be contiguous")


@pytest.mark.parametrize("spoiled", [False, True])
def test_the_operator_passes_opcheck(spoiled, device, rng):
    call = random_call(rng, torch.int64, torch.int64, True)
    if spoiled:
        spoil(call, rng, offsets_too=True)
    torch.library.opcheck(OP.default, (), moved(call, device) | {"bounds_check_mode": WARNING})


def test_it_compiles_with_dynamic_shapes(device):
    compiled = torch.compile(pk.bounds_check_indices, backend="eager", fullgraph=True, dynamic=True)
    for count in (3, 8):
        call = call_of(indices=torch.arange(6, 6 + count), offsets=torch.tensor([0, 2, count]))
        got = moved(call, device)
        compiled(**got)
        assert got["indices"].tolist() == [i if i < 10 else 0 for i in range(6, 6 + count)]


@pytest.mark.parametrize(("mode", "changes"), [(FATAL, 0), (WARNING, 1), (IGNORE, 1)])
def test_torch_is_told_of_the_in_place_change(mode, changes, device):
    rows, indices, offsets = (torch.tensor(n, device=device) for n in ([5], [1, 2], [0, 2]))
    pk.bounds_check_indices(rows, indices, offsets, mode, torch.zeros(1, dtype=torch.int64, device=device))
    assert indices._version == offsets._version == changes
