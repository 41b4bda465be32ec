"""The pages of `--html` in a browser without a network."""

import json
import pathlib
import re
import shutil
import subprocess

import pytest
from browser import check_page, use_page
from compiled_wheels import TAGS, call
from compiled_wheels import make_wheel as make_compiled
from made_runs import HOSTILE, report_of, run_of

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "data" / "device_code"

needs_browser = pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium on PATH")


@pytest.fixture
def page_of(pinwheel, tmp_path):
    """A function that writes the page of these outcomes."""

    def write(outcomes: list[dict]) -> pathlib.Path:
        report = tmp_path / "report.json"
        report.write_text(report_of(outcomes))
        page = tmp_path / "page.html"
        call(pinwheel, "report", report, "--html", page)
        return page

    return write


def data_of(page: pathlib.Path) -> dict:
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.S)
    return json.loads(text)


@needs_browser
def test_every_control_of_a_runs_page_works_offline_in_light_and_dark(page_of, tmp_path):
    page = page_of(run_of((3, 2, 2, 2)))
    seen = use_page(page, tmp_path / "shots")
    check_page(seen)
    assert seen["clicked"] > 40
    assert seen["details"][0].startswith("0.")
    assert seen["details"][1].split(":")[0] in ("env", "build", "test")
    assert all(seen["live"])
    assert (tmp_path / "shots" / "print.pdf").read_bytes().startswith(b"%PDF")
    data = data_of(page)
    assert len(data["run"]["variants"]) == 24
    assert [axis["name"] for axis in data["run"]["axes"]] == ["python", "torch", "compute", "arch"]
    assert [len(one["steps"]) for one in data["failures"]] == [3]
    assert page.stat().st_size - len(json.dumps(data)) < 1_000_000


@needs_browser
def test_names_errors_and_paths_have_no_effect_on_a_page(page_of, tmp_path):
    page = page_of(run_of((2, 2, 1, 1), HOSTILE))
    assert page.read_text().count("alert(1)") == page.read_text().count("/script\\u003e\\u003cscript\\u003ealert(1)")
    seen = use_page(page, tmp_path / "shots")
    check_page(seen)
    # The text is shown as it is, except for characters without a shape.
    assert "<script>alert(1)</script>" in seen["details"][0]
    assert "\\u{202e}\\u{2066}" in seen["details"][0]
    assert "\u202e" not in "".join(seen["details"] + seen["live"])


@needs_browser
def test_ten_thousand_variants_can_be_used(page_of, tmp_path, record_property):
    page = page_of(run_of((10, 10, 10, 10)))
    seen = use_page(page, tmp_path / "shots")
    check_page(seen)
    assert seen["filter"]["text"] == "1,000 variants of 10,000"
    for name, value in (("first paint", seen["first_paint"]), ("shown", seen["shown_ms"]), ("filter", seen["filter"]["time"])):
        record_property(name, value)
        print(f"10,000 variants: {name} after {value:.0f} ms")


def native_wheel(directory: pathlib.Path) -> pathlib.Path:
    source = directory / "native.c"
    source.write_text("int answer(void) { return 42; }\n")
    call("gcc", "-g", "-shared", "-fPIC", "-o", directory / "native.so", source)
    library = (directory / "native.so").read_bytes()
    return make_compiled(directory, {"demo/_C.so": library, "demo/<script>alert(1)<\u2215script>.txt": b"x" * 4000}, TAGS)


@needs_browser
def test_the_page_of_a_wheel_shows_its_sizes_and_what_a_budget_removes(pinwheel, tmp_path):
    wheel = native_wheel(tmp_path)
    page = tmp_path / "page.html"
    call(pinwheel, "inspect", wheel, "--html", page)
    (shown,) = data_of(page)["wheels"]
    report = json.loads(call(pinwheel, "inspect", wheel, "--json").stdout)
    assert shown["findings"] == report["findings"]
    assert {one["name"]: one["bytes"] for one in shown["files"]} == {one["name"]: one["size"] for one in report["files"]}
    sections = {one["name"]: one["bytes"] for library in shown["libraries"] for one in library["sections"]}
    assert sections.items() >= {one["name"]: one["bytes"] for one in report["sizes"]["sections"]}.items()
    assert "debug information" in [cut["what"] for cut in shown["budget"]["cuts"]]
    seen = use_page(page, tmp_path / "shots")
    check_page(seen)


@needs_browser
def test_the_page_of_compat_shows_each_torch_release(pinwheel, tmp_path):
    wheel = native_wheel(tmp_path)
    page = tmp_path / "page.html"
    call(pinwheel, "compat", wheel, "--html", page)
    (shown,) = data_of(page)["compat"]
    assert shown == json.loads(call(pinwheel, "compat", wheel, "--json").stdout)
    check_page(use_page(page, tmp_path / "shots"))


def test_a_page_is_not_written_to_stdout(pinwheel, tmp_path):
    ran = subprocess.run([pinwheel, "inspect", "x.whl", "--html", "-"], capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 2
    assert "`--html` cannot write to stdout" in ran.stderr


def test_the_page_of_a_wheel_with_device_code_divides_it_by_architecture_and_kernel(pinwheel, tmp_path):
    library = tmp_path / "native.so"
    call("gcc", "-shared", "-Wl,-z,notext,-Bsymbolic", "-o", library, FIXTURES / "plain.o")
    wheel = make_compiled(tmp_path, {"demo/_C.so": library.read_bytes()}, TAGS)
    page = tmp_path / "page.html"
    call(pinwheel, "inspect", wheel, "--html", page, "--budget", "1 kB")
    (shown,) = data_of(page)["wheels"]
    report = json.loads(call(pinwheel, "inspect", wheel, "--json", "--budget", "1 kB").stdout)
    code = [one for section in shown["libraries"][0]["sections"] for one in section["code"]]
    architectures = {one["name"]: one["bytes"] for one in report["sizes"]["architectures"]}
    assert {one["name"]: one["bytes"] for one in code} == architectures
    assert {one["name"]: one["packed"] for one in code} == {one["name"]: one["packed"] for one in report["sizes"]["architectures"]}
    kernels = {one["name"]: one["kernels"] for one in code}
    cubins = [name for name in architectures if name.startswith("sm_")]
    assert cubins
    for name in cubins:
        assert all(kernel["registers"] > 0 and 0 < kernel["bytes"] for kernel in kernels[name])
        assert any("scale" in kernel["name"] for kernel in kernels[name])
    assert shown["budget"] == {"limit": 1000, "cuts": report["budget"]["cuts"]}


@needs_browser
def test_the_page_of_a_release_has_its_wheels_times_and_history(script, tmp_path):
    script.run("test", "matrix.yaml")
    with (script.directory / "make_wheel.py").open("a") as source:
        source.write("# changed\n")
    script.commit()
    script.run("release", "matrix.yaml")
    page = tmp_path / "page.html"
    noted = script.run("report", "--html", str(page))
    assert noted.stdout == ""
    assert str(page) in noted.stderr
    data = data_of(page)
    run = data["run"]
    built = {pathlib.Path(output["path"]).name for step in run["steps"] if step["kind"] == "build" for output in step["outputs"]}
    assert built
    assert {wheel["wheel"] for wheel in data["wheels"]} == built
    assert data["absent"] == []
    assert re.fullmatch(r"script-only 1\.[\w.]+: \d+ steps on \d{4}-\d\d-\d\d", data["title"])
    slots = run["slot_time"]
    assert sum(one["ms"] for one in slots["classes"]) == slots["slots"] * slots["makespan_ms"]
    assert max(attempt["end"] for attempt in run["attempts"]) == slots["makespan_ms"]
    assert 0 < run["critical"]["length_ms"] <= slots["makespan_ms"]
    assert len(run["axes"]) > 0
    assert len(run["variants"]) > 1
    assert len(data["history"]["runs"]) == 2
    check_page(use_page(page, tmp_path / "shots"))
    # A wheel that is gone is named.
    for wheel in script.output.rglob("*.whl"):
        wheel.unlink()
    script.run("report", "--html", str(page))
    assert sorted(pathlib.Path(path).name for path in data_of(page)["absent"]) == sorted(built)
