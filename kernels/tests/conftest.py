"""Every operator test runs once for each device; where there is none it is skipped, saying why."""

from __future__ import annotations

import random
import re
from collections.abc import Generator
from typing import Any

import pytest
import torch

import pinwheel_kernels
from pinwheel_kernels._register import is_built


COMPUTE = pinwheel_kernels.build_info().compute


def gpu_skip_reason() -> str | None:
    if COMPUTE == "cpu":
        return "this wheel is built for cpu"
    if COMPUTE != "emulated" and not torch.cuda.is_available():
        return "no GPU that torch can use"
    return None


def gpu_or_skip() -> torch.device:
    """The GPU; or, where the library emulates one, the CPU, whose tensors go to the GPU's kernels then."""
    if reason := gpu_skip_reason():
        pytest.skip(reason)
    return torch.device("cpu" if COMPUTE == "emulated" else "cuda")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """A test of an operator that this flavor leaves out is skipped when it meets the error that says so."""
    try:
        return (yield)
    except (AttributeError, RuntimeError) as error:
        flavor = pinwheel_kernels.build_info().flavor
        for name in pinwheel_kernels._OPERATORS:
            if not is_built(name) and re.search(rf"\b{name}\b", str(error)):
                pytest.skip(f"the flavor `{flavor}` leaves out `{name}`")
        raise


@pytest.fixture(params=["cpu", "cuda"])
def device(request: pytest.FixtureRequest) -> torch.device:
    if request.param == "cuda":
        return gpu_or_skip()
    if COMPUTE == "emulated":
        pytest.skip("this library emulates a GPU")
    return torch.device("cpu")


@pytest.fixture(params=["cuda"])
def gpu(request: pytest.FixtureRequest) -> torch.device:
    """For what only holds on a GPU: contents are not read back there."""
    return gpu_or_skip()


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers that are the same in every run of one test case; torch is seeded along."""
    random_numbers = random.Random(request.node.name)
    torch.manual_seed(random_numbers.getrandbits(32))
    return random_numbers
