"""Sparse and jagged tensor operators for PyTorch: `torch.ops.pinwheel.*`.

Importing this package loads the operator library, which needs any torch >= 2.10 of the compute it was
built for (see `build_info`). The functions here are the operators with documentation; `torch.ops.pinwheel`
holds the same under the same names. The names and semantics are those of FBGEMM's operators.
"""

from __future__ import annotations

from pinwheel_kernels._library import build_info, library_path, load

load()

# The library must be loaded before anything can be registered for its operators.
from pinwheel_kernels._cumsum import (  # noqa: E402
    asynchronous_complete_cumsum,
    asynchronous_exclusive_cumsum,
    asynchronous_inclusive_cumsum,
)
from pinwheel_kernels._jagged import jagged_to_padded_dense  # noqa: E402
from pinwheel_kernels._permute import permute_2D_sparse_data  # noqa: E402
from pinwheel_kernels._quantize import (  # noqa: E402
    FloatOrHalfToFused8BitRowwiseQuantized,
    Fused8BitRowwiseQuantizedToFloatOrHalf,
)

__all__ = [
    "FloatOrHalfToFused8BitRowwiseQuantized",
    "Fused8BitRowwiseQuantizedToFloatOrHalf",
    "asynchronous_complete_cumsum",
    "asynchronous_exclusive_cumsum",
    "asynchronous_inclusive_cumsum",
    "build_info",
    "jagged_to_padded_dense",
    "library_path",
    "permute_2D_sparse_data",
]


def __getattr__(name: str) -> str:
    """`__version__`, read from the installed distribution, whose name depends on the compute class."""
    if name != "__version__":
        raise AttributeError(f"module `pinwheel_kernels` has no attribute `{name}`")
    from importlib import metadata

    for distribution in metadata.packages_distributions().get("pinwheel_kernels", []):
        return metadata.version(distribution)
    return "0+unknown"
