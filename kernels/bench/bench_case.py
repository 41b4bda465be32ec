"""What is measured: one operator on one input, and the same answer got otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

Run = Callable[[], object]


@dataclass
class Case:
    """`bytes` must be moved at least: what is read and written once each. None: there is no such contender."""

    operator: str
    shape: str
    bytes: int
    ours: Run
    torch: Run | None
    fbgemm: Run | None


def size(*tensors: torch.Tensor) -> int:
    """The bytes of all elements."""
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)
