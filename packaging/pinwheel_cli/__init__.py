"""The program `pinwheel`, installed by pip."""

import os
import sysconfig

__all__ = ["find_binary"]


def find_binary() -> str:
    """The path of the installed program; FileNotFoundError if there is none beside this package."""
    places = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=f"{os.name}_user"),
        # `pip install --target`
        os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"),
    ]
    for place in places:
        program = os.path.join(place, "pinwheel")
        if os.access(program, os.X_OK):
            return program
    raise FileNotFoundError(
        f"`pinwheel` is in none of {', '.join(places)}\nhint: pip install --force-reinstall pinwheel-cli"
    )
