"""The settings with which this machine's apt and pip reach their mirrors, for use inside containers.

None of them is in the project: they are read from the configuration of apt and pip when the tests run.
"""

import ast
import configparser
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys

INSIDE = "/etc/pinwheel-test"


def debian_mirror() -> str:
    """The mirror that apt uses for this release, or PINWHEEL_TEST_DEBIAN_MIRROR on a machine that is not Debian."""
    if chosen := os.environ.get("PINWHEEL_TEST_DEBIAN_MIRROR"):
        return chosen
    codename = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for line in listed.splitlines():
        uri, release, component = line.split()
        if release == codename and component == "main" and "security" not in uri:
            return uri.rstrip("/")
    raise RuntimeError(f"apt has no mirror for `{codename}`; set PINWHEEL_TEST_DEBIAN_MIRROR\n{listed}")


def apt_configuration() -> str:
    """apt's network settings (proxies, timeouts, date checks), as a fragment for apt.conf.d."""
    dump = subprocess.run(["apt-config", "dump"], check=True, capture_output=True, text=True).stdout
    wanted = re.compile(r"Acquire::(https?::|Retries|Check-Valid-Until|Check-Date|ForceIPv4|ForceIPv6)", re.IGNORECASE)
    return "".join(line + "\n" for line in dump.splitlines() if wanted.match(line))


def pip_settings() -> dict[str, dict[str, str]]:
    """pip's settings by section; those of the environment count as [global] and take precedence, as in pip."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], check=True, capture_output=True, text=True
    ).stdout
    sections: dict[str, dict[str, str]] = {"global": {}}
    from_environment: dict[str, str] = {}
    for line in listed.splitlines():
        name, value = line.split("=", 1)
        section, key = name.rsplit(".", 1)
        target = from_environment if section == ":env:" else sections.setdefault(section, {})
        target[key] = ast.literal_eval(value)
    sections["global"].update(from_environment)
    return sections


class Machine:
    """Files and arguments that let apt and pip work inside a container; they are mounted, never copied into it."""

    def __init__(self, directory: pathlib.Path):
        self.settings = pip_settings()
        self.certificates = self._certificates()
        self.local = self._local_paths()
        if self.certificates:
            self.settings["global"]["cert"] = f"{INSIDE}/ca.crt"
        self.pip_file = self._write(directory / "pip.conf", self.settings)
        remote = {section: self._without_local(values) for section, values in self.settings.items()}
        self.pip_file_for_builds = self._write(directory / "build-pip.conf", remote)

    @staticmethod
    def _write(path: pathlib.Path, settings: dict[str, dict[str, str]]) -> pathlib.Path:
        parser = configparser.RawConfigParser()
        parser.read_dict(settings)
        with open(path, "w") as file:
            parser.write(file)
        return path

    def _without_local(self, values: dict[str, str]) -> dict[str, str]:
        """A build can mount files but not directories, so settings that name paths of this machine are left out."""
        local = {key for key, value in values.items() if any(path in value for path in self.local)}
        return {key: value for key, value in values.items() if key not in local}

    def _certificates(self) -> str | None:
        named = [self.settings["global"].get("cert"), *(os.environ.get(key) for key in ("PIP_CERT", "SSL_CERT_FILE"))]
        return next((path for path in named if path and os.path.isfile(path)), None)

    def _local_paths(self) -> list[str]:
        """Directories and files of this machine where pip looks for packages; an index links to files next to it."""
        found = set()
        for section in self.settings.values():
            for key, value in section.items():
                if key == "cert":
                    continue
                for word in shlex.split(value):
                    path = pathlib.Path(word.removeprefix("file://"))
                    if path.is_absolute() and path.exists():
                        found.add(str(path.parent if path.name == "simple" else path))
        return sorted(found)

    def volumes(self) -> dict[str, str]:
        """Paths in the container by path on this machine, all to be mounted read-only."""
        places = {path: path for path in self.local} | {str(self.pip_file): f"{INSIDE}/pip.conf"}
        return places | ({self.certificates: f"{INSIDE}/ca.crt"} if self.certificates else {})

    def environment(self) -> dict[str, str]:
        """Variables to set inside the container."""
        certificates = dict.fromkeys(("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"), f"{INSIDE}/ca.crt")
        return {"PIP_CONFIG_FILE": f"{INSIDE}/pip.conf", **(certificates if self.certificates else {})}

    def run_arguments(self) -> list[str]:
        """The arguments of `docker run` and `podman run` for these mounts and variables."""
        arguments = []
        for outside, inside in self.volumes().items():
            arguments += ["--volume", f"{outside}:{inside}:ro"]
        for name, value in self.environment().items():
            arguments += ["--env", f"{name}={value}"]
        return arguments

    def build_arguments(self) -> list[str]:
        """The same for a build: BuildKit mounts the secrets `pip.conf` and `ca.crt` for each RUN that requests them."""
        certificates = ["--secret", f"id=ca.crt,src={self.certificates}"] if self.certificates else []
        return ["--secret", f"id=pip.conf,src={self.pip_file_for_builds}", *certificates]
