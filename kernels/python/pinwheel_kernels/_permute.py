"""Reordering of sparse features."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from pinwheel_kernels._register import gradients, shapes

_ops = torch.ops.pinwheel


def permute_1D_sparse_data(
    permute: Tensor,
    lengths: Tensor,
    values: Tensor,
    weights: Tensor | None = None,
    permuted_lengths_sum: int | None = None,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Permutes bags, some of which may be dropped or repeated: `permute_2D_sparse_data` for single bags.

    permute: [N'] of int32 or int64: which input bag each output bag is.
    lengths: [N] of int32 or int64: the number of values of each bag.

    Returns (lengths [N'], values, weights or None). Everything else is as for `permute_2D_sparse_data`.
    """
    return _ops.permute_1D_sparse_data(permute, lengths, values, weights, permuted_lengths_sum)


def permute_2D_sparse_data(
    permute: Tensor,
    lengths: Tensor,
    values: Tensor,
    weights: Tensor | None = None,
    permuted_lengths_sum: int | None = None,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Permutes the features of a batch, some of which may be dropped or repeated.

    permute: [T'] of int32 or int64: which input feature each output feature is.
    lengths: [T, B] of int32 or int64: the number of values of feature t in sample b.
    values: [sum of lengths] of any dtype, feature by feature, sample by sample.
    weights: [sum of lengths] or [sum of lengths, columns] of any dtype, moved along with the values; or None.
    permuted_lengths_sum: the number of output values. On a GPU, passing it avoids waiting for the device.

    Returns (lengths [T', B], values, weights or None).

    Raises RuntimeError on wrong ranks, dtypes or devices, and on the CPU on entries of `permute` outside
    [0, T), negative lengths, too few values, or a wrong `permuted_lengths_sum`. On a GPU contents are not read
    back: what is out of range is empty there. Differentiable in `values` and `weights`, any number of times;
    gradients of repeated features are added up. Modeled on FBGEMM's operator.
    """
    return _ops.permute_2D_sparse_data(permute, lengths, values, weights, permuted_lengths_sum)


@shapes("permute_1D_sparse_data", "permute_2D_sparse_data")
def _permute_fake(
    permute: Tensor,
    lengths: Tensor,
    values: Tensor,
    weights: Tensor | None = None,
    permuted_lengths_sum: int | None = None,
) -> tuple[Tensor, Tensor, Tensor | None]:
    torch._check(permute.dim() == 1, lambda: "`permute` must be 1-D")
    torch._check(lengths.dim() in (1, 2), lambda: "`lengths` must be 1-D or 2-D")
    torch._check(values.dim() == 1, lambda: "`values` must be 1-D")
    if permuted_lengths_sum is None:
        permuted_lengths_sum = torch.library.get_ctx().new_dynamic_size()
    return (
        lengths.new_empty([permute.shape[0], *lengths.shape[1:]]),
        values.new_empty([permuted_lengths_sum]),
        None if weights is None else weights.new_empty([permuted_lengths_sum, *weights.shape[1:]]),
    )


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, ...]) -> None:
    permute, lengths, values = inputs[:3]
    ctx.count = values.shape[0]
    ctx.save_for_backward(permute, lengths)
    ctx.set_materialize_grads(False)


def _backward_of(name: str) -> Any:
    def backward(ctx: Any, _: Any, d_values: Tensor | None, d_weights: Tensor | None) -> tuple[Any, ...]:
        permute, lengths = ctx.saved_tensors
        wanted = [
            grad if grad is not None and ctx.needs_input_grad[at] else None
            for at, grad in ((2, d_values), (3, d_weights))
        ]
        given = [grad for grad in wanted if grad is not None]
        if not given:
            return None, None, None, None, None
        # The source of each value, by permuting the positions the same way; 0 for values without a source.
        places = torch.arange(1, ctx.count + 1, device=lengths.device)
        total = given[0].shape[0]
        _, source, _ = getattr(_ops, name)(permute, lengths, places, None, total)
        source = source.to(given[0].device)  # elsewhere only if the gradients are "meta" tensors
        found = [
            None if grad is None else grad.new_zeros(ctx.count + 1, *grad.shape[1:]).index_add(0, source, grad)[1:]
            for grad in wanted
        ]
        return None, None, *found, None

    return backward


for _name in ("permute_1D_sparse_data", "permute_2D_sparse_data"):
    gradients(_name, _backward_of(_name), _save)
