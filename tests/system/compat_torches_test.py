"""Predictions of `compat`, compared with the dynamic linker for CUDA builds of torch older than that of compat_test.py:
half a gigabyte each from PyPI, with stub CUDA libraries."""

import pathlib
import platform
import sys
from typing import NamedTuple

import pytest
from real_torch import assert_loads_as_predicted, fetch_wheels, judged_here, opened, site_packages, torch_python
from stub_cuda import make_stub_cuda

pytestmark = [
    pytest.mark.torch,
    pytest.mark.xdist_group("real-torch"),
    pytest.mark.skipif(
        platform.machine() != "x86_64" or sys.version_info[:2] != (3, 11), reason="the wheels are for 3.11 on x86_64"
    ),
]

# PyPI's smallest for CUDA 13 and for CUDA 11; the second uses the old string ABI.
TORCHES = ["2.12.0", "2.0.1"]
# Wheels for these and for other releases, with and without CUDA.
WHEELS = [
    "fbgemm-gpu-cpu==1.6.0",
    "fbgemm-gpu-cpu==1.7.0",
    "fbgemm-gpu-cpu==1.8.0",
    "torchaudio==2.0.2",
    "torchaudio==2.11.0",
    "torchcodec==0.8.0",
    "torchcodec==0.17.0",
    "torchvision==0.15.2",
    "torchvision==0.24.0",
    "torchtext==0.15.2",
    "torchtext==0.18.0",
    "torchdata==0.6.1",
    "torchao==0.18.0",
    "sentencepiece==0.2.3",
]


class Torch(NamedTuple):
    python: pathlib.Path
    cuda: pathlib.Path  # the directory of the stub libraries
    cuda_wheel: pathlib.Path


@pytest.fixture(scope="module", params=TORCHES)
def torch(request, tmp_path_factory) -> Torch:
    python = torch_python(request.param)
    directory = tmp_path_factory.mktemp("stubs") / "lib"
    return Torch(python, directory, make_stub_cuda(site_packages(python), directory))


@pytest.mark.parametrize("requirement", WHEELS)
def test_every_library_of_a_real_wheel_loads_exactly_as_predicted(requirement, pinwheel, torch, tmp_path):
    (wheel,) = fetch_wheels([requirement])
    output = opened(wheel, torch.python, tmp_path, LD_LIBRARY_PATH=str(torch.cuda))
    assert_loads_as_predicted(judged_here(pinwheel, wheel, torch.python, "--with", str(torch.cuda_wheel)), output)
