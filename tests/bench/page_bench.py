#!/usr/bin/env python3
"""Measures the page of a run with 10,000 variants: how long `pinwheel report --html` takes to write it, how large it is,
and in Debian's Chromium without a network the time to the first paint, to the complete page, and for a filter.

The report is made by the tests' `made_runs.run_of`: ten values of each of four axes, 1,000 builds, and a test for each
variant, of which every tenth failed. The program writes the page from it. Times are medians. Nothing is asserted.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fakes"))

from browser import measure_page  # noqa: E402
from made_runs import report_of, run_of  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pinwheel", required=True, help="the program")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        report = pathlib.Path(place, "report.json")
        page = pathlib.Path(place, "page.html")
        report.write_text(report_of(run_of((10, 10, 10, 10))))
        command = [options.pinwheel, "report", str(report), "--html", str(page)]
        written = []
        for _ in range(options.runs):
            begun = time.perf_counter()
            subprocess.run(command, cwd=place, check=True, capture_output=True)
            written.append(1000 * (time.perf_counter() - begun))
        seen = measure_page(page, "failed", options.runs)
        print(f"report --html: {statistics.median(written):.0f} ms, {page.stat().st_size / 1e6:.1f} MB")
        for name, text in {
            "painted": "first paint",
            "shown": "complete page",
            "filter": f"filter ({seen['found']})",
            "frame": "filter, to the next frame",
        }.items():
            print(f"{text}: {statistics.median(seen[name]):.0f} ms, at most {max(seen[name]):.0f} ms")


if __name__ == "__main__":
    main()
