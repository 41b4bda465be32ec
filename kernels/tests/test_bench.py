"""What the benchmark decides; its times need a GPU or a quiet machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))

import bench  # noqa: E402
import gpu_timer  # noqa: E402
from bench_case import Case  # noqa: E402


class Clock:
    """Stands in for torch.cuda: a call takes what its contender says."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def pass_over(self, monkeypatch: pytest.MonkeyPatch) -> None:
        clock = self

        class Event:
            def __init__(self, enable_timing: bool):
                self.at = 0.0

            def record(self) -> None:
                self.at = clock.seconds

            def elapsed_time(self, end: Any) -> float:
                return (end.at - self.at) * 1e3

        class Properties:
            L2_cache_size = 1000

        fakes = {
            "Event": Event,
            "synchronize": lambda *_: None,
            "_sleep": lambda cycles: None,
            "empty_cache": lambda: None,
            "get_device_properties": lambda device: Properties(),
        }
        for name, fake in fakes.items():
            monkeypatch.setattr(torch.cuda, name, fake)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    made.pass_over(monkeypatch)
    return made


def takes(clock: Clock, seconds: float) -> Any:
    def run() -> None:
        clock.seconds += seconds

    return run


def fails() -> None:
    raise RuntimeError("no such operator")


def cases_of(made: list[torch.Tensor]) -> Any:
    def cases() -> Iterator[Case]:
        for number in range(3):
            made.append(torch.rand(4))
            yield Case(f"case {number}", "", 100 * (number + 1), lambda: None, None, None)

    return cases


def test_copies_have_equal_inputs_wherever_they_begin():
    made: list[torch.Tensor] = []
    copies = gpu_timer.Copies(cases_of(made))
    assert [case.operator for case in copies.of(0, 1)] == ["case 0"]
    assert [case.operator for case in copies.of(0, 2)] == ["case 0", "case 0"]
    assert [case.operator for case in copies.of(2, 3)] == ["case 2"] * 3
    firsts, thirds = [made[0], made[1]], [made[3], made[5], made[8]]
    assert all(torch.equal(firsts[0], each) for each in firsts)
    assert all(torch.equal(thirds[0], each) for each in thirds)
    with pytest.raises(StopIteration):
        copies.of(3, 1)


@pytest.mark.parametrize(("size", "copies"), [(0, 24), (100, 24), (1000, 3), (1001, 3), (2999, 2), (10**9, 1)])
def test_copies_make_up_three_times_the_cache(size, copies):
    assert gpu_timer.copies_for(size, 1000) == copies


def test_a_contender_that_fails_is_reported_and_the_others_are_measured(clock):
    reports: list[str] = []
    runs = {"ours": [takes(clock, 0.5)], "torch": [fails], "fbgemm": [takes(clock, 0.25)]}
    seconds = gpu_timer.medians(runs, 2, lambda name, error: reports.append(f"{name}: {error}"))
    assert seconds == {"ours": 0.5, "fbgemm": 0.25}
    assert reports == ["torch: no such operator"]
    with pytest.raises(RuntimeError):
        gpu_timer.medians({"ours": [fails]}, 2, lambda *_: None)


def test_rows_are_printed_although_another_file_fails(clock, monkeypatch, capsys):
    class Broken:
        __name__ = "cases.broken"

        def cases(self, device: Any, fbgemm: Any) -> Iterator[Case]:
            yield Case("first", "small", 3000, takes(clock, 0.5), takes(clock, 1.0), None)
            raise RuntimeError("out of memory")

    class Fine:
        __name__ = "cases.fine"

        def cases(self, device: Any, fbgemm: Any) -> Iterator[Case]:
            yield Case("second", "small", 3000, takes(clock, 0.5), None, None)

    monkeypatch.setattr(bench, "modules", lambda: [Broken(), Fine()])
    monkeypatch.setattr(bench, "gpu_copy_speed", lambda device, repeat: 6000.0)
    assert bench.main(["--device", "cuda", "--json"]) == 1
    out, err = capsys.readouterr()
    about, *rows = map(json.loads, out.splitlines())
    assert about["device"] == "cuda"
    assert [(row["operator"], row["ours"], row["torch"], row["of_copy"]) for row in rows] == [
        ("first", 0.5, 1.0, 1.0),
        ("second", 0.5, None, 1.0),
    ]
    assert err == "bench: cases.broken: out of memory\n"


def module_of(name: str, *cases: Case) -> Any:
    class Module:
        __name__ = f"cases.{name}"

        def cases(self, device: Any, fbgemm: Any) -> Iterator[Case]:
            yield from cases

    return Module()


def test_the_next_case_is_measured_after_one_that_fails(clock, monkeypatch, capsys):
    bad, good = (Case(name, "small", 3000, run, None, None) for name, run in (("a", fails), ("b", takes(clock, 1.0))))
    monkeypatch.setattr(bench, "modules", lambda: [module_of("one", bad, good)])
    monkeypatch.setattr(bench, "gpu_copy_speed", lambda device, repeat: 6000.0)
    assert bench.main(["--device", "cuda", "--json"]) == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["operator"] for line in out.splitlines()[1:]] == ["b"]
    assert err == "bench: a, small: no such operator\n"


def test_another_process_goes_on_after_the_gpu_is_lost(clock, monkeypatch, capsys):
    class Replaced(Exception):
        pass

    def replace(program: str, arguments: list[str]) -> None:
        raise Replaced(*arguments[2:])

    lost = module_of("b", Case("b", "small", 3000, fails, None, None))
    others = [module_of(name, Case(name, "small", 3000, takes(clock, 1.0), None, None)) for name in "ac"]
    monkeypatch.setattr(bench, "modules", lambda: [others[0], lost, others[1]])
    monkeypatch.setattr(bench, "gpu_copy_speed", lambda device, repeat: 6000.0)
    answers = iter([True, False, False, True])
    monkeypatch.setattr(bench, "is_usable", lambda: next(answers))
    monkeypatch.setattr(bench.os, "execv", replace)
    with pytest.raises(Replaced) as replaced:
        bench.main(["--device", "cuda"])
    assert replaced.value.args == ("--device", "cuda", "--after", "b")
    capsys.readouterr()
    assert bench.main(["--device", "cuda", "--json", "--after", "b"]) == 1
    assert [json.loads(line).get("operator") for line in capsys.readouterr().out.splitlines()] == [None, "c"]


def test_an_operator_that_fbgemm_lacks_fails_when_it_is_called():
    run = bench.Fbgemm("1.6.0").no_such_operator
    with pytest.raises(NotImplementedError, match="this build of fbgemm_gpu has no `no_such_operator`"):
        run(1)


def test_an_fbgemm_that_does_not_load_is_reported(monkeypatch, tmp_path, capsys):
    (tmp_path / "fbgemm_gpu.py").write_text("raise OSError('libcudart.so.13: cannot open')\n")
    monkeypatch.delitem(sys.modules, "fbgemm_gpu", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    assert bench.fbgemm_operators() is None
    assert capsys.readouterr().err == "bench: fbgemm_gpu: libcudart.so.13: cannot open\n"


@pytest.mark.parametrize("file", ["cumsum", "ranges"])
def test_the_cases_of_a_file_run_on_the_cpu(file, monkeypatch, capsys):
    module = __import__(f"cases.{file}", fromlist=["cases"])
    monkeypatch.setattr(bench, "modules", lambda: [module])
    monkeypatch.setattr(bench, "copy_speed", lambda repeat: 1e9)
    threads = torch.get_num_threads()
    assert bench.main(["--repeat", "1", "--threads", str(threads)]) == 0
    head, *rows, mean = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["operator", "shape"] and mean.startswith("geometric mean")
    assert len(rows) >= 2
