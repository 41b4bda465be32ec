"""What the compiler can check of the arguments that the optimizers of embedding tables share."""

from __future__ import annotations

import torch
from torch import Tensor


def check_update(
    grad: Tensor,
    weights: Tensor,
    D_offsets: Tensor,
    indices: Tensor,
    offsets: Tensor,
    pooling_mode: int,
) -> None:
    torch._check(weights.dim() == 1, lambda: "`weights` must be 1-D")
    torch._check(grad.dim() == 2, lambda: "`grad` must be 2-D")
    torch._check(pooling_mode in (0, 1, 2), lambda: "`pooling_mode` must be 0, 1 or 2")
    tables = D_offsets.shape[0] - 1
    rows = indices.shape[0] if pooling_mode == 2 else (offsets.shape[0] - 1) // tables
    torch._check(grad.shape[0] == rows, lambda: f"`grad` must have {rows} rows")
