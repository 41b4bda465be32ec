"""Sparse and jagged tensor operators for PyTorch: `torch.ops.pinwheel.*`.

Importing this package loads the operator library, which works with any torch >= 2.10 for the compute platform
it was built for (see `build_info`). The functions here are the operators with documentation;
`torch.ops.pinwheel` has the same ones under the same names. Names and semantics are those of FBGEMM's
operators.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pinwheel_kernels._library import build_info, library_path, load

load()

# The library must be loaded before anything can be registered for its operators.
from pinwheel_kernels._bounds import bounds_check_indices  # noqa: E402
from pinwheel_kernels._bucketize import block_bucketize_sparse_features  # noqa: E402
from pinwheel_kernels._cumsum import (  # noqa: E402
    asynchronous_complete_cumsum,
    asynchronous_exclusive_cumsum,
    asynchronous_inclusive_cumsum,
)
from pinwheel_kernels._embedding import tbe_forward  # noqa: E402
from pinwheel_kernels._embedding_adagrad import tbe_backward_rowwise_adagrad_  # noqa: E402
from pinwheel_kernels._embedding_dense import (  # noqa: E402
    tbe_backward_dense,
    tbe_backward_indice_weights,
)
from pinwheel_kernels._embedding_int8 import int8_tbe_forward  # noqa: E402
from pinwheel_kernels._embedding_sgd import tbe_backward_sgd_  # noqa: E402
from pinwheel_kernels._jagged import dense_to_jagged, jagged_to_padded_dense  # noqa: E402
from pinwheel_kernels._jagged_elementwise import (  # noqa: E402
    jagged_dense_elementwise_add,
    jagged_dense_elementwise_add_jagged_output,
    jagged_dense_elementwise_mul,
)
from pinwheel_kernels._jagged_softmax import jagged_softmax  # noqa: E402
from pinwheel_kernels._jagged_vector import batched_dense_vec_jagged_2d_mul  # noqa: E402
from pinwheel_kernels._module import TableBatchedEmbeddingBags  # noqa: E402
from pinwheel_kernels._pack_segments import pack_segments, pack_segments_v2  # noqa: E402
from pinwheel_kernels._permute import permute_1D_sparse_data, permute_2D_sparse_data  # noqa: E402
from pinwheel_kernels._pooled import (  # noqa: E402
    permute_pooled_embs,
    permute_pooled_embs_auto_grad,
)
from pinwheel_kernels._quantize import (  # noqa: E402
    FloatOrHalfToFused8BitRowwiseQuantized,
    Fused8BitRowwiseQuantizedToFloatOrHalf,
)
from pinwheel_kernels._ranges import offsets_range, segment_sum_csr  # noqa: E402
from pinwheel_kernels._register import is_built  # noqa: E402

_OPERATORS = [
    "FloatOrHalfToFused8BitRowwiseQuantized",
    "Fused8BitRowwiseQuantizedToFloatOrHalf",
    "asynchronous_complete_cumsum",
    "asynchronous_exclusive_cumsum",
    "asynchronous_inclusive_cumsum",
    "batched_dense_vec_jagged_2d_mul",
    "block_bucketize_sparse_features",
    "bounds_check_indices",
    "dense_to_jagged",
    "int8_tbe_forward",
    "jagged_dense_elementwise_add",
    "jagged_dense_elementwise_add_jagged_output",
    "jagged_dense_elementwise_mul",
    "jagged_softmax",
    "jagged_to_padded_dense",
    "offsets_range",
    "pack_segments",
    "pack_segments_v2",
    "permute_1D_sparse_data",
    "permute_2D_sparse_data",
    "permute_pooled_embs",
    "permute_pooled_embs_auto_grad",
    "segment_sum_csr",
    "tbe_backward_dense",
    "tbe_backward_indice_weights",
    "tbe_backward_rowwise_adagrad_",
    "tbe_backward_sgd_",
    "tbe_forward",
]

__all__ = [*_OPERATORS, "TableBatchedEmbeddingBags", "build_info", "library_path"]


def _absent(name: str) -> Callable[..., Any]:
    def absent(*_arguments: object, **_options: object) -> Any:
        raise RuntimeError(
            f"the operator `{name}` is not in this build of pinwheel-kernels, of the flavor "
            f"`{build_info().flavor}`; the flavor `full` has it"
        )

    return absent


for _name in _OPERATORS:
    if not is_built(_name):
        globals()[_name] = _absent(_name)


def __getattr__(name: str) -> str:
    """`__version__`, read from the installed distribution, whose name depends on the compute class."""
    if name != "__version__":
        raise AttributeError(f"module `pinwheel_kernels` has no attribute `{name}`")
    from importlib import metadata

    for distribution in metadata.packages_distributions().get("pinwheel_kernels", []):
        return metadata.version(distribution)
    return "0+unknown"
