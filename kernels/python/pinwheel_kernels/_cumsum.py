"""Prefix sums."""

from __future__ import annotations

import torch
from torch import Tensor

from pinwheel_kernels._register import shapes

_ops = torch.ops.pinwheel


def asynchronous_exclusive_cumsum(t_in: Tensor) -> Tensor:
    """`out[i] = t_in[0] + ... + t_in[i - 1]`, with the shape and dtype of `t_in`.

    `t_in` is 1-D (it may be empty) and holds int32 or int64, on the CPU also float32 or float64. Sums of
    integers wrap around. Never waits for a GPU.

    Raises RuntimeError on a wrong number of dimensions or a wrong dtype. Modeled on FBGEMM's operator.
    """
    return _ops.asynchronous_exclusive_cumsum(t_in)


def asynchronous_inclusive_cumsum(t_in: Tensor) -> Tensor:
    """`out[i] = t_in[0] + ... + t_in[i]`; otherwise as `asynchronous_exclusive_cumsum`."""
    return _ops.asynchronous_inclusive_cumsum(t_in)


def asynchronous_complete_cumsum(t_in: Tensor) -> Tensor:
    """Lengths to offsets: `out[0] = 0`, `out[i + 1] = out[i] + t_in[i]`; one element longer than `t_in`.

    `t_in` may also be 2-D, [B, N]: each row separately, for a result of [B, N + 1]. Otherwise as
    `asynchronous_exclusive_cumsum`.
    """
    return _ops.asynchronous_complete_cumsum(t_in)


@shapes("asynchronous_exclusive_cumsum")
def _exclusive_fake(t_in: Tensor) -> Tensor:
    torch._check(t_in.dim() == 1, lambda: f"`t_in` must be 1-D, got shape {tuple(t_in.shape)}")
    return t_in.new_empty(t_in.shape)


@shapes("asynchronous_inclusive_cumsum")
def _inclusive_fake(t_in: Tensor) -> Tensor:
    return _exclusive_fake(t_in)


@shapes("asynchronous_complete_cumsum")
def _complete_fake(t_in: Tensor) -> Tensor:
    torch._check(
        t_in.dim() in (1, 2), lambda: f"`t_in` must be 1-D or 2-D, got shape {tuple(t_in.shape)}"
    )
    return t_in.new_empty([*t_in.shape[:-1], t_in.shape[-1] + 1])
