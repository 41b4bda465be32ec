"""The timeline in GitHub's step summary, drawn by `mermaid` itself."""

import pathlib
import re
import shutil

import pytest
from browser import draw_charts

HOSTILE = pathlib.Path(__file__).resolve().parents[1] / "data" / "charts" / "hostile.md"

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium on PATH")


def check_chart(chart: dict) -> None:
    """Every line of the chart is a bar of its kind, below the titles of the sections, and nothing else is there."""
    assert "error" not in chart, chart["error"]
    assert chart["errors"] == [] and chart["active"] == 0
    lines = re.findall(r"^  (.+) :(crit|active|done), \d+, \d+$", chart["text"], re.MULTILINE)
    assert len(chart["bars"]) == len(lines)
    assert all(bar["width"] > 0 for bar in chart["bars"])
    squeezed = [" ".join(name.split()) for name, _ in lines]
    assert sorted(" ".join(label.split()) for label in chart["labels"]) == sorted(squeezed)
    for kind in ("crit", "active", "done"):
        drawn = [bar for bar in chart["bars"] if re.search(rf"\b{kind}\d", bar["kind"])]
        assert len(drawn) == sum(style == kind for _, style in lines), (kind, chart["bars"])
    assert set(chart["sections"]) == set(re.findall(r"^  section (.+)$", chart["text"], re.MULTILINE))


def test_the_chart_of_hostile_names_has_every_bar():
    (chart,) = draw_charts(HOSTILE.read_text())
    check_chart(chart)


def test_the_chart_of_a_run_has_every_bar(project, tmp_path):
    script = project("script")
    maker = script.directory / "make_wheel.py"
    broken = "import os, sys\nif os.environ['SCRIPT_FLAVOR'] == 'loud':\n    sys.exit('it broke')\n"
    maker.write_text(broken + maker.read_text())
    script.commit()
    summary = tmp_path / "summary.md"
    script.run("test", "matrix.yaml", "--keep-going", code=1, GITHUB_STEP_SUMMARY=str(summary))
    (chart,) = draw_charts(summary.read_text())
    check_chart(chart)
    assert any("crit" in bar["kind"] for bar in chart["bars"])
