"""What the embedding optimizers share: shapes for the compiler, and variable learning rates."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from pinwheel_kernels._register import is_built

_ops = torch.ops.pinwheel
_library = torch.library.Library("pinwheel_compiled", "DEF")


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
    for name, tensor in (("D_offsets", D_offsets), ("indices", indices), ("offsets", offsets)):
        torch._check(tensor.dim() == 1, lambda name=name: f"`{name}` must be 1-D")
    torch._check(pooling_mode in (0, 1, 2), lambda: "`pooling_mode` must be 0, 1 or 2")
    tables = D_offsets.shape[0] - 1
    if pooling_mode == 2:
        rows = indices.shape[0]
    else:
        rows = (offsets.shape[0] - 1) // tables if tables else 0
    torch._check(grad.shape[0] == rows, lambda: f"`grad` must have {rows} rows")


def take_rate_as_tensor(name: str) -> None:
    """Defines `pinwheel_compiled::<name>`: the operator with its learning rate in a CPU tensor.

    The compiler treats a Python number as a constant and would recompile for each learning rate of a schedule.
    """
    if not is_built(name):
        return
    operator = getattr(_ops, name).default
    at = [argument.name for argument in operator._schema.arguments].index("learning_rate")
    schema = str(operator._schema).removeprefix("pinwheel::")

    def update(*arguments: Any) -> None:
        operator(*arguments[:at], float(arguments[at]), *arguments[at + 1 :])

    _library.define(schema.replace("float learning_rate", "Tensor learning_rate"))
    _library.impl(name, update, "CompositeExplicitAutograd")
    torch.library.register_fake(f"pinwheel_compiled::{name}", lambda *arguments: None)
