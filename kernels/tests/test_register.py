"""The gradients of all operators go through one function; tests its mechanics."""

from __future__ import annotations

import pytest
import torch
from torch.utils.checkpoint import checkpoint

import pinwheel_kernels as pk

OFFSETS = [torch.tensor([0, 2, 3])]


def test_a_graph_can_be_traversed_twice():
    values = torch.randn(3, 2, requires_grad=True)
    y = torch.randn(2, 3, 2, requires_grad=True)
    product, _ = pk.jagged_dense_elementwise_mul(values, OFFSETS, y)
    gradient = torch.randn_like(product)
    once = torch.autograd.grad(product, (values, y), gradient, retain_graph=True)
    again = torch.autograd.grad(product, (values, y), gradient)
    assert all(torch.equal(a, b) for a, b in zip(once, again, strict=True))


def test_nothing_is_recorded_if_no_gradient_is_required():
    values = torch.randn(3, 2)
    assert not pk.jagged_to_padded_dense(values, OFFSETS, [2]).requires_grad
    with torch.no_grad():
        dense = pk.jagged_to_padded_dense(values.requires_grad_(), OFFSETS, [2])
    assert not dense.requires_grad
    with torch.inference_mode():
        assert pk.jagged_to_padded_dense(values, OFFSETS, [2]).is_inference()


@pytest.mark.parametrize("which", ["values", "y"])
def test_only_the_requested_gradients_are_computed(which):
    values, y = torch.randn(3, 2), torch.randn(2, 3, 2)
    wanted = {"values": values, "y": y}[which].requires_grad_()
    product, _ = pk.jagged_dense_elementwise_mul(values, OFFSETS, y)
    product.sum().backward()
    assert wanted.grad is not None
    assert (values.grad is None) == (which == "y")


def test_arguments_may_be_passed_by_name_or_omitted():
    values = torch.randn(3, 2, requires_grad=True)
    operator = torch.ops.pinwheel.jagged_to_padded_dense
    plain = operator(values, OFFSETS, [2], 0.0)
    named = operator(max_lengths=[2], offsets=OFFSETS, values=values)
    assert torch.equal(plain, named)
    for dense in (plain, named):
        (gradient,) = torch.autograd.grad(dense.sum(), values)
        assert gradient.tolist() == [[1, 1], [1, 1], [1, 1]]


def test_gradients_of_gradients_are_recorded():
    values = torch.randn(3, 2, requires_grad=True)
    dense = pk.jagged_to_padded_dense(values, OFFSETS, [2])
    (gradient,) = torch.autograd.grad((dense**3).sum(), values, create_graph=True)
    (second,) = torch.autograd.grad(gradient.sum(), values)
    torch.testing.assert_close(second, 6 * values.detach())


def test_saved_tensors_may_have_to_be_recomputed():
    values, y = torch.randn(3, 2, requires_grad=True), torch.randn(2, 3, 2, requires_grad=True)

    def product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return pk.jagged_dense_elementwise_mul(x * 2, OFFSETS, y)[0]

    kept = torch.autograd.grad(product(values, y).sum(), (values, y))
    anew = torch.autograd.grad(checkpoint(product, values, y, use_reentrant=False).sum(), (values, y))
    assert all(torch.equal(a, b) for a, b in zip(kept, anew, strict=True))


def test_forward_mode_gradients_are_an_error_and_not_zero():
    values = torch.randn(3, 2)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(values, torch.ones_like(values))
        with pytest.raises(RuntimeError, match="jvp"):
            pk.jagged_to_padded_dense(dual, OFFSETS, [2])
        assert pk.jagged_to_padded_dense(values, OFFSETS, [2]).shape == (2, 2, 2)
    with pytest.raises(RuntimeError):
        torch.func.jvp(lambda x: pk.jagged_to_padded_dense(x, OFFSETS, [2]), (values,), (values,))


def test_a_tensor_without_contents_among_others_is_an_error():
    values = torch.randn(3, 2)
    with pytest.raises(RuntimeError, match="pinwheel::jagged_to_padded_dense: `offsets` is on the device"):
        pk.jagged_to_padded_dense(values, [OFFSETS[0].to("meta")], [2])
    with pytest.raises(RuntimeError, match="`lengths` is on the device `meta`, `t_in` on `cpu`"):
        pk.pack_segments(values, torch.tensor([3], device="meta"), 3)


def test_errors_without_contents_name_the_operator():
    values = torch.randn(3, 2, device="meta")
    lengths = torch.zeros(1, dtype=torch.int64, device="meta")
    assert pk.pack_segments(values, lengths, 3).shape == (1, 3, 2)
    with pytest.raises(RuntimeError, match="pinwheel::pack_segments: `lengths` must be 1-D"):
        pk.pack_segments(values, lengths[0], 3)
    with pytest.raises(RuntimeError, match="dense_to_jagged_forward: `dense` must be 2-D or 3-D"):
        pk.dense_to_jagged(values[0], [lengths], 3)
