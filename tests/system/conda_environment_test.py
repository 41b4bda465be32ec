"""Environments from conda packages: solved from a real channel over HTTP, installed, and used for builds and tests."""

import json
import pathlib
import re
import shutil
import sys

import pytest
from conda_packages import Package
from conftest import PYTHON, digests

pytestmark = pytest.mark.docker

# A build has the programs of all packages. A test has only Python, from its own prefix.
BUILD = """\
case $(command -v ninja) in */conda/bin/ninja) ;; *) echo "ninja: $(command -v ninja)"; exit 1 ;; esac
exec python "{package}/make_wheel.py" "{dest_dir}"
"""
CHECK = """\
import pathlib, shutil, sys
import script_only
prefix = pathlib.Path(sys.base_prefix)
assert prefix.parent.name == "conda" and prefix.name.startswith("conda-"), prefix
assert not (prefix / "bin/ninja").exists() and "/conda/" not in (shutil.which("ninja") or ""), shutil.which("ninja")
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> pathlib.Path:
    """A cache for this file only, so that its contents are known."""
    return tmp_path_factory.mktemp("conda-cache")


@pytest.fixture
def conda_project(project, channel, cache):
    """A function that makes a project whose environment has these packages of the channel."""

    def make(*packages: str, channels: list[str] | None = None):
        made = project("script")
        made.environment |= {"PINWHEEL_PYTHON": "conda", "PINWHEEL_CONDA": "rattler"}
        made.environment |= {"PINWHEEL_CACHE_DIR": str(cache), "PINWHEEL_MATRIX": "matrix.yaml"}
        # Resolutions of other test files are from other channels and do not apply here.
        shutil.rmtree(made.state)

        def change(matrix):
            matrix["axes"]["flavor"] = ["plain"]
            matrix["environment"]["conda"] = {"channels": channels or [channel.url], "packages": list(packages)}

        made.edit(change)
        return made

    return make


def prefixes(cache: pathlib.Path) -> set[pathlib.Path]:
    return {marker.parent for marker in (cache / "conda").glob("*/pinwheel-complete.json")}


def test_it_announces_what_it_installs(conda_project, tmp_path):
    one = conda_project("ninja")
    empty = {"PINWHEEL_CACHE_DIR": str(tmp_path / "cache"), "PIP_INDEX_URL": "http://127.0.0.1:1/simple"}
    alone = {"PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": "", "PIP_RETRIES": "0", "PIP_CONFIG_FILE": "/dev/null"}
    output = one.run("build", code=4, **empty, **alone).stderr
    notice, failure = output.index("installing `py-rattler>="), output.index("error: installing py-rattler")
    assert notice < failure and str(tmp_path / "cache" / "tools") in output


def test_a_project_is_built_and_tested_on_conda_packages(conda_project, cache):
    one = conda_project("python={python}", "ninja")

    def change(matrix):
        matrix["build"]["command"] = ["bash", "-c", BUILD]
        matrix["test"]["command"] = ["python", "-c", CHECK]

    one.edit(change)
    before = prefixes(cache)
    outcomes = one.report("test")
    assert {outcome["state"] for outcome in outcomes.values()} == {"done"}, outcomes
    made = sorted(prefixes(cache) - before)
    assert sorted((prefix / "bin/ninja").exists() for prefix in made) == [False, True]
    listed = json.loads(one.run("env", "list", "--json").stdout)["environments"]
    rows = [row for row in listed if row["id"] in {prefix.name for prefix in made}]
    assert len(rows) == 2 and all(row["complete"] and row["python"].startswith(PYTHON) for row in rows)
    # Nothing is repeated, and the channel gets no request.
    assert {outcome["state"] for outcome in one.report("test").values()} == {"reused"}
    for prefix in made:
        one.run("env", "rm", prefix.name)
    assert not any(prefix.exists() for prefix in made)
    one.start_afresh()


def test_two_creations_are_identical_file_by_file(conda_project, cache):
    one = conda_project("hello", "noted")
    before = prefixes(cache)
    one.report("build")
    (prefix,) = prefixes(cache) - before
    first = digests(prefix)
    one.run("env", "rm", prefix.name)
    shutil.rmtree(cache / "packages")
    shutil.rmtree(one.state)
    one.report("build")
    second = digests(prefix)
    marker = "pinwheel-complete.json"  # has the time of creation
    assert first.pop(marker) and second.pop(marker)
    assert len(first) > 1000 and first == second


def traffic_of_environment(outcomes: dict[str, dict]) -> tuple[int, dict[str, tuple[int, int]]]:
    """The fetched bytes of the only environment, and the hits and misses of its caches."""
    (outcome,) = [outcome for step, outcome in outcomes.items() if step.startswith("env:")]
    (trace,) = outcome["trace"]
    return trace.get("fetched_bytes", 0), {use["cache"]: (use["hits"], use["misses"]) for use in trace["caches"]}


@pytest.mark.parametrize("client", ["rattler", "conda"])
def test_the_trace_of_a_step_has_the_archives_that_its_client_fetched(
    conda_project, channel, cache, client, request, tmp_path
):
    variables = request.getfixturevalue("genuine")[0] if client == "conda" else {}
    package = channel.add(Package(f"counted-by-{client}", "1.0"), {"share/counted": client * 1000})
    one = conda_project(package.name)
    before = prefixes(cache)
    # pip resolves with the Python of the packages, so that they are installed before the steps.
    _, uses = traffic_of_environment(one.report("build", **variables))
    assert "conda" not in uses
    (prefix,) = prefixes(cache) - before
    installed = len(list((prefix / "conda-meta").glob("*.json")))
    assert installed >= 2

    # Another machine gets the resolution, and has all packages but one.
    one.run("env", "rm", prefix.name)
    for path in sorted((cache / "packages").rglob(f"{package.stem}*")):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    shutil.copytree(one.state / "resolutions", tmp_path / "resolutions")
    shutil.rmtree(one.state)
    shutil.copytree(tmp_path / "resolutions", one.state / "resolutions")
    channel.requests.clear()
    fetched, uses = traffic_of_environment(one.report("build", **variables))
    (asked,) = {path for path, status in channel.requests if status == 200 and path.endswith(".tar.bz2")}
    assert asked.endswith(f"/{channel.path(package).name}")
    assert fetched == channel.path(package).stat().st_size
    assert uses["conda"] == (installed - 1, 1) and uses["environment"][1] == 1


def test_a_conflict_is_reported_in_the_solvers_words(conda_project, cache):
    before = prefixes(cache)
    output = conda_project("left", "right").run("build", code=2).stderr
    assert "left 1.0 would require" in output and "shared 1.0, which conflicts with the versions" in output
    assert "hint: " in output and prefixes(cache) == before


@pytest.mark.parametrize(("package", "reason"), [("for-new-glibc", "__glibc >=9.9"), ("for-cuda", "__cuda >=13")])
def test_the_solver_knows_the_machine(conda_project, package, reason):
    assert reason in conda_project(package).run("build", code=2).stderr


def test_a_python_other_than_the_variants_is_refused(conda_project):
    output = conda_project("python=2.7").run("build", code=2).stderr
    assert "python" in output and "2.7" in output


def test_a_request_is_repeated_after_a_transient_channel_fault(conda_project, channel):
    package = channel.add(Package("late", "1.0"), {"share/late": "late\n"})
    one = conda_project("late")
    channel.fail("linux-64/repodata.json$")
    channel.fail(f"/{package.stem}")
    one.report("build")
    asked = [status for path, status in channel.requests if package.stem in path]
    assert asked == [500, 200]
    assert ("/linux-64/repodata.json", 500) in channel.requests


def test_a_channel_that_is_down_is_named(conda_project, channel):
    one = conda_project("shared")
    channel.fail("repodata.json$", times=100)
    output = one.run("build", code=4).stderr
    assert "500 Internal Server Error" in output and channel.url in output


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_a_file_that_does_not_match_the_index_is_refused(conda_project, channel, cache, scheme):
    before = prefixes(cache)
    channels = [channel.url if scheme == "http" else channel.directory.as_uri()]
    output = conda_project("spoilt", channels=channels).run("build", code=4).stderr
    promised = channel.index["linux-64"]["spoilt-1.0-0.tar.bz2"]["sha256"]
    assert re.search(rf"spoilt-1.0-0.tar.bz2 has sha256 [0-9a-f]{{64}}, not {promised}", output)
    assert prefixes(cache) == before


# The original conda client


STAND_IN = """\
#!{python}
# Calls conda 4.3.16 with its own arguments, and answers a dry run as current conda does: with URLs and hashes.
# That conda knows neither strict priority nor virtual packages.
import json, os, subprocess, sys, urllib.request

arguments = sys.argv[1:]
if arguments == ["--version"]:
    sys.exit(print("conda 24.1.0"))
with open({log!r}, "a") as log:
    print(json.dumps(arguments), file=log)
environment = {{**os.environ, "CONDA_CHANNEL_PRIORITY": "true"}}
called = [one + "/legacy" if one == {channel!r} else one for one in arguments]
ran = subprocess.run([{conda!r}, *called], env=environment, capture_output=True, text=True)
sys.stderr.write(ran.stderr)
if ran.returncode or "--json" not in arguments:
    sys.stdout.write(ran.stdout)
    sys.exit(ran.returncode)
(actions,) = json.loads(ran.stdout)["actions"]
fetched = []
for link in actions["LINK"]:
    with urllib.request.urlopen({channel!r} + "/" + link["platform"] + "/repodata.json") as answer:
        name = link["dist_name"] + ".tar.bz2"
        url = {channel!r} + "/" + link["platform"] + "/" + name
        fetched.append({{**json.load(answer)["packages"][name], "url": url, "fn": name}})
print(json.dumps({{"success": True, "actions": {{"FETCH": fetched, "LINK": actions["LINK"]}}}}))
"""


@pytest.fixture
def genuine(conda_oracle, channel, tmp_path):
    """The variables that make pinwheel use conda 4.3.16, and the file that records how it was called."""
    log, program = tmp_path / "calls.jsonl", tmp_path / "bin" / "conda"
    program.parent.mkdir()
    values = {"python": sys.executable, "log": str(log), "channel": channel.url, "conda": str(conda_oracle.program)}
    program.write_text(STAND_IN.format(**values))
    program.chmod(0o755)
    own = conda_oracle.environment()
    return {"PINWHEEL_CONDA": str(program), "CONDARC": own["CONDARC"]}, log


def test_the_original_conda_accepts_the_arguments_and_the_lists(conda_project, genuine, cache):
    variables, log = genuine
    one = conda_project("python={python}", "ninja", "hello<2")
    before = prefixes(cache)
    one.report("build", **variables)
    (made,) = prefixes(cache) - before
    assert (made / "share").exists() or (made / "bin/hello").read_text().endswith("print('hello 1.0')\n")
    solve, install = [json.loads(line) for line in log.read_text().splitlines()]
    assert solve[:4] == ["create", "--dry-run", "--yes", "--json"]
    assert install[:3] == ["create", "--yes", "--quiet"] and install[-1].endswith("explicit.txt")


def test_downloads_of_the_original_conda_are_checked_against_their_sha256(conda_project, channel, genuine, cache):
    package = channel.add(Package("other", "1.0"), {"share/other": "other\n"})
    channel.index["linux-64"][channel.path(package).name]["sha256"] = "0" * 64
    channel.write_index()
    before = prefixes(cache)
    output = conda_project("python={python}", "other").run("build", code=4, **genuine[0]).stderr
    assert re.search(r"other-1.0-0.tar.bz2 has sha256 [0-9a-f]{64}, not 0{64}", output)
    assert prefixes(cache) == before


def test_a_conflict_of_the_original_conda_is_reported_in_its_words(conda_project, genuine):
    output = conda_project("left", "right").run("build", code=2, **genuine[0]).stderr
    assert "left -> shared <2" in output and "right -> shared >=2" in output


def test_a_conda_that_is_too_old_is_named(conda_project, conda_oracle):
    output = conda_project("ninja").run("build", code=4, PINWHEEL_CONDA=str(conda_oracle.program)).stderr
    assert f"`{conda_oracle.program}` is conda 4.3.16, which is too old" in output
