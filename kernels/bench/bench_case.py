"""What is measured: one operator on one input, and other ways to compute the same result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

Run = Callable[[], object]


@dataclass
class Case:
    """`bytes` is the minimum to move: every input read and every output written once. None: no such contender."""

    operator: str
    shape: str
    bytes: int
    ours: Run
    torch: Run | None
    fbgemm: Run | None


def size(*tensors: torch.Tensor) -> int:
    """The size of all elements in bytes."""
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)
