"""scripts/gpu without a GPU: what it runs, when it stops, and what it keeps."""

import json
import re
import sys
from pathlib import Path

import gpu_report
import gpu_session
import pytest

PASSED = "kernels/tests/a.py::test_a[cuda-x y] PASSED [ 10%]\nkernels/tests/a.py::test_c SKIPPED (no) [ 20%]\n"
ROW = {"operator": "cumsum", "shape": "1M", "bytes": 8, "ours": 1e-5, "torch": 2e-5, "fbgemm": 1.5e-5, "of_copy": 0.5}
BENCH = '{"device": "cuda"}\n' + json.dumps(ROW) + "\n"


class FakeMachine:
    """Parts take the given seconds, print the given text and end with the given code."""

    def __init__(self, **programs):
        self.clock, self.commands = 0.0, []
        self.modules = {"torch", "pytest", "scikit_build_core"}
        self.programs = {"suite": (30, PASSED, 0), "bench": (60, BENCH, 0), **programs}
        self.answers = {"nvidia-smi": "NVIDIA H100 80GB HBM3, 580.159.04, 9.0\n", "git": "0123456789abcdef\n"}
        self.answers["nvcc"] = "Cuda compilation tools, release 13.0, V13.0.88\n"

    def now(self):
        return self.clock

    def output_of(self, command):
        return self.answers.get(Path(command[0]).name)

    def has_module(self, name):
        return name in self.modules

    def run(self, command, log, seconds):
        self.commands.append(command)
        takes, text, code = self.programs.get(log.stem, (1, "", 0))
        if log.stem == "build":
            (log.parent / "wheel").mkdir(parents=True, exist_ok=True)
            (log.parent / "wheel" / "built.whl").touch()
        log.write_text(text)
        self.clock += min(takes, seconds)
        return code if takes <= seconds else None


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with a README that has the marks."""
    bench = tmp_path / "kernels" / "bench"
    bench.mkdir(parents=True)
    (tmp_path / "kernels" / "README.md").write_text(f"# k\n\n{gpu_report.BEGIN}{gpu_report.END}\n## rest\n")
    for name, path in {"ROOT": tmp_path, "BENCH": bench, "WORK": tmp_path / "build/gpu"}.items():
        monkeypatch.setattr(gpu_session, name, path)
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.setattr(gpu_report, "picture_of", lambda session, file: f"bench/{file.name}")
    return tmp_path


def ran(machine, *arguments):
    return gpu_session.main([*arguments], "about", machine)


def kept(checkout, name="gpu-h100-80gb-hbm3.json"):
    return json.loads((checkout / "kernels" / "bench" / name).read_text())


def states(session):
    return {name: part["state"] for name, part in session["parts"].items()}


def test_all_parts_run_the_most_valuable_first(checkout):
    machine = FakeMachine()
    assert ran(machine, "--wheel", "given.whl") == 0
    session = kept(checkout)
    assert list(states(session).items()) == [
        (name, "passed") for name in ("suite", "garbage", "bench", "memcheck", "large")
    ]
    assert session["parts"]["suite"]["counts"] == {"passed": 1, "skipped": 1}
    assert (session["gpu"], session["driver"]) == ("NVIDIA H100 80GB HBM3", "580.159.04")
    assert (session["commit"], session["wheel"], session["fbgemm"]) == ("0123456789abcdef", "given.whl", False)
    assert session["rows"] == [ROW]
    assert "given.whl" in machine.commands[0] and "--no-index" in machine.commands[0]


def test_a_quick_run_leaves_out_what_is_long_and_the_readme(checkout):
    before = (checkout / "kernels" / "README.md").read_text()
    machine = FakeMachine()
    assert ran(machine, "--quick", "--wheel", "given.whl") == 0
    assert list(states(kept(checkout, "gpu-h100-80gb-hbm3-quick.json"))) == ["suite", "garbage", "bench"]
    assert machine.commands[-1][-2:] == ["--repeat", "2"]
    assert (checkout / "kernels" / "README.md").read_text() == before


def test_a_wheel_is_built_for_the_gpu_that_is_there(checkout):
    machine = FakeMachine()
    assert ran(machine, "--quick") == 0
    build = machine.commands[0]
    assert build[:3] == ["env", "PINWHEEL_COMPUTE=cuda/13.0", "TORCH_CUDA_ARCH_LIST=9.0"]
    assert "--no-build-isolation" in build and "--no-index" in build
    assert machine.commands[1][-1].endswith("built.whl")


def test_a_run_stops_in_time_and_keeps_what_it_has(checkout):
    # The suite hangs: it may take 0.4 of the time. The benchmark has printed a row, and begun another, when it is over.
    torn = BENCH + '{"operator": "permute'
    machine = FakeMachine(suite=(10**6, PASSED, 0), garbage=(50, "", 0), bench=(10**6, torn, 0))
    assert ran(machine, "--wheel", "given.whl", "--minutes", "5") == 0
    session = kept(checkout)
    assert machine.clock <= 5 * 60
    assert states(session) == {
        "suite": "stopped",
        "garbage": "passed",
        "bench": "stopped",
        "memcheck": "skipped",
        "large": "skipped",
    }
    assert session["parts"]["suite"]["counts"] == {"passed": 1, "skipped": 1}
    assert session["rows"] == [ROW]
    assert "The benchmark did not finish." in (checkout / "kernels" / "README.md").read_text()


def test_results_are_written_after_each_part(checkout):
    class Dies(FakeMachine):
        def run(self, command, log, seconds):
            if log.stem == "bench":
                raise KeyboardInterrupt
            return super().run(command, log, seconds)

    with pytest.raises(KeyboardInterrupt):
        ran(Dies(), "--wheel", "given.whl")
    assert states(kept(checkout)) == {"suite": "passed", "garbage": "passed"}


def test_a_part_that_fails_is_named_and_the_others_run(checkout, capsys):
    failed = (
        "[gw11] [  5%] PASSED kernels/tests/test_b.py::test_a[cuda] \n"
        "[gw3] [ 10%] FAILED kernels/tests/test_b.py::test_b[cuda-two words] \n"
        "ERROR kernels/tests/test_c.py\n"
        "FAILED kernels/tests/test_b.py::test_b[cuda-two words] - assert 1\n"
    )
    machine = FakeMachine(suite=(30, failed, 1))
    assert ran(machine, "--quick", "--wheel", "given.whl") == 1
    session = kept(checkout, "gpu-h100-80gb-hbm3-quick.json")
    assert states(session) == {"suite": "failed", "garbage": "passed", "bench": "passed"}
    suite = session["parts"]["suite"]
    assert suite["failures"] == ["kernels/tests/test_b.py::test_b[cuda-two words]", "kernels/tests/test_c.py"]
    assert suite["counts"] == {"failed": 1, "passed": 1}
    assert "test_b.py::test_b[cuda-two words]" in capsys.readouterr().out


def test_what_a_kernel_changed_is_said(checkout, capsys):
    ran(FakeMachine(), "--quick", "--wheel", "given.whl")
    faster = json.dumps(ROW | {"ours": 5e-6}) + "\n"
    capsys.readouterr()
    ran(FakeMachine(bench=(60, faster, 0)), "--quick", "--wheel", "given.whl")
    assert "gpu: 2.00 times as fast: cumsum, 1M: 10.0 -> 5.0 us" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda machine: machine.answers.pop("nvidia-smi"), "no NVIDIA GPU here"),
        (lambda machine: machine.answers.pop("nvcc"), "no nvcc on PATH or in CUDA_HOME: give a wheel with --wheel"),
        (lambda machine: machine.modules.discard("pytest"), "this Python lacks pytest"),
        (lambda machine: machine.programs.update(build=(1, "", 1)), "the wheel could not be built: see "),
        (lambda machine: machine.programs.update(install=(1, "", 1)), "could not be installed: see "),
    ],
)
def test_what_is_missing_is_said(checkout, change, message, capsys):
    machine = FakeMachine()
    change(machine)
    assert ran(machine) == 2
    assert re.match(rf"gpu: .*{re.escape(message)}", capsys.readouterr().err)
    assert not list((checkout / "kernels" / "bench").glob("*.json"))


def test_a_copy_without_git_has_an_unknown_commit(checkout):
    machine = FakeMachine()
    del machine.answers["git"]
    ran(machine, "--quick", "--wheel", "given.whl", "--name", "mine")
    assert kept(checkout, "gpu-mine-quick.json")["commit"] == "unknown"


def test_the_readme_gets_a_table_between_its_marks(checkout):
    readme = checkout / "kernels" / "README.md"
    for _ in range(2):  # the second time it replaces the first
        ran(FakeMachine(), "--wheel", "given.whl")
        text = readme.read_text()
        assert text.count("| `cumsum` | 1 | 1.50 | 1.50 | 1.50 | 2.00 | 50% |\n") == 1
        told = "1.50 times as fast as FBGEMM, as the geometric mean over 1 pairs of operator and shape, of which 0"
        assert told in text
        assert "(NVIDIA H100 80GB HBM3, driver 580.159.04, " in text and "commit 01234567" in text
        assert "](bench/gpu-h100-80gb-hbm3.png)" in text
        assert text.startswith("# k\n") and text.endswith("\n## rest\n")


def test_the_readme_says_so_if_there_are_no_times(checkout):
    readme = checkout / "kernels" / "README.md"
    gpu_report.update_readme(checkout / "kernels")
    assert gpu_report.NOTHING in readme.read_text()


def test_the_kernels_readme_has_the_marks():
    text = (gpu_report.Path(gpu_report.__file__).resolve().parent.parent / "kernels" / "README.md").read_text()
    assert gpu_report.replaced(text, []).count(gpu_report.BEGIN) == 1


@pytest.fixture
def here(tmp_path):
    return gpu_session.Here(tmp_path / "site")


def test_a_command_ends_when_its_time_is_over(here, tmp_path):
    script = "import time, sys; print('begun', flush=True); time.sleep(600)"
    began = here.now()
    assert here.run([sys.executable, "-c", script], tmp_path / "log", 2) is None
    assert here.now() - began < 60
    assert (tmp_path / "log").read_text().startswith("begun\n")
    assert here.run([sys.executable, "-c", "print('done')"], tmp_path / "log", 60) == 0
    assert (tmp_path / "log").read_text() == "done\n"


def test_commands_find_the_wheel_and_no_index(here, tmp_path):
    script = "import os; print(os.environ['PYTHONPATH'].split(os.pathsep)[0], os.environ['PIP_NO_INDEX'])"
    assert here.run([sys.executable, "-c", script], tmp_path / "log", 60) == 0
    assert (tmp_path / "log").read_text() == f"{tmp_path / 'site'} 1\n"


def test_a_program_that_is_missing_or_fails_has_no_output(here):
    assert here.output_of(["no-such-program"]) is None
    assert here.output_of([sys.executable, "-c", "raise SystemExit(3)"]) is None
    assert here.output_of([sys.executable, "-c", "print(1)"]) == "1\n"
