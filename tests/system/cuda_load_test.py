"""A real CUDA build of torch on a machine without a GPU: it is imported with stub libraries, and a CUDA wheel is loaded
into it. `PINWHEEL_TEST_CUDA_TORCH=1` enables this test, which downloads half a gigabyte from the index that pip is
configured for."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

MATRIX = pathlib.Path(__file__).parent / "matrices" / "kernels-load.yaml"
TEST = "test:cp312-cu130-torch2.13"

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif("PINWHEEL_TEST_CUDA_TORCH" not in os.environ, reason="PINWHEEL_TEST_CUDA_TORCH is not set"),
    pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH"),
    pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="there is a GPU here"),
]


def test_a_cuda_wheel_is_loaded_into_a_cuda_torch_without_a_gpu(pinwheel, tmp_path):
    ran = subprocess.run(
        [pinwheel, "test", str(MATRIX), "--json"]
        + ["--state-dir", str(tmp_path / "state"), "-o", str(tmp_path / "dist")],
        capture_output=True,
        text=True,
        timeout=1800,
    )
    print(ran.stderr)
    assert ran.returncode == 0
    outcomes = {each["id"]: each for each in json.loads(ran.stdout)["outcomes"]}
    loaded = outcomes[TEST]
    assert (loaded["state"], loaded["evidence"]) == ("skipped", "loaded")
    assert loaded["reason"] == (
        "no GPU here; the wheel was installed, imported, checked for its operators and tested on the CPU "
        "with stub libraries"
    )
    assert outcomes["test:cp311-cu130-torch2.13"]["reason"] == "no cu130 torch here"

    log = subprocess.run(
        [pinwheel, "logs", TEST, "--state-dir", str(tmp_path / "state")], capture_output=True, text=True
    ).stdout
    assert "libcudart.so.13" in log and "libcuda.so.1" in log
    for operator in ("jagged_to_padded_dense", "asynchronous_complete_cumsum"):
        assert f"pinwheel::{operator}: registered; called on a CUDA device: No CUDA GPUs are available" in log
    assert " passed" in log
