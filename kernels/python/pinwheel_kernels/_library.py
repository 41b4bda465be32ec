"""Finds and loads the operator library."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from pinwheel_kernels import _build


@dataclass(frozen=True)
class BuildInfo:
    """What the library was built for."""

    compute: str
    """`cpu`, `cuda/<version>` or `rocm/<version>` of the toolkit; `emulated` for GPU kernels on the CPU."""
    arch_list: tuple[str, ...]
    """GPU architectures in the library: `9.0`, `12.0+PTX`, `gfx90a`; empty for `cpu`."""
    flavor: str
    """The operators in the library: `full`, `inference`, `adagrad`, or the families that were built."""
    torch_target: str
    """The oldest torch that can load it."""


def build_info() -> BuildInfo:
    """What this copy of the library was built for."""
    return BuildInfo(_build.compute, tuple(_build.arch_list.split()), _build.flavor, _build.torch_target)


def library_path() -> Path:
    """The path of the shared library with the operators."""
    return Path(__file__).with_name("libpinwheel_ops.so")


def load() -> None:
    """Loads the library into torch; raises ImportError that explains an incompatibility."""
    path = library_path()
    if not path.is_file():
        raise ImportError(
            f"`{path.name}` is missing beside {__file__}: install the wheel, not the sources"
        )
    try:
        torch.ops.load_library(str(path))
    except OSError as error:
        raise ImportError(
            f"the operator library is built for {_build.compute} and torch >= {_build.torch_target}; "
            f"torch {torch.__version__} cannot load it: {error}"
        ) from error
