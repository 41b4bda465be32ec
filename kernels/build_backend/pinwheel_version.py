"""The version of this build, for scikit-build-core's `metadata.version.provider`.

In order of precedence: the environment (setuptools-scm's variables, so any release tool can pass it), the PKG-INFO
of an unpacked sdist, and `0.1.0.dev0` for a plain checkout.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

VARIABLES = (
    "SETUPTOOLS_SCM_PRETEND_VERSION_FOR_PINWHEEL_KERNELS",
    "SETUPTOOLS_SCM_PRETEND_VERSION",
)
UNVERSIONED = "0.1.0.dev0"


def dynamic_metadata(field: str, settings: dict[str, Any] | None = None) -> str:
    if field != "version":
        raise RuntimeError(f"pinwheel_version provides only the field `version`, not `{field}`")
    if settings:
        raise RuntimeError(f"pinwheel_version takes no settings, got {sorted(settings)}")
    for variable in VARIABLES:
        if version := os.environ.get(variable, "").strip():
            return version
    pkg_info = Path(__file__).resolve().parent.parent / "PKG-INFO"
    if pkg_info.is_file():
        if found := re.search(r"^Version: (\S+)$", pkg_info.read_text("utf-8"), re.MULTILINE):
            return found[1]
    return UNVERSIONED


def get_requires_for_dynamic_metadata(_settings: dict[str, Any] | None = None) -> list[str]:
    return []
