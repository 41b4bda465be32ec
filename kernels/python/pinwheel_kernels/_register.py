"""Shapes for the compiler and gradients, for the operators that this flavour of the library has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def is_built(name: str) -> bool:
    """Whether this copy of the library has the operator `pinwheel::name`; a flavour may leave it out."""
    return hasattr(torch.ops.pinwheel, name)


def shapes(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates the function that gives the results' shapes and dtypes without computing them."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in filter(is_built, names):
            torch.library.register_fake(f"pinwheel::{name}", function)
        return function

    return register


def gradients(
    name: str, backward: Callable[..., Any], setup_context: Callable[..., None] | None = None
) -> None:
    """As torch.library.register_autograd, for an operator that may be left out."""
    if is_built(name):
        torch.library.register_autograd(f"pinwheel::{name}", backward, setup_context=setup_context)
