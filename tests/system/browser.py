"""Debian's Chromium without a network, driven by npm's `playwright-core`, with the rules of `axe-core` and the charts of
`mermaid`."""

import json
import os
import pathlib
import re
import shutil
import subprocess

from shared_cache import node_modules
from trace_processor import NODE

PACKAGES = ("playwright-core@1.65.1", "axe-core@4.14.1", "mermaid@11.6.0")
SCRIPT = pathlib.Path(__file__).parent / "page_browser.js"
CHARTS = pathlib.Path(__file__).parent / "mermaid_charts.js"
PATIENCE = 900
SHEET = 703  # CSS pixels between the margins


def draw_charts(markdown: str) -> list[dict]:
    """The charts of a Markdown text as npm's `mermaid` draws them, each with its text (mermaid_charts.js)."""
    charts = re.findall(r"^```mermaid\n(.*?)^```$", markdown, re.MULTILINE | re.DOTALL)
    environment = {**os.environ, "NODE_PATH": str(node_modules("browser", *PACKAGES))}
    ran = subprocess.run([str(NODE), str(CHARTS), shutil.which("chromium")], input=json.dumps(charts),
                         env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stderr
    return [{"text": text, **seen} for text, seen in zip(charts, json.loads(ran.stdout), strict=True)]


def use_page(page: pathlib.Path, shots: pathlib.Path) -> dict:
    """Uses every control of a page in light and dark; the result has what the browser saw (page_browser.js)."""
    shots.mkdir(exist_ok=True)
    return browse(SCRIPT, page, str(shots))


def measure_page(page: pathlib.Path, words: str, runs: int) -> dict:
    """The times of opening a page and of filtering its matrix, in ms, one of each for every run (page_times.js)."""
    return browse(SCRIPT.with_name("page_times.js"), page, words, str(runs))


def browse(script: pathlib.Path, page: pathlib.Path, *arguments: str) -> dict:
    command = [str(NODE), str(script), shutil.which("chromium"), str(page), *arguments]
    environment = {**os.environ, "NODE_PATH": str(node_modules("browser", *PACKAGES))}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def check_page(seen: dict) -> None:
    """The page is silent, loads nothing, runs no text as code, and axe has no serious finding."""
    assert seen["requests"] == []
    assert seen["console"] == []
    assert seen["errors"] == []
    assert seen["dialogs"] == []
    assert seen["overflow"] <= 0, "the page is wider than the window"
    assert seen["sheet"] <= SHEET, "a drawing is wider than a sheet of A4"
    for scheme in ("light", "dark"):
        assert [one for one in seen["axe"][scheme] if one["impact"] in ("serious", "critical")] == []
    assert seen["background"]["light"] != seen["background"]["dark"]
    assert all(seen["returned"]), "the focus did not return to where it was"
