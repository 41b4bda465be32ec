"""The same lookups as FBGEMM's own operators; runs where the package `fbgemm_gpu` is installed."""

from __future__ import annotations

import pytest
import torch
from conftest import fbgemm_or_skip
from tables import DTYPE_NUMBERS, MEAN, SUM, random_tables

import pinwheel_kernels as pk

FBGEMM = fbgemm_or_skip()
FORWARD_DTYPES = [torch.float32, torch.float16]


def fbgemm_forward(case, out_number: int) -> torch.Tensor:
    """FBGEMM requires contiguous tables and int32 D_offsets."""
    return FBGEMM.dense_embedding_codegen_lookup_function(
        case.weights,
        case.weights_offsets,
        case.D_offsets.int(),
        case.total_D,
        max([0, *case.D_offsets.diff().tolist()]),
        case.hash_size_cumsum,
        32,
        case.indices,
        case.offsets,
        case.pooling_mode,
        case.indice_weights,
        None,
        out_number,
    )


@pytest.mark.parametrize("dtype", FORWARD_DTYPES, ids=str)
@pytest.mark.parametrize("mode", [SUM, MEAN])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_pooled_lookups(seed, weighted, mode, dtype, rng):
    dims = [4 * rng.randint(1, 40) for _ in range(rng.randint(1, 5))]
    case = random_tables(
        rng, dims, rng.randint(1, 9), 12, dtype=dtype, pooling_mode=mode, weighted=weighted
    )
    ours = pk.tbe_forward(*case.arguments())
    torch.testing.assert_close(ours, fbgemm_forward(case, 0), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("mode", [SUM, MEAN])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_lookups_in_codes(seed, weighted, mode, rng):
    dims = [4 * rng.randint(1, 30) for _ in range(rng.randint(1, 4))]
    case = random_tables(rng, dims, rng.randint(1, 6), 9, pooling_mode=mode, weighted=weighted)
    # A row is a float16 scale and bias, followed by the codes.
    parts = []
    for table in case.tables():
        codes = torch.randint(0, 256, table.shape, dtype=torch.uint8)
        parameters = (torch.rand(len(table), 2) * 0.02).half().view(torch.uint8)
        parts.append(torch.cat([parameters, codes], 1))
    case.weights = torch.cat([part.flatten() for part in parts])
    sizes = [part.numel() for part in parts]
    case.weights_offsets = torch.tensor([0, *sizes]).cumsum(0)[:-1]
    case.indices[::7] = -1  # pruned rows
    ours = pk.int8_tbe_forward(
        *case.arguments(), DTYPE_NUMBERS[torch.float32], False, False, 1
    )
    tables = len(dims)
    theirs = FBGEMM.int_nbit_split_embedding_codegen_lookup_function(
        case.weights,
        torch.zeros(0, dtype=torch.uint8),
        torch.full((tables,), 3, dtype=torch.int32),  # on the host
        case.weights_offsets,
        torch.full((tables,), 2, dtype=torch.uint8),
        case.D_offsets.int(),
        case.total_D,
        0,
        0,
        max(dims),
        0,
        0,
        case.indices.int(),
        case.offsets.int(),
        mode,
        case.indice_weights,
        0,
        row_alignment=1,
    )
    torch.testing.assert_close(ours, theirs.float(), rtol=1e-2, atol=1e-2)
