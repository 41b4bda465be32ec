"""The JSON Schema of matrix files, as editors and check-jsonschema apply it."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "matrix" / "pinwheel.schema.json"
DATA = ROOT / "tests" / "data" / "matrix"


def check(files, tmp_path):
    """Runs check-jsonschema once on the files: (exit status, the files that it rejected)."""
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--schemafile", str(SCHEMA), "--no-cache",
         "--output-format", "json", *map(str, files)],
        capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    found = report.get("errors", []) + report.get("parse_errors", [])
    return done.returncode, {Path(entry["filename"]).resolve() for entry in found}


def test_the_schema_is_a_valid_schema(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--check-metaschema", str(SCHEMA)],
        capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_valid_files_and_the_projects_own_pass(tmp_path):
    files = sorted((DATA / "valid").glob("*.yaml")) + sorted((ROOT / "matrix").glob("*.yaml"))
    assert len(files) >= 44
    assert check(files, tmp_path) == (0, set())


def test_every_structural_fault_is_rejected(tmp_path):
    files = sorted((DATA / "invalid").glob("*.yaml"))
    assert len(files) >= 90
    status, refused = check(files, tmp_path)
    assert status == 1
    assert [f.name for f in files if f not in refused] == []


def test_the_schema_accepts_faults_that_need_the_rest_of_the_file(tmp_path):
    """These have their own directory; a fault that the schema detects belongs one level up."""
    files = sorted((DATA / "invalid" / "semantic").glob("*.yaml"))
    assert len(files) >= 30
    _, refused = check(files, tmp_path)
    assert sorted(f.name for f in refused) == []
