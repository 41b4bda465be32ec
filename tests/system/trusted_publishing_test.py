"""Uploads with tokens that an index issues for the job, by pinwheel and by uv, over TLS."""

import signal
import subprocess

import pytest
from processes import wait_until
from publish_test import make_wheel
from trusted_index import REQUEST_TOKEN, trusted_index


@pytest.fixture
def index(tmp_path):
    directory = tmp_path / "index"
    directory.mkdir()
    with trusted_index(directory) as index:
        yield index


@pytest.fixture
def wheels(tmp_path):
    directory = tmp_path / "dist"
    directory.mkdir()
    return [make_wheel(directory), make_wheel(directory, "py2.py3-none-any")]


@pytest.fixture
def publish(pinwheel, index, wheels):
    """Runs `pinwheel publish` as a job that the index trusts."""

    def command(when="always"):
        url = ["--repository-url", f"{index.url}/legacy/", "--trusted-publishing", when]
        return [pinwheel, "publish", *map(str, wheels), *url]

    def run(when="always", code=0, **variables):
        ran = subprocess.run(
            command(when), capture_output=True, text=True, timeout=120, env=index.environment(**variables)
        )
        assert ran.returncode == code, ran.stdout + ran.stderr
        check_masked(index, ran.stdout, ran.stderr)
        return ran

    run.command = command
    return run


def check_masked(index, stdout, stderr):
    """No secret is printed, except to tell GitHub's runner what to hide."""
    lines = stderr.splitlines()
    for secret in [REQUEST_TOKEN, *index.identities, *index.tokens]:
        assert secret not in stdout
        assert all(line == f"::add-mask::{secret}" for line in lines if secret in line)
    for secret in [*index.identities, *index.tokens]:
        assert f"::add-mask::{secret}" in lines


def test_a_job_publishes_with_an_exchanged_token_that_is_then_revoked(publish, index, wheels):
    ran = publish()
    assert index.files == {wheel.name: wheel.read_bytes() for wheel in wheels}
    assert len(index.tokens) == 1 and index.revoked == index.tokens
    assert index.asked[:3] == ["/_/oidc/audience", "/identity", "/_/oidc/mint-token"]
    assert index.asked[-1] == "/_/oidc/burn-token"
    output = ran.stderr.splitlines()
    first_upload = min(at for at, line in enumerate(output) if line.startswith("uploading "))
    assert output.index(f"::add-mask::{index.tokens[0]}") < first_upload


def test_an_index_that_no_matrix_names_gets_no_identity_token_unless_asked_for(publish, index):
    ran = publish("auto", code=2)
    assert "if the index trusts this job, pass `--trusted-publishing always`" in " ".join(ran.stderr.split())
    assert index.asked == [] and index.identities == [] and index.files == {}


def test_a_token_that_expires_is_exchanged_again_with_a_new_identity(publish, index):
    index.lifetime, index.upload_takes = 3.0, 2.5
    publish()
    assert len(index.files) == 2
    assert len(index.tokens) >= 2 and len(index.identities) == len(index.tokens) == len(index.used)
    assert len(set(index.uploaders)) == 2
    assert index.revoked == index.tokens


def test_a_token_that_ends_while_a_file_is_on_its_way_is_replaced_once(publish, index):
    index.lifetime, index.judged_after = 5.0, [5.5]
    ran = publish()
    assert len(index.files) == 2
    assert "HTTP 403" in ran.stderr and "trying again" in ran.stderr
    assert index.tokens[0] not in index.uploaders and index.revoked == index.tokens


def test_a_token_that_never_lasts_is_exchanged_twice_for_a_file(publish, index):
    index.lifetime, index.judged_after = 2.0, [2.5, 2.5]
    ran = publish(code=6)
    assert index.files == {} and len(index.tokens) == 2 and index.revoked == index.tokens
    assert "the token expired during the upload" in " ".join(ran.stderr.split())


def test_a_token_that_is_not_for_the_project_names_the_publisher_that_it_needs(publish, index):
    index.other_project = True
    ran = publish(code=6)
    output = " ".join(ran.stderr.split())
    assert "HTTP 403 (Invalid API Token: OIDC scoped token is not valid" in output
    assert "the project of this file needs a publisher of GitHub Actions" in output
    assert "repository `acme/kernels`, workflow `release.yml`, environment `pypi`" in output
    assert "PINWHEEL_TOKEN" not in output and ".pypirc" not in output
    assert index.files == {} and index.revoked == index.tokens


@pytest.mark.parametrize("audience", ["pypi", "testpypi", "sts.amazonaws.com", "127.0.0.1"])
def test_no_identity_token_is_asked_for_with_the_audience_of_another(publish, index, audience):
    index.audience = audience
    ran = publish(code=6)
    output = " ".join(ran.stderr.split())
    assert f"`index` asks for an identity token for the audience `{audience}`" in output
    assert index.asked == ["/_/oidc/audience"] and index.identities == [] and index.files == {}


def test_uv_publishes_to_the_same_index(index, wheels):
    command = ["uv", "publish", "--trusted-publishing", "always", "--publish-url", f"{index.url}/legacy/"]
    ran = subprocess.run(
        [*command, *map(str, wheels)], capture_output=True, text=True, timeout=120, env=index.environment()
    )
    assert ran.returncode == 0, ran.stderr
    assert index.files == {wheel.name: wheel.read_bytes() for wheel in wheels}
    assert len(index.tokens) == 1 and index.revoked == index.tokens
    exchange = [path for path in index.asked if path.startswith(("/_/oidc/", "/identity"))]
    assert exchange == ["/_/oidc/audience", "/identity", "/_/oidc/mint-token", "/_/oidc/burn-token"]


@pytest.mark.parametrize(
    "claims, advice",
    [
        ({"repository": "acme/other"}, "repository `acme/other`, workflow `release.yml`, environment `pypi`"),
        (
            {"job_workflow_ref": "acme/shared/.github/workflows/upload.yml@refs/heads/main"},
            "out of the reusable workflow `.github/workflows/upload.yml` into `.github/workflows/release.yml`",
        ),
        ({"event_name": "pull_request_target"}, "a job of `pull_request_target` runs code that anybody may propose"),
    ],
)
def test_an_index_that_does_not_trust_the_job_says_what_it_saw(publish, index, claims, advice):
    index.claims.update(claims)
    ran = publish(code=6)
    assert "`index` does not trust this job: HTTP 422" in ran.stderr
    for name, value in claims.items():
        assert f"{name} `{value}`" in ran.stderr
    assert advice in " ".join(ran.stderr.split())
    assert index.files == {} and index.tokens == [] and len(index.identities) == 1


@pytest.mark.parametrize(
    "variables, advice",
    [
        ({"ACTIONS_ID_TOKEN_REQUEST_URL": ""}, "grant the job `permissions: {id-token: write}`"),
        (
            {"ACTIONS_ID_TOKEN_REQUEST_TOKEN": "", "GITHUB_EVENT_NAME": "pull_request"},
            "GitHub gives no identity to pull requests from forks",
        ),
        ({"GITHUB_ACTIONS": "false"}, "known are GitHub Actions, GitLab CI/CD"),
    ],
)
def test_a_job_without_an_identity_gets_a_hint_what_to_set_up(publish, index, variables, advice):
    ran = publish(code=2, **variables)
    assert advice in " ".join(ran.stderr.split())
    assert index.asked == []


def test_a_signal_revokes_the_token_before_the_end(publish, index):
    index.upload_takes = 60.0
    run = subprocess.Popen(
        publish.command(), env=index.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: index.uploaders, run)
    run.send_signal(signal.SIGTERM)
    stdout, stderr = run.communicate(timeout=20)
    assert run.returncode == 143, stderr
    assert "publishing was stopped" in stderr
    assert len(index.tokens) == 1 and index.revoked == index.tokens
    check_masked(index, stdout, stderr)


def test_a_token_that_cannot_be_revoked_is_a_warning(publish, index):
    index.can_revoke = False
    ran = publish()
    assert len(index.files) == 2
    assert "warning: the upload token of `index` was not revoked" in ran.stderr


def test_a_failed_upload_revokes_its_token(publish, index):
    index.lifetime = 0.0
    ran = publish(code=6)
    assert "HTTP 403" in ran.stderr
    assert index.tokens and sorted(index.revoked) == sorted(index.tokens)


@pytest.mark.parametrize("auth", [{"auth": "trusted"}, {}], ids=["required", "automatic"])
def test_a_release_publishes_to_a_target_that_trusts_the_job(project, index, auth):
    script = project("script")
    target = {"kind": "index", "url": f"{index.url}/legacy/", "label": "local", **auth}
    script.edit(lambda matrix: matrix["publish"].update(index=target))
    ran = script.run("release", "matrix.yaml", **index.job())
    assert len(index.files) == 2 and len(index.tokens) == 1 and index.revoked == index.tokens
    check_masked(index, ran.stdout, ran.stderr)
    secrets = [secret.encode() for secret in [REQUEST_TOKEN, *index.identities, *index.tokens]]
    for path in (path for path in script.state.rglob("*") if path.is_file()):
        assert not any(secret in path.read_bytes() for secret in secrets), path
