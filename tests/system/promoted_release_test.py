"""Releases with `through`: first to one index, installed from there by pip and by uv, then the same bytes to the next."""

import json
import os
import pathlib
import shutil
import stat
import subprocess
import time

import pytest
from conftest import PYTHON, Project
from indexes import empty_index, fake_index, log_of, names_of, pip_installs, real_index
from made_wheels import make_wheel
from resume_test import check_that_nothing_done_was_repeated

FLAVORS = ("loud", "plain")
WHEELS = [f"script_only-1.2.0+{flavor}-py3-none-any.whl" for flavor in FLAVORS]
VARIANTS = [f"cp{PYTHON.replace('.', '')}-{flavor}" for flavor in FLAVORS]
INSTALLS = [f"install:{variant}" for variant in VARIANTS]


def promote(script: Project, first: str, last: str) -> None:
    """Lets the release reach the index `last` through the index `first`."""
    index = {"kind": "index", "label": "local", "auth": "none"}

    def edit(matrix):
        matrix["publish"] |= {"trial": index | {"url": first}, "own": index | {"url": last}}
        matrix["channels"]["release"] = {"publish": ["own"], "through": "trial"}

    script.edit(edit)


def held(packages: pathlib.Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in packages.iterdir()}


def program(script: Project, text: str) -> pathlib.Path:
    """Puts a program called uv before the real one on PATH; `$uv` is the real one."""
    real = shutil.which("uv", path=script.environment["PATH"])
    directory = script.directory.parent / "programs"
    directory.mkdir(exist_ok=True)
    path = directory / "uv"
    path.write_text(f"#!/bin/sh\nuv={real}\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    if not script.environment["PATH"].startswith(str(directory)):
        script.environment = script.environment | {"PATH": f"{directory}:{script.environment['PATH']}"}
    return path


def log(script: Project, step: str) -> str:
    """The logs of a step, of all runs."""
    name = step.replace(":", "-")
    return "".join(path.read_text() for path in sorted(script.state.rglob(f"*{name}*")) if path.suffix == ".log")


@pytest.fixture
def first(tmp_path):
    with empty_index(tmp_path / "first") as index:
        yield index


@pytest.fixture
def last(tmp_path):
    with empty_index(tmp_path / "last") as index:
        yield index


@pytest.mark.takes(30)
def test_the_bytes_that_pip_and_uv_installed_reach_the_next_index(script, first, last, tmp_path):
    promote(script, first[1], last[1])
    planned = json.loads(script.run("plan", "matrix.yaml", "--channel", "release", "--json").stdout)
    assert planned["promotion"] == {"through": "trial", "install": sorted(VARIANTS, reverse=True), "targets": ["own"]}
    shown = script.run("plan", "matrix.yaml", "--channel", "release").stdout
    assert "published to trial first, installed from there for" in shown
    dry = script.run("release", "matrix.yaml", "--dry-run").stdout
    assert "from trial with pip and with uv" in dry and "would publish the files of trial to own" in dry

    report = script.report("release", "matrix.yaml")
    order = [step for step in report if step.startswith(("publish", "install"))]
    assert order == ["publish:trial", *sorted(INSTALLS, reverse=True), "publish:own"]
    assert {report[step]["evidence"] for step in INSTALLS} == {"loaded"}
    assert held(first[0]) == held(last[0]) and sorted(held(last[0])) == WHEELS
    record = json.loads((script.output / "pinwheel-release.json").read_text())
    assert [file["filename"] for file in record["files"]] == WHEELS
    pip_installs(last[1] + "simple/", tmp_path / "pip", "script-only==1.2.0+loud")

    # Again nothing runs.
    again = script.report("release", "matrix.yaml")
    assert {again[step]["state"] for step in order} == {"reused"}
    assert not list((pathlib.Path(script.environment["PINWHEEL_CACHE_DIR"]) / "promotions").glob("script-only*/*"))


@pytest.mark.takes(30)
def test_no_index_is_asked_for_what_belongs_to_the_other(script, first, last, tmp_path):
    """The first index has a newer release of a requirement, and the user's own index another wheel of the release."""
    user = tmp_path / "user"
    user.mkdir()
    make_wheel(user, "spam", "1.0", "GOOD = True")
    make_wheel(first[0], "spam", "9.0", "raise SystemExit('spam of the first index')")
    make_wheel(user, "script_only", "1.2.0+plain", "raise SystemExit('script_only of the user\'s index')")
    make_wheel(user, "script_only", "1.2.0+loud", "raise SystemExit('script_only of the user\'s index')")
    source = script.directory / "make_wheel.py"
    text = source.read_text().replace("Version: {options.version}\\n", "Version: {options.version}\\nRequires-Dist: spam\\n")
    source.write_text(text.replace('f"FLAVOR', 'f"import spam\\nassert spam.GOOD\\nFLAVOR'))
    assert "Requires-Dist" in source.read_text() and "spam.GOOD" in source.read_text()
    promote(script, first[1], last[1])
    known = script.environment.get("PIP_FIND_LINKS", "")
    script.environment = script.environment | {"PIP_FIND_LINKS": f"{user} {known}".strip()}
    report = script.report("release", "matrix.yaml")
    assert {report[step]["evidence"] for step in INSTALLS} == {"loaded"}
    assert sorted(held(last[0])) == WHEELS


@pytest.mark.releases
@pytest.mark.takes(30)
def test_a_release_that_cannot_be_installed_stays_on_the_first_index(script, first, last):
    promote(script, first[1], last[1])
    fake = program(script, "echo 'error: no such wheel' >&2\nexit 2")
    failed = script.run("release", "matrix.yaml", code=5)
    assert "from `trial` with uv failed" in failed.stderr and "no such wheel" in failed.stderr
    assert sorted(held(first[0])) == WHEELS and held(last[0]) == {}
    fake.write_text('#!/bin/sh\nexec %s "$@"\n' % shutil.which("uv", path=script.environment["PATH"].split(":", 1)[1]))

    # The index then has other bytes under the same name.
    wheel = first[0] / WHEELS[0]
    whole = wheel.read_bytes()
    wheel.write_bytes(whole + b"more")
    changed = script.run("release", "matrix.yaml", code=5)
    assert WHEELS[0] in changed.stderr and held(last[0]) == {}
    wheel.write_bytes(whole)

    # A file of the same version that the release does not have.
    more = first[0] / WHEELS[0].replace("loud", "third")
    shutil.copy(wheel, more)
    assert "but not in the record" in script.run("release", "matrix.yaml", code=5).stderr
    more.unlink()
    script.run("release", "matrix.yaml")
    assert held(first[0]) == held(last[0])


@pytest.mark.releases
@pytest.mark.takes(30)
def test_other_bytes_than_the_record_says_are_the_fault_of_the_index(script, last, tmp_path):
    """The pages of this index have no hashes, so only the installers see it."""
    packages = tmp_path / "without hashes"
    packages.mkdir()
    with real_index(packages, "--hash-algo", "off") as first:
        promote(script, first + "/", last[1])
        program(script, "exit 2")
        script.run("release", "matrix.yaml", code=5)
        for name in WHEELS:
            wheel = packages / name
            wheel.write_bytes(wheel.read_bytes() + b"more")
        changed = script.run("release", "matrix.yaml", code=5)
    assert "DO NOT MATCH THE HASHES" in changed.stderr and "publish another version" in changed.stderr
    assert held(last[0]) == {}


@pytest.mark.releases
@pytest.mark.takes(30)
def test_projects_of_a_release_that_require_each_other_come_from_the_first_index(script, first, last, tmp_path):
    """One wheel requires the other project of the release, and that one a package of the user's index."""
    source = script.directory / "make_wheel.py"
    text = source.read_text().replace('f"{name}.py": f"FLAVOR', 'f"flavor_{flavor}.py": f"{imports}FLAVOR')
    text = text.replace("Version: {options.version}\\n", "Version: {options.version}\\n{needs}")
    source.write_text(text.replace("def make(name):\n", """def make(name):
    flavor = os.environ["SCRIPT_FLAVOR"]
    imports = {"plain": "import spam\\nassert spam.GOOD\\n", "loud": "import flavor_plain\\n"}[flavor]
    needs = {"plain": "Requires-Dist: spam\\n", "loud": f"Requires-Dist: script-only-plain=={options.version}\\n"}[flavor]
"""))
    (script.directory / "tests" / "check.py").write_text("")
    user = tmp_path / "user"
    user.mkdir()
    make_wheel(user, "spam", "1.0", "GOOD = True")
    make_wheel(first[0], "spam", "9.0", "raise SystemExit('spam of the first index')")
    others = [make_wheel(user, "script_only_plain", "1.2.0", requires=["flavor_plain"]), make_wheel(user, "flavor_plain", "1.0")]
    promote(script, first[1], last[1])

    def name_by_flavor(matrix):
        for target in ("trial", "own"):
            matrix["publish"][target].pop("label")
            matrix["publish"][target]["name"] = "script-only-{flavor}"
        matrix["publish"].pop("index")
        matrix["channels"].pop("ci")

    script.edit(name_by_flavor)
    known = script.environment.get("PIP_FIND_LINKS", "")
    script.environment = script.environment | {"PIP_FIND_LINKS": f"{user} {known}".strip()}
    script.run("test", "matrix.yaml", "--channel", "release")
    # From now on the other project is only on the first index.
    for other in others:
        other.unlink()
    report = script.report("release", "matrix.yaml")
    assert {report[step]["evidence"] for step in INSTALLS} == {"loaded"}
    assert sorted(held(last[0])) == [f"script_only_{flavor}-1.2.0-py3-none-any.whl" for flavor in FLAVORS]


def test_a_first_index_that_only_its_users_can_read_is_named(script, last):
    with fake_index("--json", "--private", "--token", "trial-token-0123456789") as first:
        promote(script, first + "/", last[1])
        script.edit(lambda matrix: matrix["publish"]["trial"].update(auth="token"))
        script.environment = script.environment | {"PINWHEEL_TOKEN_TRIAL": "trial-token-0123456789"}
        refused = script.run("release", "matrix.yaml", code=6)
        assert sorted(names_of(log_of(first))) == WHEELS
    assert "HTTP 401" in refused.stderr and "`trial` must be readable without credentials" in refused.stderr
    assert held(last[0]) == {}


def kill_when(script: Project, reached) -> None:
    """Starts a release and kills it as soon as something is reached."""
    run = subprocess.Popen(
        script.command("release", "matrix.yaml"), cwd=script.directory, env=script.environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 120
    while not reached():
        assert run.poll() is None, "the release ended"
        assert time.monotonic() < end
        time.sleep(0.02)
    run.kill()
    run.wait()


@pytest.mark.releases
@pytest.mark.takes(60)
def test_a_release_killed_at_each_stage_goes_on_where_it_was(script, tmp_path):
    with fake_index("--json", "--plan", "ok,hang") as first, fake_index("--json", "--plan", "ok,hang") as last:
        promote(script, first + "/", last + "/")
        # In the second upload to the first index.
        kill_when(script, lambda: len(log_of(first)) == 2)
        assert log_of(last) == []

        # In the second installation, which waits for a file.
        started, may_go_on = tmp_path / "started", tmp_path / "go"
        program(script, f"""case "$*" in *pip*install*)
  echo x >> {started}
  if [ $(wc -l < {started}) -ge 2 ]; then while [ ! -e {may_go_on} ]; do sleep 0.05; done; fi;;
esac
exec $uv "$@" """)
        kill_when(script, lambda: started.exists() and started.read_text().count("x") == 2)
        assert sorted(names_of(log_of(first))) == sorted([*WHEELS, names_of(log_of(first))[1]])
        assert log_of(last) == []
        may_go_on.touch()

        # In the second upload to the last index.
        kill_when(script, lambda: len(log_of(last)) == 2)
        script.run("release", "matrix.yaml")
        for index in (first, last):
            sent = names_of(log_of(index))
            # The upload that hung was not stored, and is the only one that was repeated.
            assert sorted(set(sent)) == WHEELS and len(sent) == 3 and sent[1] == sent[2]
        check_that_nothing_done_was_repeated(script.journal())
        assert script.starts()["publish:trial"] == 2 and script.starts()["publish:own"] == 2
        assert sorted(script.starts()[step] for step in INSTALLS) == [1, 2]


def test_the_targets_of_a_release_can_be_chosen(script, first, last):
    promote(script, first[1], last[1])
    script.run("release", "matrix.yaml", "--target", "trial")
    assert sorted(held(first[0])) == WHEELS and held(last[0]) == {}
    assert not any(step.startswith("install") for step in script.starts())
    # A target of the channel is never reached in another way.
    report = script.report("release", "matrix.yaml", "--target", "own")
    assert set(INSTALLS) < set(report) and held(first[0]) == held(last[0])


@pytest.mark.releases
@pytest.mark.takes(30)
def test_jobs_of_a_frozen_plan_hand_the_record_on(script, first, last, tmp_path):
    """Each stage in a run of its own, as in a workflow, with no more than the results of the others."""
    promote(script, first[1], last[1])
    plan, store = tmp_path / "plan.json", f"dir:{tmp_path / 'store'}"
    script.run("plan", "matrix.yaml", "--channel", "release", "--out", str(plan))
    script.run("test", "--plan", str(plan), "--store", store)
    gate = script.run("release", "--plan", str(plan), "--reuse-only", "--gate", "--store", store)
    assert "all results exist" in gate.stderr and held(first[0]) == {}

    def job(*steps: str, code: int = 0) -> subprocess.CompletedProcess:
        script.start_afresh()
        return script.run("release", "--plan", str(plan), "--reuse-only", "--store", store, *steps, code=code)

    early = job("--step", INSTALLS[0], code=5)
    assert "`publish:trial` has no result" in early.stderr
    job("--target", "trial")
    assert sorted(held(first[0])) == WHEELS and held(last[0]) == {}
    job("--step", INSTALLS[0])
    missing = job("--target", "own", code=5)
    assert f"`{INSTALLS[1]}` has no result" in missing.stderr and held(last[0]) == {}
    job("--step", INSTALLS[1])
    job("--target", "own")
    assert held(first[0]) == held(last[0])
    assert os.listdir(script.output)
