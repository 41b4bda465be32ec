"""Registers shapes for the compiler and gradients, for the operators in this flavor of the library."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from pinwheel_kernels import _build


_library = torch.library.Library("pinwheel", "FRAGMENT")


def is_on_cpu(tensor: Tensor) -> bool:
    """Whether operators on `tensor` run on the CPU: never in a build that emulates a GPU for the tests."""
    return tensor.device.type == "cpu" and _build.compute != "emulated"


def is_built(name: str) -> bool:
    """Whether this copy of the library has the operator `pinwheel::name`; a flavor may leave it out."""
    return hasattr(torch.ops.pinwheel, name)


def shapes(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates the function that returns the results' shapes and dtypes without computing them.

    Beside "meta" tensors, others (lengths, indices) may be on one device; all results are then "meta" tensors.
    Errors that it raises through `torch._check` name the operator.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in filter(is_built, names):
            torch.library.register_fake(f"pinwheel::{name}", _checked(name, function))
        return function

    return register


def _checked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with checks of the tensors' devices, and with errors that name the operator."""
    schema = _operator(name)._schema.arguments

    @functools.wraps(function)
    def checked(*arguments: Any, **named: Any) -> Any:
        given = [*zip((argument.name for argument in schema), arguments, strict=False), *named.items()]
        tensors = [(place, tensor) for place, value in given for tensor in _tensors(value)]
        try:
            _check_devices(tensors)
            results = function(*arguments, **named)
            if len({tensor.device for _, tensor in tensors}) < 2:
                return results
            changed = [argument.name for argument in schema if _is_changed(argument)]
            _check_only_shapes(tensors, results, changed)
            return _on_meta(results)
        except RuntimeError as error:
            if type(error) is not RuntimeError:  # the compiler's own errors, which must reach it unchanged
                raise
            raise RuntimeError(f"pinwheel::{name}: {error}") from None

    return checked


def _tensors(value: Any) -> list[Tensor]:
    values = value if isinstance(value, (list, tuple)) else [value]
    return [each for each in values if isinstance(each, Tensor)]


def _is_changed(argument: Any) -> bool:
    return argument.alias_info is not None and argument.alias_info.is_write


def _is_meta(tensor: Tensor) -> bool:
    return tensor.device.type == "meta"


def _check_devices(tensors: list[tuple[str, Tensor]]) -> None:
    """All tensors are on one device, or on one and on "meta"."""
    real = [(name, tensor) for name, tensor in tensors if not _is_meta(tensor)]
    for name, tensor in real[1:]:
        if tensor.device != real[0][1].device:
            raise _other_device(name, tensor, *real[0])


def _check_only_shapes(tensors: list[tuple[str, Tensor]], results: Any, changed: list[str]) -> None:
    """The data is on "meta": otherwise a result on a device, or a tensor to change there, would be forgotten."""
    written = [tensor for name, tensor in tensors if name in changed]
    if all(_is_meta(tensor) for tensor in written) and (
        written or any(_is_meta(tensor) for tensor in _tensors(results))
    ):
        return
    first = tensors[0]
    raise _other_device(*next(each for each in tensors if each[1].device != first[1].device), *first)


def _other_device(name: str, tensor: Tensor, first_name: str, first: Tensor) -> RuntimeError:
    return RuntimeError(f"`{name}` is on the device `{tensor.device}`, `{first_name}` on `{first.device}`")


def _on_meta(results: Any) -> Any:
    """The results on "meta": one made beside a tensor on a device would be on it, with nothing written to it."""
    if isinstance(results, (list, tuple)):
        return type(results)(_on_meta(each) for each in results)
    if isinstance(results, Tensor) and not _is_meta(results):
        return results.new_empty(results.shape, device="meta")
    return results


def _operator(name: str) -> Any:
    return getattr(torch.ops.pinwheel, name).default


def composite(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates an operator that is composed of others and needs no kernels, shapes or gradients of its own.

    For operators that return an argument, which a kernel must not do.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if is_built(name):
            _library.impl(name, function, "CompositeImplicitAutograd")
        return function

    return register


def gradients(
    name: str, backward: Callable[..., Any], setup_context: Callable[..., None] | None = None
) -> None:
    """Like torch.library.register_autograd, but skips absent operators and has less overhead per call.

    Lists of tensors (offsets) are not differentiable: torch's own function would flatten them on every call,
    which for small tensors takes several times as long as the operator.
    """
    if not is_built(name):
        return
    operator = _operator(name)
    schema = operator._schema.arguments
    if any(argument.kwarg_only for argument in schema):
        torch.library.register_autograd(
            f"pinwheel::{name}", backward, setup_context=setup_context
        )
        return
    function = _autograd_function(operator, backward, setup_context)
    is_tensor = [str(argument.type) in ("Tensor", "Optional[Tensor]") for argument in schema]
    places = [at for at, holds in enumerate(is_tensor) if holds]
    # Every call goes through here, even without gradients, so what it needs is looked up once.
    redispatch = operator._handle.redispatch_boxed
    after_autograd = torch._C._after_autograd_keyset
    any_requires_grad = torch._C._any_requires_grad
    is_grad_enabled = torch.is_grad_enabled

    def autograd(keyset: Any, *arguments: Any) -> Any:
        # The operators have no forward-mode gradients: torch reports that for a function that it records.
        if is_grad_enabled() and (any_requires_grad(*arguments) or forward_ad._current_level >= 0):
            # The dispatcher drops arguments that equal their defaults, and a tensor may be None.
            last = len(arguments)
            given = [at for at in places if at < last and arguments[at] is not None]
            return function.apply(keyset, arguments, given, *[arguments[at] for at in given])
        return redispatch(keyset & after_autograd, *arguments)

    _library.impl(name, autograd, "Autograd", with_keyset=True)


class _Call:
    """The ctx passed to a backward function: `needs_input_grad` is indexed by the operator's arguments.

    Saved tensors are unpacked here, with autograd enabled and only once: torch may have to recompute them.
    """

    def __init__(self, ctx: Any, needs_input_grad: tuple[bool, ...]) -> None:
        self._ctx = ctx
        self.needs_input_grad = needs_input_grad
        self.saved_tensors = ctx.saved_tensors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ctx, name)


def _autograd_function(
    operator: Any, backward: Callable[..., Any], setup_context: Callable[..., None] | None
) -> Any:
    """The autograd function that torch records for a call: `given` are the indices of its tensor arguments."""
    defaults = [argument.default_value for argument in operator._schema.arguments]

    class Gradients(torch.autograd.Function):
        @staticmethod
        def forward(
            ctx: Any, keyset: Any, arguments: tuple[Any, ...], given: list[int], *_tensors: Any
        ) -> Any:
            output = operator.redispatch(keyset & torch._C._after_autograd_keyset, *arguments)
            ctx.given = given
            if setup_context is not None:
                setup_context(ctx, (*arguments, *defaults[len(arguments) :]), output)
            return output

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> tuple[Any, ...]:
            needed = [False] * len(defaults)
            for place, is_needed in zip(ctx.given, ctx.needs_input_grad[3:], strict=True):
                needed[place] = is_needed
            call = _Call(ctx, tuple(needed))
            if torch.is_grad_enabled():  # for gradients of gradients
                result = backward(call, *grads)
            else:
                with torch._C._AutoDispatchBelowAutograd():
                    result = backward(call, *grads)
            if not isinstance(result, tuple):
                result = (result,)
            return (None, None, None, *[result[place] for place in ctx.given])

    Gradients.__name__ = f"{operator._opname}_gradients"
    return Gradients
