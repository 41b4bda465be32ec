"""Contents that are out of range: an operator may refuse them or compute anything, but must not access memory out of
bounds. Run them under a sanitizer too: a build with -fsanitize=address, or compute-sanitizer."""

from __future__ import annotations

import pytest
import torch
from conftest import COMPUTE
from every_operator import CALLS, Call, call_of
from torch import Tensor

pytestmark = pytest.mark.garbage

ROUNDS = 10 if COMPUTE == "emulated" else 60
INTEGERS = (torch.int32, torch.int64)
GARBAGE = torch.tensor(
    [-1, -5, -(2**31), -(2**62), -(2**63), 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1, 7, 0, 1, 10**6]
)


def spoiled(tensor: Tensor, name: str, number: int) -> Tensor:
    """The tensor with a few, some or all elements replaced, and sometimes shuffled."""
    flat = tensor.flatten().clone()
    count = max(1, int(flat.numel() * (0.02, 0.3, 1.0)[number % 3]))
    limits = torch.iinfo(tensor.dtype)
    garbage = GARBAGE[torch.randint(0, len(GARBAGE), (count,))].clamp(limits.min, limits.max)
    if name == "permute_2D_sparse_data":  # allocates as many values as the lengths add up to
        garbage = garbage.clamp(-(10**5), 10**5)
    flat[torch.randint(0, flat.numel(), (count,))] = garbage.to(tensor.dtype)
    if number % 5 == 4:
        flat = flat[torch.randperm(flat.numel())]
    return flat.view(tensor.shape)


def garbage_call(call: Call, name: str, number: int) -> list[Tensor]:
    """Every third round spoils all integers, the others one tensor."""
    places = [at for at, tensor in enumerate(call.tensors) if tensor.dtype in INTEGERS]
    chosen = places if number % 3 == 0 else places[number % max(1, len(places)) :][:1]
    return [spoiled(tensor, name, number) if at in chosen else tensor for at, tensor in enumerate(call.tensors)]


@pytest.mark.parametrize("name", CALLS)
def test_garbage_causes_no_access_out_of_bounds(name, device, rng):
    call = call_of(name)
    for number in range(ROUNDS):
        tensors = garbage_call(call, name, number)
        try:
            call.run(*(tensor.to(device) for tensor in tensors))
        except RuntimeError as error:
            assert "CUDA error" not in str(error) and "illegal" not in str(error), f"round {number}"
        if device.type == "cuda":
            torch.cuda.synchronize()
