"""scripts/gpu without a GPU: what it runs, when it stops, and what it keeps."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import gpu_report
import gpu_session
import pytest

PASSED = "kernels/tests/a.py::test_a[cuda-x y] PASSED [ 10%]\nkernels/tests/a.py::test_c SKIPPED (no) [ 20%]\n"
ROW = {"operator": "cumsum", "shape": "1M", "bytes": 8, "ours": 1e-5, "torch": 2e-5, "fbgemm": 1.5e-5, "of_copy": 0.5}
BENCH = '{"device": "cuda", "fbgemm": null}\n' + json.dumps(ROW) + "\n"
LOADED = 'a warning\n{"torch": "2.11.0", "compute": "cuda/13.0", "archs": ["9.0"]}\n'


class FakeMachine:
    """Parts take the given seconds, print the given text and end with the given code."""

    def __init__(self, **programs):
        self.clock, self.commands = 0.0, []
        self.modules = {"torch", "pytest", "scikit_build_core"}
        self.programs = {"load": (9, LOADED, 0), "suite": (30, PASSED, 0), "bench": (60, BENCH, 0), **programs}
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
        (name, "passed") for name in ("suite", "garbage", "bench", "large", "memcheck")
    ]
    assert session["parts"]["suite"]["counts"] == {"passed": 1, "skipped": 1}
    assert (session["gpu"], session["driver"]) == ("NVIDIA H100 80GB HBM3", "580.159.04")
    assert (session["commit"], session["wheel"]) == ("0123456789abcdef", "given.whl")
    assert (session["torch"], session["archs"]) == ("2.11.0", ["9.0"])
    assert session["benchmark"] == {"device": "cuda", "fbgemm": None}
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
        "large": "skipped",
        "memcheck": "skipped",
    }
    assert session["parts"]["suite"]["counts"] == {"passed": 1, "skipped": 1}
    assert session["rows"] == [ROW]
    assert "The benchmark did not finish." in (checkout / "kernels" / "README.md").read_text()


def test_an_interrupted_run_keeps_what_it_has(checkout, capsys):
    class Dies(FakeMachine):
        def run(self, command, log, seconds):
            if log.stem == "bench":
                log.write_text(BENCH + '{"operator": "permute')
                raise KeyboardInterrupt
            return super().run(command, log, seconds)

    assert ran(Dies(), "--wheel", "given.whl") == 130
    session = kept(checkout)
    assert states(session) == {"suite": "passed", "garbage": "passed", "bench": "interrupted"}
    assert session["rows"] == [ROW]
    assert capsys.readouterr().err == "gpu: interrupted\n"


def test_some_parts_add_to_the_results_of_the_same_commit(checkout):
    ran(FakeMachine(), "--wheel", "given.whl", "--parts", "bench,suite")
    assert list(states(kept(checkout))) == ["suite", "bench"]
    ran(FakeMachine(), "--wheel", "given.whl", "--parts", "memcheck")
    assert list(states(kept(checkout))) == ["suite", "bench", "memcheck"]
    assert kept(checkout)["rows"] == [ROW]
    ran(FakeMachine(), "--wheel", "given.whl", "--parts", "memcheck", "--commit", "another")
    session = kept(checkout)
    assert (list(states(session)), session["rows"], session["commit"]) == (["memcheck"], [], "another")


def test_a_part_that_does_not_exist_is_an_error(checkout, capsys):
    assert ran(FakeMachine(), "--quick", "--parts", "suite,large") == 2
    assert "`large` is no part of this run; there are suite, garbage, bench" in capsys.readouterr().err


def test_workers_and_limits_are_used_if_pytest_has_them(checkout):
    machine = FakeMachine()
    ran(machine, "--wheel", "given.whl")
    suite = next(command for command in machine.commands if "pytest" in command)
    assert "-n" not in suite and "--timeout" not in suite and "--continue-on-collection-errors" in suite
    machine = FakeMachine()
    machine.modules |= {"xdist", "pytest_timeout"}
    ran(machine, "--wheel", "given.whl")
    suite, *_, large, memcheck = (command for command in machine.commands if "pytest" in command)
    assert "-n" in suite and "--timeout" in suite
    assert large[large.index("-n") + 1] == "1"
    assert "--timeout" not in memcheck


def test_a_broken_file_of_an_earlier_run_is_replaced(checkout):
    (checkout / "kernels" / "bench" / "gpu-h100-80gb-hbm3-quick.json").write_text('{"rows": [{')
    assert ran(FakeMachine(), "--quick", "--wheel", "given.whl") == 0
    assert kept(checkout, "gpu-h100-80gb-hbm3-quick.json")["rows"] == [ROW]


def test_contenders_that_fail_are_named(checkout, capsys):
    said = BENCH + "".join(f"bench: fbgemm operator {number}: no kernel image\n" for number in range(30))
    ran(FakeMachine(bench=(60, said, 0)), "--quick", "--wheel", "given.whl")
    failures = kept(checkout, "gpu-h100-80gb-hbm3-quick.json")["parts"]["bench"]["failures"]
    assert len(failures) == 30
    out = capsys.readouterr().out
    assert "gpu:   bench: fbgemm operator 19: no kernel image\ngpu:   and 10 more\n" in out


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
        (
            lambda machine: machine.answers.pop("nvcc"),
            "no nvcc on PATH, in CUDA_HOME or in /usr/local/cuda: give a wheel with --wheel",
        ),
        (lambda machine: machine.modules.discard("pytest"), "this Python lacks pytest"),
        (lambda machine: machine.programs.update(build=(1, "", 1)), "the wheel could not be built: see "),
        (lambda machine: machine.programs.update(build=(1, "no g++\n", 1)), "build.log, which ends:\nno g++"),
        (lambda machine: machine.programs.update(install=(1, "", 1)), "could not be installed: see "),
        (lambda machine: machine.programs.update(load=(1, "", 1)), "does not run on this GPU: see "),
    ],
)
def test_what_is_missing_is_said(checkout, change, message, capsys):
    machine = FakeMachine()
    change(machine)
    assert ran(machine) == 2
    assert re.match(rf"gpu: .*{re.escape(message)}", capsys.readouterr().err, re.DOTALL)
    assert not list((checkout / "kernels" / "bench").glob("*.json"))


def test_without_nvidia_smi_torch_knows_the_gpu(checkout):
    machine = FakeMachine()
    del machine.answers["nvidia-smi"]
    machine.answers[Path(sys.executable).name] = "NVIDIA H200, unknown, 9.0\n"
    assert ran(machine, "--quick", "--wheel", "given.whl") == 0
    assert kept(checkout, "gpu-h200-quick.json")["driver"] == "unknown"


def test_a_toolkit_in_its_usual_place_is_used(checkout):
    class NotOnPath(FakeMachine):
        def output_of(self, command):
            return None if command[0] == "nvcc" else super().output_of(command)

    machine = NotOnPath()
    assert ran(machine, "--quick") == 0
    assert machine.commands[0][:2] == ["env", "CUDA_HOME=/usr/local/cuda"]


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


def test_what_is_left_of_a_command_is_stopped_too(here, tmp_path):
    # The child ignores Ctrl-C, and holds the output open.
    child = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(600)"
    script = (
        "import subprocess, sys, time\n"
        f"print(subprocess.Popen([sys.executable, '-c', {child!r}]).pid, flush=True)\n"
        "time.sleep(600)"
    )
    assert here.run([sys.executable, "-c", script], tmp_path / "log", 2) is None
    number = int((tmp_path / "log").read_text().split()[0])
    deadline = here.now() + 10
    while here.now() < deadline and is_running(number):
        time.sleep(0.05)
    assert not is_running(number)


def is_running(number):
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_signal_ends_a_run_and_its_command(tmp_path):
    program = f"""
import signal, sys, time
sys.path.insert(0, {str(Path(gpu_session.__file__).parent)!r})
import gpu_session
from pathlib import Path

gpu_session.WORK = Path({str(tmp_path)!r})
signal.signal(signal.SIGTERM, gpu_session.interrupt)
script = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
part = gpu_session.Part("bench", [sys.executable, "-c", script], 1)
here = gpu_session.Here(gpu_session.WORK / "site")
print(gpu_session.run_part(part, here, time.monotonic() + 600, 600).state)
"""
    run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    log = tmp_path / "bench.log"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (log.exists() and log.read_text().endswith("\n")):
        time.sleep(0.05)
    run.terminate()
    assert run.communicate(timeout=60)[0] == "interrupted\n"
    assert not is_running(int(log.read_text().split()[0]))
