"""The program `pinwheel`, installed by pip."""

from __future__ import annotations

import os
import sys
import sysconfig

__all__ = ["find_binary"]


def _places() -> list[str]:
    """Where pip puts the program of this package, the nearest first."""
    above = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    library, version = os.path.split(os.path.dirname(above))
    beside = []
    if version.startswith("python") and os.path.basename(library) in ("lib", "lib64"):
        # An environment, --prefix, or the one that --system-site-packages shares.
        beside = [os.path.join(os.path.dirname(library), "bin")]
    return [
        *beside,
        os.path.join(above, "bin"),  # --target
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=f"{os.name}_user"),
        sysconfig.get_path("scripts", vars={"base": sys.base_prefix}),
    ]


def find_binary() -> str:
    """The path of the installed program; FileNotFoundError if there is none that belongs to this package."""
    places = list(dict.fromkeys(_places()))
    for place in places:
        program = os.path.join(place, "pinwheel")
        if os.access(program, os.X_OK):
            return program
    raise FileNotFoundError(
        f"`pinwheel` is in none of {', '.join(places)}\nhint: pip install --force-reinstall pinwheel-cli"
    )
