"""Several embedding tables as one module."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pinwheel_kernels._dtypes import DTYPE_NUMBERS
from pinwheel_kernels._library import build_info
from pinwheel_kernels._register import is_built

_ops = torch.ops.pinwheel

_POOLING = {"sum": 0, "mean": 1, "none": 2}
_DECAY = {"none": 0, "l2": 1, "decouple": 2}
_UPDATES = {"sgd": "tbe_backward_sgd_", "rowwise_adagrad": "tbe_backward_rowwise_adagrad_"}


@dataclass
class _Options:
    """The options of a fused optimizer."""

    optimizer: str
    eps: float
    weight_decay: float
    weight_decay_mode: int
    max_norm: float


class _FusedLookup(torch.autograd.Function):
    """A lookup whose backward pass updates the tables in place.

    `anchor` is an empty tensor that requires a gradient: without it torch would not call `backward`, because
    the tables are not inputs that require gradients.
    """

    @staticmethod
    def forward(
        ctx: Any,
        anchor: Tensor,
        per_sample_weights: Tensor | None,
        bags: tuple[Any, ...],
        tables: tuple[Tensor, Tensor | None],
        output_dtype: int,
        learning_rate: Tensor,
        options: _Options,
    ) -> Tensor:
        firsts, columns, total_D, sums, indices, offsets, mode = bags
        # Kept out of save_for_backward, where torch would check that they are unmodified: other backward passes
        # may run first and update the tables, and the learning rate may change too.
        ctx.tables = tables
        ctx.learning_rate = learning_rate
        ctx.options = options
        ctx.mode = mode
        saved = [firsts, columns, sums, indices, offsets]
        ctx.save_for_backward(*saved, *([] if per_sample_weights is None else [per_sample_weights]))
        return _ops.tbe_forward(tables[0], *bags, per_sample_weights, output_dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        saved = ctx.saved_tensors  # read only once: a second time is an error under checkpointing
        per_sample = saved[5] if len(saved) > 5 else None
        weights, momentum = ctx.tables
        options = ctx.options
        where = (*saved[:5], ctx.mode)
        d_per_sample = None
        if ctx.needs_input_grad[1]:  # before the update, with the rows of the forward pass
            d_per_sample = _ops.tbe_backward_indice_weights(grad, weights, *where)
        decay = (options.weight_decay, options.weight_decay_mode, options.max_norm)
        tables = (weights,) if momentum is None else (weights, momentum)
        eps = () if momentum is None else (options.eps,)
        if torch.compiler.is_compiling():
            update = getattr(torch.ops.pinwheel_compiled, _UPDATES[options.optimizer])
            update(grad, *tables, *where, per_sample, ctx.learning_rate, *eps, *decay)
        else:
            update = getattr(_ops, _UPDATES[options.optimizer])
            update(grad, *tables, *where, per_sample, float(ctx.learning_rate), *eps, *decay)
        return None, d_per_sample, None, None, None, None, None


def _whole_numbers(specs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The specs as pairs of ints, or empty if they are not pairs of integers."""
    try:
        return [(operator.index(rows), operator.index(columns)) for rows, columns in specs]
    except (TypeError, ValueError):
        return []


def _choice(name: str, value: str, choices: Sequence[Any]) -> None:
    if value not in choices:
        listed = ", ".join(f"`{choice}`" for choice in choices)
        raise ValueError(f"`{name}` is `{value}`; it must be one of {listed}")


def _require_update(optimizer: str) -> None:
    if not is_built(_UPDATES[optimizer]):
        raise RuntimeError(
            f"this build of pinwheel-kernels, of the flavor `{build_info().flavor}`, has no optimizer "
            f"`{optimizer}`: it lacks the operator `{_UPDATES[optimizer]}`; the flavor `full` has it"
        )


class TableBatchedEmbeddingBags(torch.nn.Module):
    """Several embedding tables, looked up and pooled in one call.

    embedding_specs: (rows, columns) of each table.
    pooling_mode: "sum", "mean" or "none".
    weights_precision: the dtype of the tables: float32, float16 or bfloat16.
    output_dtype: the dtype of results, likewise.
    optimizer: "none": `weights` is a parameter with a dense gradient, for any optimizer of torch. "sgd",
        "rowwise_adagrad": the backward pass updates the rows that were looked up, in place, and there is no
        gradient; `weights` is then a buffer, and for Adagrad there is `momentum1`, float32, one element per
        row.
    learning_rate, eps (Adagrad's), weight_decay, weight_decay_mode ("none", "l2", "decouple"), max_norm (of
        a row after its update; 0: no limit): options of the fused optimizer. `set_learning_rate` changes the
        first.
    device: where the tables are allocated; each is initialized uniformly in ±1 / sqrt(rows).

    `weights` holds all tables, row by row, table by table; `split_embedding_weights` returns views of them.
    Raises ValueError on invalid options, and RuntimeError if this build lacks the optimizer.
    """

    def __init__(
        self,
        embedding_specs: Sequence[tuple[int, int]],
        *,
        pooling_mode: str = "sum",
        weights_precision: torch.dtype = torch.float32,
        output_dtype: torch.dtype = torch.float32,
        optimizer: str = "none",
        learning_rate: float = 0.01,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        weight_decay_mode: str = "none",
        max_norm: float = 0.0,
        device: torch.device | str | None = None,
    ) -> None:
        super().__init__()
        specs = _whole_numbers(embedding_specs)
        if not specs or any(rows < 0 or columns < 0 for rows, columns in specs):
            raise ValueError(f"`embedding_specs` must list (rows, columns) of tables, not {embedding_specs}")
        _choice("pooling_mode", pooling_mode, list(_POOLING))
        _choice("weights_precision", weights_precision, list(DTYPE_NUMBERS))
        _choice("output_dtype", output_dtype, list(DTYPE_NUMBERS))
        _choice("optimizer", optimizer, ["none", *_UPDATES])
        _choice("weight_decay_mode", weight_decay_mode, list(_DECAY))
        if pooling_mode == "none" and len({columns for _, columns in specs}) > 1:
            raise ValueError("without pooling all tables must have the same number of columns")
        if not max_norm >= 0:
            raise ValueError(f"`max_norm` is {max_norm}; it must not be negative")
        if optimizer != "none":
            _require_update(optimizer)
        self.embedding_specs = specs
        self.pooling_mode = pooling_mode
        self.output_dtype = output_dtype
        self._options = _Options(
            optimizer, eps, weight_decay, _DECAY[weight_decay_mode], max_norm
        )
        # Not a buffer: it stays on the CPU and is not part of the state dict.
        self._learning_rate = torch.tensor(learning_rate, dtype=torch.float64, device="cpu")
        self._anchor = torch.empty(0, requires_grad=True)
        self._make_tables(weights_precision, device)
        self.reset_parameters()

    def _lay_out(self, device: torch.device | str | None) -> None:
        """Sets the layout of the tables. Not part of the state dict: it follows from the arguments."""

        def running(numbers: list[int]) -> Tensor:
            return torch.tensor([0, *numbers], device=device).cumsum(0)

        sizes = [rows * columns for rows, columns in self.embedding_specs]
        self.register_buffer("weights_offsets", running(sizes)[:-1].contiguous(), persistent=False)
        columns = [columns for _, columns in self.embedding_specs]
        self.register_buffer("D_offsets", running(columns), persistent=False)
        rows = [rows for rows, _ in self.embedding_specs]
        self.register_buffer("hash_size_cumsum", running(rows), persistent=False)

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        momentum = self.momentum1
        applied = super()._apply(fn, recurse)
        # `to_empty`, after construction on the device `meta`, leaves all tensors uninitialized.
        self._lay_out(self.weights.device)
        # `half` and the like apply to weights only.
        if momentum is not None and self.momentum1.dtype != momentum.dtype:
            self.momentum1 = momentum.to(self.momentum1.device)
        return applied

    def _make_tables(self, dtype: torch.dtype, device: torch.device | str | None) -> None:
        self._lay_out(device)
        rows = [rows for rows, _ in self.embedding_specs]
        self.total_D = sum(columns for _, columns in self.embedding_specs)
        weights = torch.empty(
            sum(rows * columns for rows, columns in self.embedding_specs), dtype=dtype, device=device
        )
        momentum = None
        if self._options.optimizer == "none":
            trainable = is_built("tbe_backward_dense")
            self.weights = torch.nn.Parameter(weights, requires_grad=trainable)
        else:
            self.register_buffer("weights", weights)
            if self._options.optimizer == "rowwise_adagrad":
                momentum = torch.empty(sum(rows), dtype=torch.float32, device=device)
        self.register_buffer("momentum1", momentum)

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Reinitializes every table and zeroes the optimizer's state."""
        for (rows, _), table in zip(self.embedding_specs, self.split_embedding_weights(), strict=True):
            bound = max(1, rows) ** -0.5
            table.uniform_(-bound, bound)
        if self.momentum1 is not None:
            self.momentum1.zero_()

    def split_embedding_weights(self) -> list[Tensor]:
        """Each table as a view [rows, columns] of `weights`, without gradients; writing to it is fine."""
        flat = self.weights.detach()
        sizes = [rows * columns for rows, columns in self.embedding_specs]
        parts = flat.split(sizes)
        return [part.view(spec) for part, spec in zip(parts, self.embedding_specs, strict=True)]

    def set_learning_rate(self, learning_rate: float) -> None:
        """Sets the fused optimizer's learning rate from the next backward pass on, even that of an earlier lookup."""
        # Through `data`, so that torch counts no modification, which would make that backward pass an error.
        self._learning_rate.data.fill_(learning_rate)

    def forward(
        self, indices: Tensor, offsets: Tensor, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        """The tables' pooled rows side by side: [B, sum of columns]; without pooling [indices, columns].

        indices, offsets, per_sample_weights: as for `tbe_forward`: bag t * B + b is sample b of table t.
        Differentiable in `per_sample_weights`; see the class for the tables.
        """
        mode = _POOLING[self.pooling_mode]
        number = DTYPE_NUMBERS[self.output_dtype]
        places = (self.weights_offsets, self.D_offsets, self.total_D, self.hash_size_cumsum)
        bags = (*places, indices, offsets, mode)
        if self._options.optimizer == "none" or not torch.is_grad_enabled():
            return _ops.tbe_forward(self.weights, *bags, per_sample_weights, number)
        tables = (self.weights, self.momentum1)
        options = (self._learning_rate, self._options)
        return _FusedLookup.apply(self._anchor, per_sample_weights, bags, tables, number, *options)

    def extra_repr(self) -> str:
        options = f"pooling_mode={self.pooling_mode!r}, optimizer={self._options.optimizer!r}"
        return f"{self.embedding_specs}, {options}, weights_precision={self.weights.dtype}"
