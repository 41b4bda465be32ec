"""What the benchmark compares is the same: FBGEMM's operators give our results on its inputs, on the CPU and on a GPU.
Runs where the package `fbgemm_gpu` is installed."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
import torch
from conftest import COMPUTE, fbgemm_lacks_it, fbgemm_or_skip
from every_operator import flat

fbgemm_or_skip()

BENCH = Path(__file__).resolve().parent.parent / "bench"
sys.path.insert(0, str(BENCH))

from bench import Fbgemm  # noqa: E402
from fbgemm_embedding import EPS, RATE, update  # noqa: E402

FILES = sorted(path.stem for path in (BENCH / "cases").glob("*.py"))


def assert_same(ours: object, theirs: object, tolerance: float) -> None:
    for one, other in zip(flat(ours), flat(theirs), strict=True):
        if one.dtype == torch.uint8:  # codes may be rounded differently
            codes = (one[:, :-8].int() - other[:, :-8].int()).abs()
            assert codes.max() <= 1 and codes.float().mean() < 1e-3
        elif one.is_floating_point():
            torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance, check_dtype=False)
        else:
            assert torch.equal(one, other)


@pytest.mark.parametrize("file", FILES)
def test_contenders_give_the_same_results(file, device, rng, monkeypatch):
    if COMPUTE == "emulated":
        pytest.skip("the emulator is slow")
    module = importlib.import_module(f"cases.{file}")
    monkeypatch.setattr(module, "filling_a_gpu", lambda device, *shapes: ())
    lacking: set[str] = set()
    for case in module.cases(device, Fbgemm("any")):
        if case.fbgemm is None or case.operator.endswith("_"):  # these change their arguments
            continue
        try:
            theirs = case.fbgemm()
        except RuntimeError as error:
            if not fbgemm_lacks_it(error):
                raise
            lacking.add(case.operator)
            continue
        assert_same(case.ours(), theirs, 2e-2 if "16" in case.shape else 1e-3)
    if lacking:
        pytest.skip(f"fbgemm_gpu lacks {', '.join(sorted(lacking))}; the others are the same")


@pytest.mark.parametrize("with_momentum", [False, True], ids=["sgd", "rowwise_adagrad"])
@pytest.mark.parametrize("skewed", [False, True], ids=["uniform", "skewed"])
def test_optimizers_change_tables_the_same_way(skewed, with_momentum, device, rng):
    if COMPUTE == "emulated":
        pytest.skip("the emulator is slow")
    shape = importlib.import_module("cases.embedding_update").Tables(3, 500, 64, 100, 10, skewed)
    arguments = shape.arguments(device)
    arguments[1] = arguments[1] * 0.1
    ours, theirs = list(arguments), list(arguments)
    ours[1], theirs[1] = arguments[1].clone(), arguments[1].clone()
    mine = torch.rand(shape.count * shape.rows, device=device)
    other = mine.clone()
    if with_momentum:
        operator = torch.ops.pinwheel.tbe_backward_rowwise_adagrad_
        operator(*ours[:2], mine, *ours[2:], 0, None, RATE, EPS)
    else:
        torch.ops.pinwheel.tbe_backward_sgd_(*ours, 0, None, RATE)
    update(torch.ops.fbgemm, theirs, shape.width, other if with_momentum else None)()
    assert not torch.equal(ours[1], arguments[1])
    torch.testing.assert_close(ours[1], theirs[1], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-4)
