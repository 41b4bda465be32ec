"""What the long tiers of tests last said: `tests/last-run.json`, a line for each tier, committed with the change.

usage: last_run.py fits TIER    exit 0 if the last run of TIER passed on the trees as they are, 1 if not
"""

import datetime
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "last-run.json"
KERNELS = ("kernels", "docker")
PROJECTS = ("tests/projects", "tools/init", "tools/project")
# Kernels in containers are about how the library is built, not about its operators.
IMAGES = (
    "docker",
    "kernels/CMakeLists.txt",
    "kernels/build_backend",
    "kernels/cmake",
    "kernels/pyproject.toml",
    "tools/container",
    "tools/env",
    "tools/toolkits",
    "tools/host/machine",
    "tests/system/build_images_test.py",
    "tests/system/container_builds_test.py",
    "tests/system/container_locks_test.py",
    "tests/system/engine_bytes_test.py",
    "tests/system/image_tests_test.py",
    "tests/system/kernels_containers_test.py",
    "tests/system/kernels_rocm_container_test.py",
    "tests/system/toolkit_sources_test.py",
)
STORES = (
    "tools/store",
    "tools/host/store",
    "tests/system/s3_faults.py",
    "tests/system/s3_server.py",
    "tests/system/store_faults_test.py",
    "tests/system/store_places_test.py",
    "tests/system/store_s3_faults_test.py",
)
SLURM = (
    "tools/run",
    "tools/slurm",
    "tools/host/slurm",
    "tests/system/slurm_accounting.py",
    "tests/system/slurm_allocation_test.py",
    "tests/system/slurm_cluster.py",
    "tests/system/slurm_cluster_test.py",
    "tests/system/slurm_doctor_test.py",
    "tests/system/slurm_outputs_test.py",
    "tests/system/slurm_readers.py",
    "tests/system/slurm_readers_test.py",
    "tests/system/slurm_runs.py",
    "tests/system/slurm_test.py",
)
WORKFLOWS = (
    "tools/ci",
    "tests/system/act_workflows.py",
    "tests/system/ci_act_checkpoint_test.py",
    "tests/system/ci_act_container_test.py",
    "tests/system/ci_act_github_test.py",
    "tests/system/ci_act_index_test.py",
    "tests/system/ci_act_promotion_test.py",
    "tests/system/ci_act_test.py",
    "tests/system/ci_gitlab_children_test.py",
    "tests/system/ci_gitlab_test.py",
    "tests/system/ci_split_test.py",
    "tests/system/family_test.py",
    "tests/system/gitlab.py",
)
RELEASES = (
    "tools/publish",
    "tools/host/index",
    "tools/host/steps/attest.cc",
    "tools/host/steps/promotion.cc",
    "tools/host/steps/publish.cc",
    "tools/host/steps/release_contents.cc",
    "tests/system/attestations_test.py",
    "tests/system/bucket_index.py",
    "tests/system/bucket_index_test.py",
    "tests/system/github_release_test.py",
    "tests/system/github_server.py",
    "tests/system/promoted_release_test.py",
    "tests/system/publishers_test.py",
)
PARTS = (
    "tools/plan",
    "tools/host/steps",
    "tests/system/checkpoint_backends_test.py",
    "tests/system/checkpoint_faults_test.py",
    "tests/system/checkpoint_test.py",
    "tests/system/checkpoints.py",
    "tests/system/dry_run_test.py",
    "tests/system/split_build_test.py",
    "tests/system/split_builds.py",
    "tests/system/split_projects_test.py",
)
# The tiers that leave a line, and what each is about. A change elsewhere is the business of the default tier.
TIERS = {
    "whole": KERNELS,
    "torch": KERNELS,
    "projects": PROJECTS,
    "arm64": KERNELS,
    "long": KERNELS,
    "images": IMAGES,
    "stores": STORES,
    "slurm": SLURM,
    "workflows": WORKFLOWS,
    "releases": RELEASES,
    "parts": PARTS,
}


def files_of(root: Path, trees: tuple[str, ...]) -> list[str]:
    """The files below `trees` that git has or would add, whatever their state."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *trees],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    return sorted({name for name in listed.stdout.split("\0") if name and (root / name).is_file()})


def digest(root: Path = ROOT, trees: tuple[str, ...] = KERNELS) -> str:
    """Names the contents of `trees` in the working tree: paths, bytes, and whether a file may be run."""
    whole = hashlib.sha256()
    for name in files_of(root, trees):
        file = root / name
        kind = b"x" if os.access(file, os.X_OK) else b"-"
        whole.update(name.encode() + b"\0" + kind + hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()[:32]


def fits(record: dict, tier: str, trees: str) -> bool:
    """Whether a tier ran whole on those trees: a skipped test is not a passed one."""
    last = record.get(tier, {})
    return last.get("trees") == trees and last.get("passed", 0) > 0 and last.get("skipped") == 0


def with_run(record: dict, tier: str, trees: str, passed: int, skipped: int, seconds: float, date: str) -> dict:
    """The record after a run of `tier` in which nothing failed."""
    line = {"trees": trees, "date": date, "passed": passed, "skipped": skipped, "minutes": round(seconds / 60, 1)}
    return {name: {**record, tier: line}[name] for name in TIERS if name in {*record, tier}}


def as_text(record: dict) -> str:
    """One line a tier, so that a change shows which one ran."""
    lines = (f"  {json.dumps(tier)}: {json.dumps(line)}" for tier, line in record.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read(path: Path = RECORD) -> dict:
    return json.loads(path.read_text()) if path.exists() else {}


def today() -> str:
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0] != "fits" or arguments[1] not in TIERS:
        print(f"usage: last_run.py fits {'|'.join(TIERS)}", file=sys.stderr)
        return 2
    return 0 if fits(read(), arguments[1], digest(trees=TIERS[arguments[1]])) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
