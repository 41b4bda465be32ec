"""Writes the results of Python's `packaging` on versions and specifiers, which the C++ tests must match.

    python tests/system/make_packaging_cases.py > tests/data/packaging_cases.tsv
"""

import random
import sys

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

ENVIRONMENT = {
    "implementation_name": "cpython", "implementation_version": "3.12.4", "os_name": "posix",
    "platform_machine": "x86_64", "platform_release": "6.1.0-18-amd64", "platform_system": "Linux",
    "platform_version": "#1 SMP", "python_full_version": "3.12.4", "python_version": "3.12",
    "platform_python_implementation": "CPython", "sys_platform": "linux", "extra": "gpu-kernels",
}

ODD = ["", "1.", ".1", "1..2", "1.0x", "1.0+", "1.0+a..b", "1!", "v", "1.0 0", "1.0-", "1.0--1", "1.0a.",
       "1.0a--1", "1.0-a-1", "1.0.dev.1", "1.0rc-", "1.0post", "1.0.post-dev", "1-1-1", "1.0+a_b-c.01",
       "V1.0", " 1.0\t", "1.0+A.B", "1.0.a.1", "1_0", "1.0r", "1.0c", "1e5", "1.0.rev.3", "0!1.0", "1.0+-"]

REQUIREMENTS = ["torch", "torch>=2.10", "torch (>=2.10,<3)", "Torch[opt,B_c] ~=2.10.0", "torch @ https://x.org/t.whl",
                "torch @ https://x.org/t.whl ; os_name == 'posix'", "torch;extra=='gpu_Kernels'", "torch[]",
                "torch>=", "torch 2.0", "-torch", "torch[a b]", "torch @", "torch; nonsense == 'a'", "torch;",
                "torch>=2 ; python_version < '3.9' or (sys_platform == 'linux' and extra == 'x')"]

MARKERS = [f"{name} {op} '{value}'" for name, values in {
    "python_version": ["3.9", "3.12", "3.13", "3.*"],
    "python_full_version": ["3.12.4", "3.12.5rc1", "3.12"],
    "os_name": ["posix", "nt"], "sys_platform": ["linux", "win32"],
    "platform_machine": ["x86_64", "aarch64"], "extra": ["gpu.kernels", "cpu"],
} .items() for value in values for op in (
    ["==", "!=", "<", "<=", ">", ">=", "in", "not in"] if name.startswith("python") and "*" not in value
    else ["==", "!=", "in", "not in"] if name != "extra" and "*" not in value else ["==", "!="])]
MARKERS += ["'linux' in sys_platform", "'3.11' < python_version", "'x86' in platform_machine",
            "os_name == 'nt' or os_name == 'posix' and python_version >= '3.10'",
            "(os_name == 'nt' or os_name == 'posix') and python_version < '3.10'",
            "python_version >= '3.10' and (sys_platform == 'linux' or extra == 'x')",
            'python_version ~= "3.10"', "implementation_name == 'cpython'"]


def spelling(rng):
    number = lambda: str(rng.choice([0, 1, 2, 3, 10, 20261121]))
    separator = lambda: rng.choice(["", ".", "-", "_"])
    text = rng.choice(["", "", "", "v"]) + rng.choice(["", "", "", "", "1!"])
    text += ".".join(number() for _ in range(rng.randint(1, 4)))
    if rng.random() < 0.4:
        text += separator() + rng.choice(["a", "b", "c", "rc", "alpha", "BETA", "pre", "preview"])
        text += rng.choice(["", separator() + number()])
    if rng.random() < 0.3:
        text += rng.choice(["-" + number(), separator() + rng.choice(["post", "rev", "r"]) + separator() + number()])
    if rng.random() < 0.3:
        text += separator() + "dev" + rng.choice(["", separator() + number()])
    if rng.random() < 0.2:
        text += "+" + rng.choice(["cu130", "cu130.g1a2b3c4", "5", "abc-07", "g1a2b3c4.dirty"])
    return text


def normal(text):
    try:
        return str(Version(text))
    except InvalidVersion:
        return "error"


def specifier(rng, versions):
    version = str(rng.choice(versions))
    operator = rng.choice(["~=", "==", "!=", "<=", ">=", "<", ">", "==="])
    if operator in ("==", "!=") and rng.random() < 0.5:
        return operator + Version(version).base_version + ".*"
    if rng.random() < 0.95 and operator not in ("==", "!=", "==="):
        version = version.split("+")[0]
    return operator + version


def specifier_line(text, versions):
    try:
        clauses = SpecifierSet(text)
    except InvalidSpecifier:
        return ["specifier", text, "error", "", ""]
    holds = "".join("1" if clauses.contains(version, prereleases=True) else "0" for version in versions)
    kept = [str(version) for version in clauses.filter(versions)]
    return ["specifier", text, holds, " ".join(map(str, versions)), " ".join(kept)]


def requirement_line(text):
    try:
        read = Requirement(text)
    except InvalidRequirement:
        return ["requirement", text, "error", "", "", ""]
    clauses = ",".join(sorted(str(clause) for clause in read.specifier))
    holds = "" if read.marker is None else str(int(read.marker.evaluate(ENVIRONMENT)))
    return ["requirement", text, canonicalize_name(read.name),
            ",".join(sorted(canonicalize_name(extra) for extra in read.extras)), clauses or (read.url or ""), holds]


def lines():
    rng = random.Random(440)
    spellings = sorted({spelling(rng) for _ in range(400)})
    for text in ODD + spellings:
        yield ["version", text.replace("\t", "\\t"), normal(text)]
    versions = [Version(text) for text in spellings]
    for _ in range(600):
        left, right = rng.choice(versions), rng.choice(versions)
        yield ["order", str(left), str(right), "<" if left < right else "=" if left == right else ">"]
    close = [Version(text) for text in
             ["1.dev1", "1.0a1", "1.0rc1.dev2", "1.0rc1", "1.0", "1.0+cu130", "1.0.post1.dev1", "1.0.post1",
              "1.0.1a1", "1.0.1", "1.1.dev3", "1.1", "1.1+cu130", "1.2rc1", "2.0", "1!0.5"]]
    for _ in range(300):
        pool = close if rng.random() < 0.7 else versions
        text = ",".join(specifier(rng, pool) for _ in range(rng.choice([1, 1, 2])))
        yield specifier_line(text, sorted(rng.sample(pool, 12)))
    for text in ["", "==1.0a1.*", "~=1", ">=1.0+x", "1.0", "=1.0", ">=1.*", "== 1.0 , < 2", "<1.0.*", "===1.0"]:
        yield specifier_line(text, close)
    for text in REQUIREMENTS + [f"x; {marker}" for marker in MARKERS]:
        yield requirement_line(text)


def main(out):
    for line in lines():
        out.write("\t".join(line) + "\n")


if __name__ == "__main__":
    main(sys.stdout)
