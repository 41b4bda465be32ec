"""The numbers of dtypes in FBGEMM's schemas."""

from __future__ import annotations

import torch

OUTPUT_DTYPES = {0: torch.float32, 1: torch.float16, 5: torch.bfloat16}
DTYPE_NUMBERS = {dtype: number for number, dtype in OUTPUT_DTYPES.items()}
