from __future__ import annotations

import pytest
import torch
from reference import INDEX_DTYPES
from tables import DTYPE_NUMBERS, MEAN, NONE, SUM, Tables, lookup, random_tables

import pinwheel_kernels as pk

FLOATS = [torch.float32, torch.float16, torch.bfloat16]
TOLERANCE = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 1e-2}


def expected_gradients(case: Tables, grad: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The gradients of the flat weights and of the weights of the indices, computed by torch in double precision."""
    weights = case.weights.double().requires_grad_()
    per_index = None
    if case.indice_weights is not None:
        per_index = case.indice_weights.double().requires_grad_()
    twin = Tables(**(vars(case) | {"weights": weights, "indice_weights": per_index}))
    out = lookup(twin, twin.tables())
    if not out.requires_grad:
        return torch.zeros_like(weights), per_index
    inputs = [weights] if per_index is None else [weights, per_index]
    found = torch.autograd.grad(out, inputs, grad.double(), allow_unused=True)
    found = [torch.zeros_like(i) if g is None else g for g, i in zip(found, inputs, strict=True)]
    return found[0], found[1] if per_index is not None else None


def backward_arguments(case: Tables) -> tuple:
    """The arguments of the backward operators after `grad`."""
    values = case.arguments()
    return (*values[:3], *values[4:])


@pytest.mark.parametrize("index", INDEX_DTYPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("mode", [SUM, MEAN, NONE])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_gradients_match_a_loop(seed, weighted, mode, dtype, index, device, rng):
    if mode == NONE and weighted:
        pytest.skip("weights require pooling")
    width = rng.choice([1, 4, 17, 64])
    dims = [width if mode == NONE else rng.choice([1, 3, 8, 16, 33, 130]) for _ in range(3)]
    case = random_tables(
        rng, dims, 6, 7, index=index, dtype=dtype, pooling_mode=mode, weighted=weighted
    )
    shape = pk.tbe_forward(*case.arguments()).shape
    grad = torch.randn(shape).to(rng.choice(FLOATS))
    of_weights, of_indices = expected_gradients(case, grad)
    moved = backward_arguments(case.to(device))
    got = pk.tbe_backward_dense(grad.to(device), *moved).cpu()
    assert got.dtype == dtype
    tolerance = TOLERANCE[dtype]
    torch.testing.assert_close(got.double(), of_weights, rtol=tolerance, atol=tolerance)
    if weighted:
        got = pk.tbe_backward_indice_weights(grad.to(device), *moved[:-1]).cpu()
        torch.testing.assert_close(got.double(), of_indices, rtol=1e-4, atol=1e-4)


def test_autograd_reaches_weights_and_weights_of_indices(device, rng):
    case = random_tables(rng, [4, 9], 5, 6, pooling_mode=MEAN, weighted=True).to(device)
    case.weights.requires_grad_()
    case.indice_weights.requires_grad_()
    out = pk.tbe_forward(*case.arguments())
    grad = torch.randn_like(out)
    out.backward(grad)
    cpu = Tables(**(vars(case) | {"weights": case.weights.detach()})).to(torch.device("cpu"))
    cpu.indice_weights = cpu.indice_weights.detach()
    of_weights, of_indices = expected_gradients(cpu, grad.cpu())
    torch.testing.assert_close(case.weights.grad.cpu().double(), of_weights, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(
        case.indice_weights.grad.cpu().double(), of_indices, rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("mode", [SUM, MEAN, NONE])
def test_gradients_agree_with_finite_differences(mode, device, rng):
    """The lookup is linear in each argument, so a large step is exact up to rounding."""
    case = random_tables(rng, [2, 2], 2, 3, pooling_mode=mode, weighted=mode != NONE, most_rows=3)
    case = case.to(device)
    case.weights.requires_grad_()
    inputs = [case.weights]
    if case.indice_weights is not None:
        case.indice_weights.requires_grad_()
        inputs.append(case.indice_weights)

    def forward(weights: torch.Tensor, per_index: torch.Tensor | None = None) -> torch.Tensor:
        return pk.tbe_forward(weights, *case.arguments()[1:8], per_index)

    assert torch.autograd.gradcheck(forward, inputs, eps=0.5, atol=1e-3, rtol=1e-3)
    assert torch.autograd.gradgradcheck(forward, inputs, eps=0.5, atol=1e-2, rtol=1e-2)


def test_a_table_shared_by_features_gets_the_sum_of_their_gradients(device, rng):
    case = random_tables(rng, [4, 4, 4], 5, 6)
    rows = int(case.hash_size_cumsum.diff().min())
    case.indices %= rows
    case.hash_size_cumsum = torch.arange(4) * rows
    case.weights_offsets[2] = case.weights_offsets[0]
    grad = torch.randn(5, 12)
    expected, _ = expected_gradients(case, grad)
    got = pk.tbe_backward_dense(grad.to(device), *backward_arguments(case.to(device))).cpu()
    torch.testing.assert_close(got.double(), expected, rtol=1e-5, atol=1e-5)


def test_a_larger_gradient_is_the_same_with_any_number_of_threads(rng):
    rows, width, batch = 3000, 64, 500
    offsets = torch.arange(batch + 1) * 20
    indices = torch.randint(0, rows, (batch * 20,)) % torch.randint(1, rows, (batch * 20,))
    weights = torch.randn(rows * width)
    grad = torch.randn(batch, width)
    arguments = (
        grad,
        weights,
        torch.tensor([0]),
        torch.tensor([0, width]),
        torch.tensor([0, rows]),
        indices,
        offsets,
        MEAN,
    )
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        alone = pk.tbe_backward_dense(*arguments)
        torch.set_num_threads(4)
        assert torch.equal(pk.tbe_backward_dense(*arguments), alone)
    finally:
        torch.set_num_threads(before)
    table = weights.view(rows, width).clone().requires_grad_()
    torch.nn.functional.embedding_bag(indices, table, offsets[:-1], mode="mean").backward(grad)
    torch.testing.assert_close(alone, table.grad.flatten(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", [SUM, MEAN, NONE])
@pytest.mark.parametrize(("dims", "batch"), [([], 0), ([4], 0), ([0, 0], 3), ([4, 4], 3)])
def test_there_may_be_no_tables_samples_columns_or_indices(dims, batch, mode, device, rng):
    case = random_tables(rng, dims, batch, 0, pooling_mode=mode).to(device)
    grad = torch.ones_like(pk.tbe_forward(*case.arguments()))
    got = pk.tbe_backward_dense(grad, *backward_arguments(case))
    assert got.shape == case.weights.shape
    assert not got.any()
    if mode != NONE:
        assert pk.tbe_backward_indice_weights(grad, *backward_arguments(case)[:-1]).shape == (0,)


def test_indices_of_no_bag_have_no_gradient(device, rng):
    case = random_tables(rng, [4, 4], 2, 3)
    case.indices = torch.cat([case.indices, torch.tensor([10**9, -5])])
    moved = backward_arguments(case.to(device))
    grad = torch.ones(2, 8, device=device)
    got = pk.tbe_backward_indice_weights(grad, *moved[:-1]).cpu()
    assert got[-2:].tolist() == [0, 0]
    assert float(pk.tbe_backward_dense(grad, *moved).sum()) == 4 * (case.indices.numel() - 2)


@pytest.mark.parametrize("name", ["tbe_backward_dense", "tbe_backward_indice_weights"])
def test_a_bad_gradient_is_an_error(name, device, rng):
    case = random_tables(rng, [4, 4], 2, 3).to(device)
    arguments = backward_arguments(case)[:-1]
    call = getattr(pk, name)
    for shape, message in (((2, 2, 2), "`grad` must be 2-D"), ((3, 8), "must have the shape of")):
        with pytest.raises(RuntimeError, match=f"pinwheel::{name}: .*{message}"):
            call(torch.zeros(shape, device=device), *arguments)
    with pytest.raises(RuntimeError, match=f"pinwheel::{name}: `grad` must hold .* not Double"):
        call(torch.zeros(2, 8, device=device, dtype=torch.float64), *arguments)


@pytest.mark.parametrize("name", ["tbe_backward_dense", "tbe_backward_indice_weights"])
def test_a_bad_index_is_an_error_on_the_cpu(name, rng):
    case = random_tables(rng, [4, 4], 2, 3)
    case.indices = torch.cat([case.indices, case.indices.new_full((1,), 50)])
    case.offsets[-1] += 1
    with pytest.raises(RuntimeError, match=f"pinwheel::{name}: .* is 50 but table 1 has"):
        getattr(pk, name)(torch.zeros(2, 8), *backward_arguments(case)[:-1])


def test_partly_overlapping_tables_have_no_gradient_on_the_cpu(rng):
    case = random_tables(rng, [4, 4], 2, 3, most_rows=9)
    case.hash_size_cumsum = torch.tensor([0, 1, 2])
    case.indices[:] = 0
    case.weights = torch.zeros(8)
    case.weights_offsets = torch.tensor([0, 3])
    with pytest.raises(RuntimeError, match="tbe_backward_dense: the table from element 3 .* overlaps"):
        pk.tbe_backward_dense(torch.zeros(2, 8), *backward_arguments(case))


def test_weights_of_indices_need_pooling(rng):
    case = random_tables(rng, [4, 4], 2, 3, pooling_mode=NONE)
    with pytest.raises(RuntimeError, match="indice_weights: `indice_weights` require pooling"):
        pk.tbe_backward_indice_weights(
            torch.zeros(case.indices.numel(), 4), *backward_arguments(case)[:-1]
        )


def test_the_backward_operators_pass_opcheck(device, rng):
    case = random_tables(rng, [4, 4], 3, 4, weighted=True).to(device)
    grad = torch.randn(3, 8, device=device, requires_grad=True)
    arguments = backward_arguments(case)
    ops = torch.ops.pinwheel
    torch.library.opcheck(ops.tbe_backward_dense.default, (grad, *arguments))
    torch.library.opcheck(ops.tbe_backward_indice_weights.default, (grad, *arguments[:-1]))
    case.weights.requires_grad_()
    case.indice_weights.requires_grad_()
    torch.library.opcheck(ops.tbe_forward.default, (*case.arguments(), DTYPE_NUMBERS[torch.float32]))


def test_a_compiled_loss_has_gradients(device, rng):
    case = random_tables(rng, [4, 7], 3, 4, weighted=True).to(device)
    case.weights.requires_grad_()
    _, *others = case.arguments()

    def loss(weights: torch.Tensor) -> torch.Tensor:
        return (pk.tbe_forward(weights, *others) * 3).sum()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    (expected,) = torch.autograd.grad(loss(case.weights), case.weights)
    (got,) = torch.autograd.grad(compiled(case.weights), case.weights)
    torch.testing.assert_close(got, expected)


def test_a_table_without_columns_may_have_any_number_of_rows(device):
    ints = [torch.tensor(n, device=device) for n in ([0, 0], [0, 0, 2], [0, 2**40, 2**40 + 3], [7, 1], [0, 1, 2])]
    grad, weights = torch.ones(1, 2, device=device), torch.zeros(6, device=device)
    got = pk.tbe_backward_dense(grad, weights, *ints, 0)
    assert got.tolist() == [0, 0, 1, 1, 0, 0]
