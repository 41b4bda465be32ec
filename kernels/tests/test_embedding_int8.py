from __future__ import annotations

import pytest
import torch
from reference import INDEX_DTYPES
from tables import DTYPE_NUMBERS, MEAN, NONE, SUM, Tables, lookup, random_tables

import pinwheel_kernels as pk

FLOATS = [torch.float32, torch.float16, torch.bfloat16]
TOLERANCE = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 1e-2}
WIDTHS = [1, 3, 4, 15, 16, 17, 40, 64, 128, 129, 260]
# last, wide, alignment
LAYOUTS = [(True, True, 1), (True, True, 4), (False, False, 1), (False, False, 16), (False, True, 1)]


def coded(case: Tables, last: bool, wide: bool, alignment: int) -> tuple[Tables, list[torch.Tensor]]:
    """The case with random codes as weights, and its tables dequantized."""
    numbers, parts, firsts, at = [], [], [], 0
    for table in case.tables():
        rows, columns = table.shape
        codes = torch.randint(0, 256, (rows, columns), dtype=torch.uint8)
        both = (torch.rand(rows, 2) * 0.02).to(torch.float32 if wide else torch.float16)
        numbers.append(codes.double() * both[:, :1].double() + both[:, 1:].double())
        raw = both.view(torch.uint8)
        padding = torch.full((rows, -(columns + raw.shape[1]) % alignment), 255, dtype=torch.uint8)
        table_bytes = torch.cat([codes, padding, raw] if last else [raw, codes, padding], 1)
        firsts.append(at)
        parts.append(table_bytes.flatten())
        at += table_bytes.numel()
    case.weights = torch.cat(parts) if parts else torch.zeros(0, dtype=torch.uint8)
    case.weights_offsets = torch.tensor(firsts, dtype=torch.int64)
    return case, numbers


@pytest.mark.parametrize("index", INDEX_DTYPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("mode", [SUM, MEAN])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_pooled_bags_of_codes_match_a_loop(seed, weighted, mode, layout, index, device, rng):
    dims = [rng.choice(WIDTHS) for _ in range(rng.randint(1, 5))]
    case = random_tables(
        rng, dims, rng.randint(1, 7), 12, index=index, pooling_mode=mode, weighted=weighted
    )
    case, numbers = coded(case, *layout)
    dtype = rng.choice(FLOATS)
    options = (DTYPE_NUMBERS[dtype], *layout)
    got = pk.int8_tbe_forward(*case.to(device).arguments(), *options).cpu()
    assert got.dtype == dtype
    tolerance = TOLERANCE[dtype]
    torch.testing.assert_close(
        got.double(), lookup(case, numbers), rtol=tolerance, atol=tolerance * 10
    )


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("width", WIDTHS)
def test_rows_of_codes_without_pooling(width, layout, device, rng):
    case = random_tables(rng, [width] * 3, 5, 6, pooling_mode=NONE)
    case, numbers = coded(case, *layout)
    got = pk.int8_tbe_forward(*case.to(device).arguments(), 0, *layout).cpu()
    torch.testing.assert_close(got.double(), lookup(case, numbers), rtol=1e-6, atol=1e-6)


def test_quantized_rows_are_read_with_the_defaults(device, rng):
    case = random_tables(rng, [32, 64], 6, 9)
    rows = [pk.FloatOrHalfToFused8BitRowwiseQuantized(t.to(device)) for t in case.tables()]
    numbers = [pk.Fused8BitRowwiseQuantizedToFloatOrHalf(r).cpu().double() for r in rows]
    case = case.to(device)
    case.weights = torch.cat([r.flatten() for r in rows])
    case.weights_offsets = torch.tensor([0, rows[0].numel()], device=device)
    got = pk.int8_tbe_forward(*case.arguments()).cpu()
    cpu = case.to(torch.device("cpu"))
    torch.testing.assert_close(got.double(), lookup(cpu, numbers), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("mode", [SUM, MEAN, NONE])
@pytest.mark.parametrize(("dims", "batch"), [([], 0), ([4], 0), ([0, 0], 3), ([4, 4], 3)])
def test_there_may_be_no_tables_samples_columns_or_indices(dims, batch, mode, device, rng):
    case, _ = coded(random_tables(rng, dims, batch, 0, pooling_mode=mode), True, True, 1)
    got = pk.int8_tbe_forward(*case.to(device).arguments()).cpu()
    assert got.shape[0] == (0 if mode == NONE else batch)
    assert not got.any()


def test_bad_input_is_an_error_that_names_the_operator(device, rng):
    case, _ = coded(random_tables(rng, [4], 3, 5), True, True, 1)
    arguments = list(case.to(device).arguments())
    with pytest.raises(RuntimeError, match="pinwheel::int8_tbe_forward: `weights` must hold uint8"):
        pk.int8_tbe_forward(arguments[0].float(), *arguments[1:])
    for alignment in (0, -1, 2**20 + 1):
        with pytest.raises(RuntimeError, match="int8_tbe_forward: `row_alignment` must be between 1"):
            pk.int8_tbe_forward(*arguments, row_alignment=alignment)


def test_rows_outside_the_weights_are_an_error_on_the_cpu(rng):
    case, _ = coded(random_tables(rng, [4], 3, 5), False, False, 1)
    rows = int(case.hash_size_cumsum[1])
    with pytest.raises(RuntimeError, match=f"table 0 of {rows} rows of 12 from 0 on does not fit"):
        pk.int8_tbe_forward(*case.arguments())
    case.indices = case.indices.clone()
    case.indices[-1] = rows
    with pytest.raises(RuntimeError, match=rf"int8_tbe_forward: `indices\[{len(case.indices) - 1}\]`"):
        pk.int8_tbe_forward(*case.arguments(), 0, False, False, 1)


@pytest.mark.parametrize("mode", [SUM, NONE])
def test_the_operator_passes_opcheck(mode, device, rng):
    case, _ = coded(random_tables(rng, [4, 4], 3, 4, pooling_mode=mode), True, True, 1)
    arguments = case.to(device).arguments()
    torch.library.opcheck(torch.ops.pinwheel.int8_tbe_forward.default, arguments)


def test_a_compiled_function_gives_the_same(device, rng):
    def double(*arguments) -> torch.Tensor:
        return pk.int8_tbe_forward(*arguments) * 2

    compiled = torch.compile(double, backend="eager", fullgraph=True, dynamic=True)
    for batch in (3, 5):
        case, _ = coded(random_tables(rng, [4, 7], batch, 5), True, True, 1)
        arguments = case.to(device).arguments()
        torch.testing.assert_close(compiled(*arguments), double(*arguments))


@pytest.mark.parametrize("layout", [LAYOUTS[0], LAYOUTS[3]], ids=str)
@pytest.mark.parametrize("mode", [SUM, MEAN, NONE])
def test_pruned_rows_add_nothing(mode, layout, device, rng):
    dims = [40] * 3 if mode == NONE else [3, 40, 260]
    case = random_tables(rng, dims, 9, 30, pooling_mode=mode, weighted=mode != NONE)
    case, numbers = coded(case, *layout)
    case.indices[torch.rand(case.indices.shape) < 0.3] = -1
    numbers = [torch.cat([table, torch.zeros(1, table.shape[1])]) for table in numbers]  # row -1
    got = pk.int8_tbe_forward(*case.to(device).arguments(), 0, *layout).cpu()
    torch.testing.assert_close(got.double(), lookup(case, numbers), rtol=1e-5, atol=1e-4)
