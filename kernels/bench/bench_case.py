"""What is measured: one operator on one input, and other ways to compute the same result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import torch

Run = Callable[[], object]
Shape = TypeVar("Shape")


@dataclass
class Case:
    """`bytes` is the minimum to move: every input read and every output written once. None: no such contender."""

    operator: str
    shape: str
    bytes: int
    ours: Run
    torch: Run | None
    fbgemm: Run | None


def filling_a_gpu(device: torch.device, *shapes: Shape) -> tuple[Shape, ...]:
    """Shapes that keep a whole GPU busy; on a CPU they would take minutes."""
    return shapes if device.type == "cuda" else ()


def size(*tensors: torch.Tensor) -> int:
    """The size of all elements in bytes."""
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)
