"""Attestations of what is published: signed with the identity of a job, accepted by PyPI's own verifier, and verified
without a network."""

import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tarfile
import time

import pypi_attestations
import pytest
from bucket_index import bucket_index
from google.protobuf.json_format import Parse
from github_server import NAME, TOKEN, github_server
from in_toto_attestation.predicates.provenance.v1 import provenance_pb2
from publish_test import make_wheel
from shared_cache import cache_directory, locked
from sigstore_server import sigstore_server
from sigstore.models import ClientTrustConfig
from sigstore.verify import Verifier
from trusted_index import REQUEST_TOKEN, decoded, trusted_index
from trusted_publishing_test import wheels  # noqa: F401

REPOSITORY, WORKFLOW = "acme/kernels", "release.yml"
CLAIMS = {
    "sub": f"https://github.com/{REPOSITORY}/.github/workflows/{WORKFLOW}@refs/tags/v1",
    "repository_owner": "acme",
    "repository_owner_id": "1",
    "repository_id": "2",
    "repository_visibility": "public",
    "ref": "refs/tags/v1",
    "sha": "5" * 40,
    "workflow": "release",
    "workflow_sha": "5" * 40,
    "job_workflow_sha": "5" * 40,
    "run_id": "8",
    "run_attempt": "1",
    "runner_environment": "github-hosted",
}
FIXTURES = "pypi-attestations==0.0.30"


@pytest.fixture(scope="session")
def fixtures() -> pathlib.Path:
    """Files with real attestations, which the sdist of pypi-attestations contains."""
    directory = cache_directory("attestations")
    made = directory / FIXTURES
    with locked(directory):
        if not made.exists():
            download = ["pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", FIXTURES]
            subprocess.run([*download, "--dest", str(directory)], check=True)
            (archive,) = directory.glob("pypi_attestations-*.tar.gz")
            with tarfile.open(archive) as tar:
                tar.extractall(directory / "unpacked", filter="data")
            (assets,) = (directory / "unpacked").glob("*/test/assets")
            assets.rename(made)
    return made


@pytest.fixture
def inspect(pinwheel, environments):
    """Runs `inspect --attestation` without a network."""

    def run(file: pathlib.Path, attestation: pathlib.Path, *options: str, code: int = 0):
        command = [pinwheel, "inspect", str(file), "--attestation", str(attestation), *options]
        ran = subprocess.run(
            ["unshare", "--user", "--map-root-user", "--net", *command],
            capture_output=True,
            text=True,
            timeout=600,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(environments), "PINWHEEL_CACHE_DIR": str(environments)},
        )
        assert ran.returncode == code, ran.stdout + ran.stderr
        return ran

    return run


@pytest.fixture(scope="session", autouse=True)
def program(pinwheel, environments, tmp_path_factory):
    """The program that signs is installed once, with the configuration of pip on this machine."""
    directory = tmp_path_factory.mktemp("program")
    wheel = make_wheel(directory)
    document = directory / "x"
    document.write_text(json.dumps(unsigned(wheel)))
    subprocess.run(
        [pinwheel, "inspect", str(wheel), "--attestation", str(document)],
        env={**os.environ, "PINWHEEL_CACHE_DIR": str(environments)},
        stdout=subprocess.DEVNULL,
        timeout=600,
    )


def unsigned(wheel: pathlib.Path) -> dict:
    """An attestation about a wheel that nobody signed."""
    digest = {"sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()}
    predicate = "https://docs.pypi.org/attestations/publish/v1"
    statement = {"subject": [{"name": wheel.name, "digest": digest}], "predicateType": predicate}
    return {"envelope": {"statement": base64.b64encode(json.dumps(statement).encode()).decode()}}


@pytest.fixture
def sigstore(tmp_path):
    with sigstore_server(tmp_path) as server:
        yield server


@pytest.fixture
def index(tmp_path):
    directory = tmp_path / "index"
    directory.mkdir()
    with trusted_index(directory) as index:
        index.claims |= CLAIMS
        yield index


@pytest.fixture
def publish(pinwheel, index, environments, sigstore):
    """Runs `publish` as a job with an identity; no token is printed but to mask it."""

    def run(*files: pathlib.Path, options=("--attestations", "always"), trusted="always", code=0, **variables: str):
        own = ["--sigstore", str(sigstore.trust)] if "always" in options else []
        url = ["--repository-url", f"{index.url}/legacy/", "--trusted-publishing", trusted]
        ran = subprocess.run(
            [pinwheel, "publish", *map(str, files), *url, *options, *own],
            capture_output=True,
            text=True,
            timeout=600,
            env=index.environment(PINWHEEL_CACHE_DIR=str(environments), **variables),
        )
        assert ran.returncode == code, ran.stdout + ran.stderr
        for secret in [REQUEST_TOKEN, *index.identities, *index.tokens]:
            assert secret not in ran.stdout
            assert all(line == f"::add-mask::{secret}" for line in ran.stderr.splitlines() if secret in line)
        return ran

    return run


def audiences(index) -> list[str]:
    """Those of the identity tokens that the job got."""
    return [json.loads(decoded(token.split(".")[1]))["aud"] for token in index.identities]


def accepted(monkeypatch, sigstore, wheel: pathlib.Path, document: dict, repository: str = REPOSITORY):
    """What PyPI's verifier, with this Sigstore as the public instance, says of an attestation."""
    root = ClientTrustConfig.from_json(sigstore.trust.read_text()).trusted_root
    monkeypatch.setattr(Verifier, "production", classmethod(lambda cls, offline=False: Verifier(trusted_root=root)))
    publisher = pypi_attestations.GitHubPublisher(repository=repository, workflow=WORKFLOW)
    attestation = pypi_attestations.Attestation.model_validate(document)
    return attestation.verify(publisher, pypi_attestations.Distribution.from_file(wheel))


def test_each_file_is_published_with_an_attestation_that_the_verifier_of_pypi_accepts(
    publish, index, sigstore, wheels, monkeypatch
):
    ran = publish(*wheels)
    assert "signing 2 files with the identity of the job" in ran.stderr
    assert set(index.files) == {wheel.name for wheel in wheels}
    assert sorted(audiences(index)) == [index.audience, "sigstore"]
    for wheel in wheels:
        (document,) = index.attestations[wheel.name]
        predicate, _ = accepted(monkeypatch, sigstore, wheel, document)
        assert predicate == "https://docs.pypi.org/attestations/publish/v1"
        with pytest.raises(pypi_attestations.VerificationError):
            accepted(monkeypatch, sigstore, wheel, document, "acme/other")
    # Nothing is signed for files that the index has.
    index.identities.clear()
    assert "signing" not in publish(*wheels).stderr
    assert audiences(index) == [index.audience]


def test_an_index_that_no_matrix_names_gets_attestations_only_on_request(publish, index, wheels):
    for options in ((), ("--attestations", "never")):
        publish(*wheels, options=options)
        assert index.attestations.pop(wheels[0].name) == [] and "sigstore" not in audiences(index)
        index.files.clear()


def test_a_service_that_is_busy_is_asked_again_and_nothing_is_sent_without_a_signature(publish, index, sigstore, wheels):
    sigstore.fail(1)
    ran = publish(*wheels)
    assert "503" in ran.stderr and "trying again" in ran.stderr
    assert all(len(index.attestations[wheel.name]) == 1 for wheel in wheels)
    index.files.clear()
    index.claims.pop("sub")
    ran = publish(*wheels, code=6)
    assert "cannot be used to sign" in " ".join(ran.stderr.split())
    assert index.files == {} and index.revoked == index.tokens


@pytest.mark.parametrize("number, code", [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["SIGTERM", "SIGINT"])
def test_a_stop_during_signing_ends_the_program_that_signs_and_sends_nothing(
    pinwheel, index, environments, sigstore, wheels, number, code
):
    sigstore.hold()
    command = [pinwheel, "publish", *map(str, wheels), "--repository-url", f"{index.url}/legacy/"]
    command += ["--trusted-publishing", "always", "--attestations", "always", "--sigstore", str(sigstore.trust)]
    variables = index.environment(PINWHEEL_CACHE_DIR=str(environments))
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables) as ran:
        for _ in range(3000):
            if sigstore.held() > 0:
                break
            assert ran.poll() is None, ran.stderr.read()
            time.sleep(0.1)
        assert sigstore.held() > 0
        ran.send_signal(number)
        # The request is held for longer than this.
        _, said = ran.communicate(timeout=300)
    assert ran.returncode == code, said
    assert index.files == {} and index.revoked == index.tokens
    for identity in index.identities:
        assert all(line == f"::add-mask::{identity}" for line in said.splitlines() if identity in line)


def test_an_invalid_trust_configuration_is_an_error_of_the_caller(publish, inspect, index, sigstore, wheels, tmp_path):
    good = json.loads(sigstore.trust.read_text())
    attestation = tmp_path / "attestation.json"
    attestation.write_text(json.dumps(unsigned(wheels[0])))
    readable = json.loads(json.dumps(good))
    readable["signingConfig"]["caUrls"][0]["url"] = "http://fulcio.example"
    for trust, why in ((readable, "without encryption"), ({"x": 1}, ""), ({**good, "trustedRoot": {}}, "")):
        sigstore.trust.write_text(json.dumps(trust))
        ran = publish(*wheels, code=2)
        assert "the trust configuration of Sigstore is invalid" in " ".join(ran.stderr.split()) and why in ran.stderr
        inspect(wheels[0], attestation, "--sigstore", str(sigstore.trust), code=2)
    assert index.files == {}
    ran = publish(*wheels, options=("--sigstore", str(sigstore.trust)), code=2)
    assert "`--sigstore` needs `--attestations always`" in ran.stderr


def test_a_job_without_an_identity_says_which_permission_it_needs(publish, index, wheels):
    no_identity = {"ACTIONS_ID_TOKEN_REQUEST_URL": "", "PINWHEEL_TOKEN_INDEX": "pypi-canary-123456"}
    index.ends["pypi-canary-123456"] = 2**40
    ran = publish(*wheels, trusted="never", code=2, **no_identity)
    assert "id-token: write" in ran.stderr and index.files == {}


def test_stored_attestations_are_sent_and_checked_before_anything_is(publish, index, wheels):
    publish(*wheels)
    for wheel in wheels:
        (document,) = index.attestations[wheel.name]
        wheel.with_name(wheel.name + ".publish.attestation").write_text(json.dumps(document))
    made = dict(index.attestations)
    index.files.clear()
    index.identities.clear()
    everything = sorted(wheels[0].parent.iterdir())
    assert len(everything) == 4
    publish(*everything)
    assert index.attestations == made and audiences(index) == [index.audience]

    first, second = (wheel.with_name(wheel.name + ".publish.attestation") for wheel in wheels)
    shutil.copyfile(first, second)
    index.files.clear()
    ran = publish(*wheels, code=5)
    assert f"the attestation is not about `{wheels[1].name}`" in " ".join(ran.stderr.split())
    assert second.name in ran.stderr and index.files == {}


def provenance_in(document: dict) -> dict:
    """The predicate of a signed statement, which is an attestation or a bundle."""
    payload = document["envelope"]["statement"] if "envelope" in document else document["dsseEnvelope"]["payload"]
    statement = json.loads(base64.b64decode(payload))
    assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
    Parse(json.dumps(statement["predicate"]), provenance_pb2.Provenance())  # which rejects unknown members
    return statement["predicate"]


def check_provenance(script, predicate: dict):
    """The provenance has what the build was made from, and the job."""
    definition, details = predicate["buildDefinition"], predicate["runDetails"]
    step = definition["externalParameters"]["step"]
    (build,) = [line["finished"] for line in script.journal() if line.get("finished", {}).get("id") == step]
    assert definition["internalParameters"]["key"] == build["key"]
    parameters = definition["externalParameters"]["parameters"]
    assert parameters["action"] == "build-wheel" and parameters["version"] == "1.2.0"
    inputs = {each.get("name", each.get("uri")): each for each in definition["resolvedDependencies"]}
    commit = script.git("rev-parse", "HEAD").strip()
    assert inputs["commit"]["digest"] == {"gitCommit": commit}
    assert inputs["commit"]["uri"] == f"git+https://github.com/{REPOSITORY}@{commit}"
    assert inputs["source"]["digest"]["sha256"] in build["parts"]["source.digest"]
    assert any(name.startswith("pkg:generic/python@3.") for name in inputs)
    assert details["builder"]["id"] == f"https://github.com/{REPOSITORY}/.github/workflows/{WORKFLOW}@refs/tags/v1"
    assert details["metadata"]["invocationId"] == f"https://github.com/{REPOSITORY}/actions/runs/8/attempts/1"
    assert details["metadata"]["startedOn"] < details["metadata"]["finishedOn"]


# The variables of the job, which has the identity of `CLAIMS`.
JOB = {
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": REPOSITORY,
    "GITHUB_WORKFLOW_REF": f"{REPOSITORY}/.github/workflows/{WORKFLOW}@refs/tags/v1",
    "GITHUB_RUN_ID": "8",
    "GITHUB_RUN_ATTEMPT": "1",
}


def test_a_release_attests_by_its_matrix(script, index, sigstore, environments, monkeypatch):
    target = {
        "kind": "index",
        "url": f"{index.url}/legacy/",
        "auth": "trusted",
        "label": "local",
        "attestations": "always",
        "sigstore": "sigstore.json",
    }
    script.edit(lambda matrix: matrix.update(publish={"own": target}, channels={"ci": {"publish": ["own"]}}))
    shutil.copyfile(sigstore.trust, script.directory / "sigstore.json")
    script.environment |= index.job() | JOB | {"PINWHEEL_CACHE_DIR": str(environments)}
    ran = script.run("release", "matrix.yaml", "--channel", "ci")
    assert set(index.files) == set(script.wheels()) != set()
    for name in script.wheels():
        published, built = index.attestations[name]
        for document in (published, built):
            accepted(monkeypatch, sigstore, script.output / name, document)
        check_provenance(script, provenance_in(built))
    for path in [*script.state.rglob("*"), *script.output.rglob("*")]:
        if path.is_file():
            assert not any(token.encode() in path.read_bytes() for token in [*index.identities, *index.tokens]), path
    assert not any(token in ran.stdout for token in index.identities)


@pytest.fixture
def github_release(script, index, sigstore, environments):
    """A project with two wheels whose release on GitHub gets bundles of this Sigstore."""
    with github_server() as github:
        target = {"kind": "github-release", "repository": NAME, "label": "local", "attestations": "always", "sigstore": "s.json"}
        release = {"publish": ["github"]}
        shutil.copyfile(sigstore.trust, script.directory / "s.json")
        script.edit(lambda matrix: matrix.update(publish={"github": target}, channels={"release": release}))
        own = {"PINWHEEL_CACHE_DIR": str(environments), "GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": github.url}
        script.environment |= index.job() | JOB | own
        yield github


@pytest.mark.releases
def test_a_release_on_github_has_a_bundle_with_the_provenance_of_each_file(
    script, github_release, inspect, index, sigstore, tmp_path
):
    script.run("release", "matrix.yaml")
    files = github_release.files("v1.2.0")
    assert len(script.wheels()) == 2
    own = ["--sigstore", str(sigstore.trust), "--repository", REPOSITORY, "--workflow", WORKFLOW]
    for name in script.wheels():
        bundle = tmp_path / "bundle.json"
        bundle.write_bytes(files[name + ".sigstore.json"])
        inspect(script.output / name, bundle, *own)
        check_provenance(script, provenance_in(json.loads(bundle.read_text())))
    # Nothing is signed again for a release that has the bundles.
    signed = len(index.identities)
    script.start_afresh()
    script.run("release", "matrix.yaml")
    assert github_release.files("v1.2.0") == files and len(index.identities) == signed


@pytest.mark.releases
def test_an_interrupted_release_keeps_the_bundles_that_it_has(script, github_release, index, sigstore):
    github_release.faults["POST /git/refs"] = [(422, {})]
    script.run("release", "matrix.yaml", code=6)
    drafted = {asset["name"]: asset["digest"] for asset in github_release.releases[0]["assets"]}
    lost = next(name for name in drafted if name.endswith(".sigstore.json"))
    github_release.releases[0]["assets"] = [
        asset for asset in github_release.releases[0]["assets"] if asset["name"] != lost
    ]
    script.run("release", "matrix.yaml")
    released = {asset["name"]: asset["digest"] for asset in github_release.releases[0]["assets"]}
    assert released.keys() == drafted.keys()
    assert [name for name in drafted if released[name] != drafted[name]] == [lost]
    # A published release is never changed.
    github_release.releases[0]["assets"] = [
        asset for asset in github_release.releases[0]["assets"] if asset["name"] != lost
    ]
    signed = len(index.identities)
    script.start_afresh()
    ran = script.run("release", "matrix.yaml", code=6)
    assert f"`{lost}`" in ran.stderr and len(index.identities) == signed


@pytest.mark.releases
def test_a_directory_index_has_a_bundle_next_to_each_file_that_it_did_not_have(
    script, inspect, index, sigstore, environments
):
    own = {"kind": "directory", "path": "../index", "label": "local", "attestations": "always", "sigstore": "s.json"}
    shutil.copyfile(sigstore.trust, script.directory / "s.json")
    channel = {"publish": ["own"]}
    script.edit(lambda matrix: matrix.update(publish={"own": own}, channels={"release": channel}))
    script.environment |= index.job() | JOB | {"PINWHEEL_CACHE_DIR": str(environments)}
    sigstore.fail(1)
    script.run("release", "matrix.yaml")
    place = script.directory.parent / "index"
    wheels = sorted(place.resolve().rglob("*.whl"))
    assert len(wheels) == 2
    for wheel in wheels:
        bundle = wheel.with_name(wheel.name + ".sigstore.json")
        inspect(wheel, bundle, "--sigstore", str(sigstore.trust), "--repository", REPOSITORY)
        check_provenance(script, provenance_in(json.loads(bundle.read_text())))
    assert all(".sigstore.json" not in page.read_text() for page in place.resolve().rglob("index.html"))
    made = {path.name: path.read_bytes() for path in place.resolve().rglob("*.sigstore.json")}
    signed = len(index.identities)
    # The next version gets bundles of its own, and those of the first stay.
    script.start_afresh()
    script.run("release", "matrix.yaml")
    assert len(index.identities) == signed
    script.git("commit", "-q", "--allow-empty", "-m", "more")
    script.git("tag", "v1.3.0")
    script.run("release", "matrix.yaml")
    later = {path.name: path.read_bytes() for path in place.resolve().rglob("*.sigstore.json")}
    assert len(later) == 4 and later.items() > made.items() and len(index.identities) == signed + 1


@pytest.mark.releases
def test_an_index_in_a_bucket_has_a_bundle_next_to_each_file(script, inspect, index, sigstore, environments, tmp_path):
    shutil.copyfile(sigstore.trust, script.directory / "s.json")
    with bucket_index() as bucket:
        own = {**bucket.target, "attestations": "always", "sigstore": "s.json"}
        channel = {"publish": ["own"]}
        script.edit(lambda matrix: matrix.update(publish={"own": own}, channels={"release": channel}))
        script.environment |= index.job() | JOB | {"PINWHEEL_CACHE_DIR": str(environments)} | bucket.variables
        script.run("release", "matrix.yaml")
        contents = bucket.contents()
        assert set(bucket.listed()) == set(script.wheels()) != set()
        for path in (path for path in contents if path.endswith(".whl")):
            bundle = tmp_path / "bundle.json"
            bundle.write_bytes(contents[path + ".sigstore.json"])
            own = ["--sigstore", str(sigstore.trust), "--repository", REPOSITORY]
            inspect(script.output / path.rpartition("/")[2], bundle, *own)
            check_provenance(script, provenance_in(json.loads(bundle.read_text())))
        signed = len(index.identities)
        script.start_afresh()
        script.run("release", "matrix.yaml")
        assert bucket.contents() == contents and len(index.identities) == signed


def test_a_release_whose_job_has_no_identity_leaves_no_tag(script, github_release):
    script.environment["ACTIONS_ID_TOKEN_REQUEST_URL"] = ""
    ran = script.run("release", "matrix.yaml", code=2)
    assert "id-token: write" in ran.stderr and github_release.done == []


def test_a_file_is_verified_offline_for_the_repository_and_the_workflow_that_must_have_signed_it(
    publish, inspect, index, sigstore, wheels, tmp_path
):
    publish(wheels[0])
    (document,) = index.attestations[wheels[0].name]
    attestation = tmp_path / "attestation.json"
    attestation.write_text(json.dumps(document))
    own = ["--sigstore", str(sigstore.trust)]
    by = ["--repository", REPOSITORY, "--workflow", WORKFLOW]
    ran = inspect(wheels[0], attestation, *own, *by, "--json")
    (verified,) = json.loads(ran.stdout)["attestations"]
    assert verified["repository"] == f"https://github.com/{REPOSITORY}" and verified["commit"] == "5" * 40
    assert "warning" not in ran.stderr
    ran = inspect(wheels[0], attestation, *own)
    assert "anyone can sign" in ran.stderr and f"{WORKFLOW}@refs/tags/v1" in ran.stdout

    inspect(wheels[0], attestation, *own, "--repository", "acme/other", code=5)
    inspect(wheels[0], attestation, *own, "--repository", REPOSITORY, "--workflow", "ci.yml", code=5)
    inspect(wheels[0], attestation, code=5)  # by the public instance
    inspect(wheels[0], attestation, "--repository", "acme", code=2)
    inspect(wheels[0], attestation, "--repository", "https://gitlab.com/acme/kernels", "--workflow", WORKFLOW, code=2)
    certificate = document["verification_material"]["certificate"]
    for place, text in (("certificate", certificate[:8] + "AAAA" + certificate[12:]), ("transparency_entries", [{}])):
        broken = {**document, "verification_material": {**document["verification_material"], place: text}}
        attestation.write_text(json.dumps(broken))
        inspect(wheels[0], attestation, *own, code=5)
    changed = document["envelope"]["signature"]
    document["envelope"]["signature"] = changed[:20] + ("A" if changed[20] != "A" else "B") + changed[21:]
    attestation.write_text(json.dumps(document))
    ran = inspect(wheels[0], attestation, *own, code=5)
    assert "the signature of attestation 1 of 1 is not valid" in " ".join(ran.stderr.split())


REAL = [
    ("pypi_attestations-0.0.19.tar.gz", ".publish.attestation"),
    ("pypi_attestations-0.0.19.tar.gz", ".slsa.attestation"),
    ("pypi_attestations-0.0.19.tar.gz", ".provenance"),
    ("gitlab_oidc_project-0.0.3.tar.gz", ".publish.attestation"),
    ("gcb_attestation_test-0.0.0.tar.gz", ".provenance"),
]


@pytest.mark.parametrize(("name", "suffix"), REAL)
def test_real_attestations_are_verified_offline_and_not_after_one_byte_changes(inspect, fixtures, tmp_path, name, suffix):
    attestation = fixtures / (name + suffix)
    ran = inspect(fixtures / name, attestation, "--json")
    (first, *_) = json.loads(ran.stdout)["attestations"]
    assert re.match(r"https://", first["issuer"])
    if first["repository"]:
        inspect(fixtures / name, attestation, "--repository", first["repository"])
        inspect(fixtures / name, attestation, "--repository", first["repository"] + "x", code=5)
    changed = tmp_path / name
    changed.write_bytes((fixtures / name).read_bytes() + b"x")
    ran = inspect(changed, attestation, code=5)
    assert "with other contents" in " ".join(ran.stderr.split())
    text = attestation.read_text()
    at = text.index('"signature"') + 40
    tampered = tmp_path / "tampered.json"
    tampered.write_text(text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :])
    inspect(fixtures / name, tampered, code=5)
