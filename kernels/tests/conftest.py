"""Every operator test runs once per device and is skipped, with a reason, for devices that are missing."""

from __future__ import annotations

import os
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
        return "torch has no usable GPU"
    return None


def gpu_or_skip() -> torch.device:
    """The GPU or, if the library emulates one, the CPU, whose tensors then go to the GPU kernels."""
    if reason := gpu_skip_reason():
        pytest.skip(reason)
    return torch.device("cpu" if COMPUTE == "emulated" else "cuda")


def fbgemm_or_skip() -> Any:
    """FBGEMM's operators; skips the file of tests if the package is not installed or does not load."""
    try:
        import fbgemm_gpu  # noqa: F401
    except Exception as error:  # noqa: BLE001: libraries that are missing or do not fit this torch
        pytest.skip(f"the comparison is opt-in: {error!r}", allow_module_level=True)
    return torch.ops.fbgemm


def fbgemm_lacks_it(error: BaseException) -> bool:
    """Whether the installed build of FBGEMM has no such operator, or not for the CPU, or no code for this GPU."""
    signs = r"'fbgemm' object has no attribute|no `\w+`$|Could not run 'fbgemm::|no kernel image"
    return bool(re.search(signs, str(error)))


def gpu_is_lost() -> bool:
    """After an error such as an access out of bounds, nothing runs on a GPU in this process."""
    if not torch.cuda.is_initialized():
        return False
    try:
        torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Ends a worker of pytest-xdist that has lost its GPU, after the report: another worker runs the other tests."""
    result = yield
    if hasattr(item.config, "workerinput") and gpu_is_lost():
        os._exit(1)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Skips a test that fails because this flavor or the installed FBGEMM leaves out an operator."""
    try:
        return (yield)
    except (AttributeError, RuntimeError) as error:
        if pyfuncitem.path.name.startswith("test_against_fbgemm") and fbgemm_lacks_it(error):
            pytest.skip(f"fbgemm_gpu lacks it: {str(error).splitlines()[0]}")
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
    """For tests of GPU-only behavior, where contents are not read back."""
    return gpu_or_skip()


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """A generator that is seeded by the test case's name, for reproducible runs; seeds torch too."""
    random_numbers = random.Random(request.node.name)
    torch.manual_seed(random_numbers.getrandbits(32))
    return random_numbers
