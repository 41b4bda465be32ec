"""Releases on GitHub: the whole way from a project to a published release, and what interrupts it."""

import hashlib
import json
import shutil
import signal
import subprocess

import pytest
from cyclonedx.model.bom import Bom
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from github_server import NAME, TOKEN, github_server

TAG = "v1.2.0"
CHANGES = "# Changes\n\n## 1.2.0 (2026-11-02)\n\n- Faster.\n\n## 1.1.0\n\n- Slower.\n"


@pytest.fixture
def github():
    with github_server() as server:
        yield server


@pytest.fixture
def released(project, github):
    """A project with two wheels that go to a release on GitHub, already built and tested."""
    script = project("script")
    script.environment = script.environment | {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": github.url}
    (script.directory / "CHANGELOG.md").write_text(CHANGES)
    target = {"kind": "github-release", "repository": NAME, "label": "local"}
    script.edit(lambda matrix: matrix.update(publish={"github": target}, channels={"release": {"publish": ["github"]}}))
    script.run("test", "matrix.yaml", "--channel", "release")
    return script


def release(script, *options, code=0, **environment):
    ran = script.run("release", "matrix.yaml", *options, code=code, **environment)
    assert TOKEN not in ran.stdout + ran.stderr
    return ran


def commit_of(script):
    return script.git("rev-parse", "HEAD").strip()


def check_sbom(text: str, files: dict[str, bytes]):
    """The bill of materials is valid CycloneDX, and has the digests of the files."""
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    components = Bom.from_json(json.loads(text)).components
    digests = {each.bom_ref.value: next(iter(each.hashes)).content for each in components if each.hashes}
    assert digests == {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def check_files(github, script):
    """The release has the built files, and the three that describe them."""
    files = github.files(TAG)
    digests = files.pop("SHA256SUMS").decode()
    record = json.loads(files.pop("pinwheel-release.json"))
    check_sbom(files.pop("pinwheel-sbom.cdx.json").decode(), files)
    wheels = {path.name: path.read_bytes() for path in script.output.glob("*.whl")}
    assert len(files) == 2 and all(wheels[name] == data for name, data in files.items())
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items())]
    assert digests == "".join(lines)
    assert record == {
        "schema": "pinwheel-release/1", "project": "script-only", "version": "1.2.0", "tag": TAG, "commit": commit_of(script),
        "files": [{"filename": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
                  for name, data in sorted(files.items())],
    }


def test_a_release_is_drafted_filled_verified_tagged_and_published_once(released, github):
    release(released)
    check_files(github, released)
    assert [step.split(" ")[0] for step in github.done] == ["draft", *["upload"] * 5, "tag", "publish"]
    assert github.tags == {TAG: commit_of(released)}
    made = github.releases[0]
    assert (made["name"], made["body"], made["prerelease"]) == ("script-only 1.2.0", "- Faster.", False)
    assert made["target_commitish"] == commit_of(released)
    # The assets are listed before the tag and the publication, and again after it.
    listed = f"GET /releases/{made['id']}/assets"
    assert github.asked[-4:] == [listed, "POST /git/refs", f"PATCH /releases/{made['id']}", listed]
    secrets = [path for path in released.state.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert secrets == []


def test_a_published_release_is_only_verified(released, github):
    release(released)
    github.immutable = True
    before = list(github.done)
    release(released)
    released.start_afresh()
    release(released)
    assert github.done == before
    check_files(github, released)


@pytest.mark.parametrize("immutable, advice", [(True, "immutable"), (False, "delete the release")])
def test_a_difference_after_publication_is_an_error_with_the_way_on(released, github, immutable, advice):
    release(released)
    github.immutable = immutable
    asset = github.releases[0]["assets"][0]
    asset["digest"] = "sha256:" + "0" * 64
    before = list(github.done)
    released.start_afresh()
    error = release(released, code=6).stderr
    assert f"`{asset['name']}` has SHA-256 {'0' * 64} there" in error
    assert advice in error and "publish another version" in error
    assert github.done == before


def test_a_tag_at_another_commit_stops_the_release_before_anything_is_sent(released, github):
    github.tags[TAG] = "d" * 40
    error = release(released, code=6).stderr
    assert "d" * 40 in error and commit_of(released) in error and "a tag is not moved" in error
    assert github.done == []


def test_an_annotated_tag_counts_as_its_commit(released, github):
    github.tags[TAG] = "e" * 40
    github.tag_objects["e" * 40] = commit_of(released)
    release(released)
    check_files(github, released)
    assert not any(step.startswith("tag ") for step in github.done)


def test_a_wrong_token_is_named_and_shown_nowhere(released, github):
    wrong = "ghs_wrongcanary0123456789"
    ran = release(released, code=6, GITHUB_TOKEN=wrong)
    assert "HTTP 401 (Bad credentials)" in ran.stderr and "contents: write" in ran.stderr
    texts = [path for path in released.state.rglob("*") if path.is_file() and wrong.encode() in path.read_bytes()]
    assert wrong not in ran.stdout + ran.stderr and texts == [] and github.done == []


def test_without_a_token_nothing_is_asked(released, github):
    error = release(released, code=2, GITHUB_TOKEN="").stderr
    assert "there is no token for `github`" in error and "set GITHUB_TOKEN" in error
    assert github.asked == []


def test_the_token_goes_to_no_other_server(released, github):
    with github_server() as other:
        github.upload_url = f"{other.url}/repos/{NAME}/releases/1/assets"
        assert "upload URL on another server" in release(released, code=6).stderr
        assert other.asked == []


def test_a_draft_of_the_tag_is_completed_with_its_notes_and_its_own_files(released, github):
    wheel = sorted(released.output.glob("*.whl"))[0]
    draft = github.add_release(TAG)
    github.add_asset(draft, wheel.name, wheel.read_bytes())
    github.add_asset(draft, "SHA256SUMS", b"half", state="open")
    github.add_asset(draft, "pinwheel-release.json", b"another")
    github.add_asset(draft, "manual.pdf", b"by hand")
    github.releases += [github.add_release(f"v0.{n}", draft=False) for n in range(40)]
    github.releases.remove(draft)
    github.releases.append(draft)
    release(released)
    assert github.files(TAG).pop("manual.pdf") == b"by hand"
    draft["assets"] = [asset for asset in draft["assets"] if asset["name"] != "manual.pdf"]
    check_files(github, released)
    assert draft["body"] == "By hand."
    deleted = [step for step in github.done if step.startswith("delete ")]
    assert sorted(deleted) == ["delete SHA256SUMS", "delete pinwheel-release.json"]
    assert f"upload {wheel.name}" not in github.done


def test_without_digests_files_are_downloaded_and_compared(released, github):
    github.digests = False
    wheel = sorted(released.output.glob("*.whl"))[0]
    draft = github.add_release(TAG)
    github.add_asset(draft, wheel.name, wheel.read_bytes())
    github.add_asset(draft, "SHA256SUMS", b"x" * 10)
    release(released)
    check_files(github, released)
    assert f"upload {wheel.name}" not in github.done and github.done.count("upload SHA256SUMS") == 1
    downloads = [line for line in github.asked if line.startswith("GET ") and "/releases/assets/" in line]
    assert len(downloads) == len(set(downloads)) >= len(github.files(TAG))


FAULTS = [
    ("POST /releases", "lost"),
    ("POST /releases", (502, {})),
    ("POST /releases", (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1"})),
    ("POST /releases/", "lost"),
    ("POST /releases/", "cut"),
    ("POST /releases/", (429, {"Retry-After": "1"})),
    ("POST /git/refs", "lost"),
    ("PATCH /releases/", "lost"),
    ("PATCH /releases/", (500, {})),
    ("GET /releases/tags/", (503, {})),
]


@pytest.mark.parametrize("request_, fault", FAULTS)
def test_a_fault_is_looked_up_and_repeated(released, github, request_, fault):
    github.faults[request_] = [fault]
    release(released)
    check_files(github, released)
    uploads = [step for step in github.done if not step.startswith("delete ")]
    assert len(uploads) == len(set(uploads)) == 8
    assert len(github.releases) == 1


def test_a_rejected_draft_is_not_tried_again(released, github):
    github.faults["POST /releases"] = [(422, {})]
    assert "the draft of the release was not created: HTTP 422" in release(released, code=6).stderr
    assert github.asked.count("POST /releases") == 1


def kill_at(github, script, number, when):
    """Runs a release that is killed at its request with that number; whether it got so far."""
    killed = []

    def strike(at):
        if at == number:
            killed.append(at)
            run.kill()
            run.wait()

    setattr(github, when, strike)
    run = subprocess.Popen(script.command("release", "matrix.yaml"), cwd=script.directory, env=script.environment,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    _, errors = run.communicate(timeout=120)
    setattr(github, when, lambda at: None)
    assert run.returncode == (-signal.SIGKILL if killed else 0), errors
    return bool(killed)


@pytest.mark.releases
@pytest.mark.takes(60)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_release_that_is_killed_at_any_request_is_completed_by_the_next(released, when, tmp_path):
    tested = tmp_path / "tested"
    shutil.copytree(released.state, tested)
    number, killed = 0, True
    while killed:
        number += 1
        shutil.rmtree(released.state)
        shutil.copytree(tested, released.state)
        with github_server() as github:
            released.environment |= {"GITHUB_API_URL": github.url}
            killed = kill_at(github, released, number, when)
            if killed:
                release(released)
            check_files(github, released)
            changes = [step for step in github.done if not step.startswith("delete ")]
            assert len(changes) == len(set(changes)) == 8
            assert len(github.releases) == 1 and github.tags == {TAG: commit_of(released)}
    assert number > 10


def test_a_job_with_a_frozen_plan_tags_and_publishes_from_a_shallow_checkout(released, github, tmp_path):
    """As in a publish job, which has the results of other jobs."""
    store = f"dir:{tmp_path / 'store'}"
    released.git("tag", "-d", TAG)
    released.git("tag", "-f", "release/v1.2.0")
    path = released.directory / "matrix.yaml"
    path.write_text(path.read_text().replace("match: v*", "match: release/v*"))
    released.git("commit", "-qam", "Name the tags")
    released.git("tag", "-f", "release/v1.2.0")
    released.run("plan", "matrix.yaml", "--channel", "release", "--out", "plan.json", GITHUB_REPOSITORY="other/fork")
    frozen = json.loads((released.directory / "plan.json").read_text())
    assert (frozen["tag"], frozen["repository"]) == ("release/v1.2.0", "other/fork")
    released.run("test", "--plan", "plan.json", "--store", store)
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "1", "--no-tags", f"file://{released.directory}", str(shallow)], check=True)
    plan = tmp_path / "plan.json"
    shutil.copy(released.directory / "plan.json", plan)
    command = [released.binary, "release", "--plan", str(plan), "--reuse-only", "--store", store, "--target", "github"]
    environment = released.environment | {"PINWHEEL_CACHE_DIR": str(tmp_path / "cache")}
    ran = subprocess.run(command, cwd=shallow, env=environment, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert github.tags == {"release/v1.2.0": commit_of(released)}
    described = ["SHA256SUMS", "pinwheel-release.json", "pinwheel-sbom.cdx.json"]
    assert sorted(github.files("release/v1.2.0"))[:3] == described


def test_a_version_from_a_file_is_tagged_unless_the_checkout_differs_from_the_commit(released, github):
    released.git("tag", "-d", TAG)

    def from_file(matrix):
        matrix["package"]["version"] = {"from": "file", "file": "VERSION"}

    (released.directory / "VERSION").write_text("1.3.0rc1\n")
    released.edit(from_file)
    released.git("tag", "-d", TAG)
    changes = released.directory / "CHANGELOG.md"
    changes.write_text(changes.read_text() + "\nMore.\n")
    error = release(released, "--channel", "release", code=5).stderr
    assert "cannot tag commit" in error and "started" not in error and "commit the changes of tracked files" in error
    assert github.asked == []
    released.git("checkout", "-q", "CHANGELOG.md")
    ran = release(released, "--channel", "release")
    assert github.tags == {"v1.3.0rc1": commit_of(released)}
    made = github.releases[0]
    assert made["prerelease"] is True and made["body"] == ""
    assert "has no section about version 1.3.0rc1" in ran.stdout + ran.stderr


def test_status_shows_the_files_of_the_release_and_what_completes_it(released, github):
    def states(code):
        ran = released.run("status", "matrix.yaml", "--channel", "release", "--json", code=code)
        return {each["file"]: each["state"] for each in json.loads(ran.stdout)["files"]}

    assert set(states(5).values()) == {"missing"}
    github.faults["POST /git/refs"] = [(422, {})]
    release(released, code=6)
    assert set(states(5).values()) == {"missing"}  # a draft is not a release
    release(released)
    complete = states(0)
    assert set(complete.values()) == {"published"} and {"SHA256SUMS", "pinwheel-release.json"} < set(complete)
    asset = github.releases[0]["assets"][0]
    digest, asset["digest"] = asset["digest"], "sha256:" + "0" * 64
    assert states(5)[asset["name"]] == "other bytes"
    # The files are right, and only the tag is not: no command changes that.
    asset["digest"] = digest
    github.tags[TAG] = "d" * 40
    moved = released.run("status", "matrix.yaml", "--channel", "release", code=5).stderr
    assert "its tag is at another commit" in moved and "d" * 40 in moved
    assert "hint: publish another version: no command completes this one" in moved


def test_a_release_asks_github_before_it_builds(released, github):
    released.start_afresh()
    github.tags[TAG] = "d" * 40
    assert "d" * 40 in release(released, code=6).stderr
    github.tags.clear()
    github.push = False
    assert "may not write to" in release(released, code=6).stderr
    github.push = None
    assert "there is no token for `github`" in release(released, code=2, GITHUB_TOKEN="").stderr
    assert "HTTP 401" in release(released, code=6, GITHUB_TOKEN="ghs_another0123456").stderr
    assert released.starts() == {} and github.done == []
    table = release(released).stderr
    assert f"tag `{TAG}` is new" in table
    check_files(github, released)
