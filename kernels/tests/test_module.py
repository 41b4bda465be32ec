from __future__ import annotations

import copy
import os
import random

import pytest
import torch
from tables import MEAN, NONE, SUM
from torch.utils.checkpoint import checkpoint

import pinwheel_kernels as pk
from pinwheel_kernels import _module
from pinwheel_kernels._register import is_built

MODES = {"sum": SUM, "mean": MEAN, "none": NONE}
FUSED = ["sgd", "rowwise_adagrad"]


def needs(optimizer: str) -> None:
    if not is_built(_module._UPDATES[optimizer]):
        pytest.skip(f"this build has no optimizer `{optimizer}`")


def random_bags(
    rng: random.Random, specs: list[tuple[int, int]], batch: int, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    lengths = [rng.randint(0, 5) for _ in range(len(specs) * batch)]
    indices = [
        rng.randrange(specs[at // batch][0]) for at, n in enumerate(lengths) for _ in range(n)
    ]
    offsets = torch.tensor([0, *lengths]).cumsum(0)
    return torch.tensor(indices, dtype=torch.int64).to(device), offsets.to(device)


def plain_lookup(
    tables: list[torch.Tensor],
    indices: torch.Tensor,
    offsets: torch.Tensor,
    mode: str,
    per_sample_weights: torch.Tensor | None = None,
) -> torch.Tensor:
    """One embedding_bag per table."""
    batch = (offsets.numel() - 1) // len(tables)
    parts = []
    for t, table in enumerate(tables):
        first, last = int(offsets[t * batch]), int(offsets[(t + 1) * batch])
        bags = offsets[t * batch : (t + 1) * batch + 1] - first
        if mode == "none":
            parts.append(table[indices[first:last]])
            continue
        weights = None if per_sample_weights is None else per_sample_weights[first:last]
        parts.append(
            torch.nn.functional.embedding_bag(
                indices[first:last],
                table,
                bags,
                mode=mode,
                include_last_offset=True,
                per_sample_weights=weights,
            )
        )
    return torch.cat(parts, 0 if mode == "none" else 1)


SPECS = [(7, 4), (20, 12), (3, 5)]
EVEN = [(7, 4), (20, 4)]


@pytest.mark.parametrize("mode", MODES)
def test_it_matches_one_embedding_bag_per_table(mode, device, rng):
    specs = EVEN if mode == "none" else SPECS
    module = pk.TableBatchedEmbeddingBags(specs, pooling_mode=mode, device=device)
    indices, offsets = random_bags(rng, specs, 4, device)
    tables = [t.clone().requires_grad_() for t in module.split_embedding_weights()]
    expected = plain_lookup(tables, indices, offsets, mode)
    got = module(indices, offsets)
    torch.testing.assert_close(got, expected)
    grad = torch.randn_like(got)
    got.backward(grad)
    expected.backward(grad)
    flat = torch.cat([t.grad.flatten() for t in tables])
    torch.testing.assert_close(module.weights.grad, flat)


def test_weights_of_samples_get_gradients_with_and_without_an_optimizer(device, rng):
    indices, offsets = random_bags(rng, SPECS, 4, device)
    values = torch.rand(indices.numel(), device=device)
    for optimizer in ["none", *filter(lambda o: is_built(_module._UPDATES[o]), FUSED)]:
        module = pk.TableBatchedEmbeddingBags(SPECS, optimizer=optimizer, device=device)
        tables = [t.clone() for t in module.split_embedding_weights()]
        per_sample = [values.clone().requires_grad_() for _ in range(2)]
        got = module(indices, offsets, per_sample[0])
        expected = plain_lookup(tables, indices, offsets, "sum", per_sample[1])
        torch.testing.assert_close(got, expected)
        grad = torch.randn_like(got)
        got.backward(grad)
        expected.backward(grad)
        torch.testing.assert_close(per_sample[0].grad, per_sample[1].grad)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("optimizer", FUSED)
def test_the_backward_pass_updates_the_tables(optimizer, mode, device, rng):
    needs(optimizer)
    specs = EVEN if mode == "none" else SPECS
    module = pk.TableBatchedEmbeddingBags(
        specs,
        pooling_mode=mode,
        optimizer=optimizer,
        learning_rate=0.1,
        eps=1e-3,
        device=device,
    )
    assert not list(module.parameters())
    for _ in range(3):
        indices, offsets = random_bags(rng, specs, 4, device)
        tables = [t.clone().requires_grad_() for t in module.split_embedding_weights()]
        before = None if module.momentum1 is None else module.momentum1.clone()
        expected = plain_lookup(tables, indices, offsets, mode)
        got = module(indices, offsets)
        torch.testing.assert_close(got, expected)
        grad = torch.randn_like(got)
        got.backward(grad)
        expected.backward(grad)
        if optimizer == "rowwise_adagrad":
            momentum = before + torch.cat([t.grad.square().mean(1) for t in tables])
            torch.testing.assert_close(module.momentum1, momentum)
            steps = (0.1 / (momentum.sqrt() + 1e-3)).split([rows for rows, _ in specs])
        else:
            steps = [torch.full((rows,), 0.1, device=device) for rows, _ in specs]
        for table, step, now in zip(tables, steps, module.split_embedding_weights(), strict=True):
            torch.testing.assert_close(now, table.detach() - step[:, None] * table.grad)


@pytest.mark.parametrize("optimizer", FUSED)
def test_two_lookups_before_the_backward_pass_are_fine(optimizer, device, rng):
    needs(optimizer)
    module = pk.TableBatchedEmbeddingBags(SPECS, optimizer=optimizer, device=device)
    first = module(*random_bags(rng, SPECS, 4, device))
    second = module(*random_bags(rng, SPECS, 4, device))
    before = module.weights.clone()
    (first.sum() + second.sum()).backward()
    assert not torch.equal(module.weights, before)


@pytest.mark.parametrize("optimizer", FUSED)
def test_without_gradients_nothing_changes(optimizer, device, rng):
    needs(optimizer)
    module = pk.TableBatchedEmbeddingBags(SPECS, optimizer=optimizer, device=device)
    with torch.no_grad():
        assert not module(*random_bags(rng, SPECS, 4, device)).requires_grad


@pytest.mark.parametrize("optimizer", FUSED)
def test_the_learning_rate_can_be_changed(optimizer, device, rng):
    needs(optimizer)
    module = pk.TableBatchedEmbeddingBags(SPECS, optimizer=optimizer, device=device)
    before = module.weights.clone()
    out = module(*random_bags(rng, SPECS, 4, device))
    module.set_learning_rate(0.0)
    out.sum().backward()
    assert torch.equal(module.weights, before)


@pytest.mark.parametrize("optimizer", ["none", *FUSED])
def test_the_state_can_be_saved_and_loaded(optimizer, device, rng):
    if optimizer != "none":
        needs(optimizer)
    modules = [
        pk.TableBatchedEmbeddingBags(SPECS, optimizer=optimizer, device=device) for _ in range(2)
    ]
    bags = random_bags(rng, SPECS, 4, device)
    modules[0](*bags).sum().backward()
    state = copy.deepcopy(modules[0].state_dict())
    assert set(state) == {"weights"} | ({"momentum1"} if optimizer == "rowwise_adagrad" else set())
    modules[1].load_state_dict(state)
    assert torch.equal(modules[0](*bags), modules[1](*bags))
    if optimizer == "rowwise_adagrad":
        assert modules[1].momentum1.any()
        assert torch.equal(modules[0].momentum1, modules[1].momentum1)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_tables_and_results_may_have_16_bits(dtype, device, rng):
    module = pk.TableBatchedEmbeddingBags(
        SPECS, weights_precision=dtype, output_dtype=dtype, device=device
    )
    indices, offsets = random_bags(rng, SPECS, 4, device)
    got = module(indices, offsets)
    assert got.dtype == module.weights.dtype == dtype
    tables = [t.float() for t in module.split_embedding_weights()]
    expected = plain_lookup(tables, indices, offsets, "sum")
    torch.testing.assert_close(got.float(), expected, rtol=1e-2, atol=1e-2)


def test_a_torch_optimizer_trains_it_as_it_trains_embedding_bags(device, rng):
    module = pk.TableBatchedEmbeddingBags(SPECS, device=device)
    tables = [t.clone().requires_grad_() for t in module.split_embedding_weights()]
    optimizers = [torch.optim.Adam(module.parameters()), torch.optim.Adam(tables)]
    for _ in range(5):
        indices, offsets = random_bags(rng, SPECS, 8, device)
        lookups = [module(indices, offsets), plain_lookup(tables, indices, offsets, "sum")]
        for optimizer, out in zip(optimizers, lookups, strict=True):
            optimizer.zero_grad()
            (out - 1).square().mean().backward()
            optimizer.step()
    for ours, table in zip(module.split_embedding_weights(), tables, strict=True):
        torch.testing.assert_close(ours, table.detach())


def test_views_of_the_tables_can_be_written_to(device):
    module = pk.TableBatchedEmbeddingBags(SPECS, device=device)
    for t, table in enumerate(module.split_embedding_weights()):
        assert table.shape == SPECS[t]
        table.fill_(t)
    one_each = torch.arange(4, device=device)
    got = module(torch.zeros(3, dtype=torch.int64, device=device), one_each)
    assert got[0].tolist() == [0.0] * 4 + [1.0] * 12 + [2.0] * 5


def test_it_moves_and_copies_as_modules_do(rng):
    module = pk.TableBatchedEmbeddingBags(SPECS, device="meta")
    assert module.weights.is_meta
    module = module.to_empty(device="cpu")
    assert module.weights.shape == (7 * 4 + 20 * 12 + 3 * 5,)
    other = copy.deepcopy(pk.TableBatchedEmbeddingBags(SPECS))
    assert other(*random_bags(rng, SPECS, 2, torch.device("cpu"))).shape == (2, 21)
    assert "(7, 4)" in repr(other)


@pytest.mark.parametrize(
    ("specs", "options", "message"),
    [
        ([], {}, "must list"),
        ([(-1, 4)], {}, "must list"),
        ([(1.5, 4)], {}, "must list"),
        ([3, 4], {}, "must list"),
        (SPECS, {"max_norm": -1.0}, "`max_norm` is -1.0; it must not be negative"),
        (SPECS, {"pooling_mode": "max"}, "`pooling_mode` is `max`; it must be one of `sum`"),
        (SPECS, {"pooling_mode": "none"}, "the same number of columns"),
        (SPECS, {"weights_precision": torch.int8}, "`weights_precision` is `torch.int8`"),
        (SPECS, {"output_dtype": torch.float64}, "`output_dtype` is `torch.float64`"),
        (SPECS, {"optimizer": "adam"}, "`optimizer` is `adam`; it must be one of `none`"),
        (SPECS, {"weight_decay_mode": "l1"}, "`weight_decay_mode` is `l1`"),
    ],
)
def test_invalid_options_are_an_error(specs, options, message):
    with pytest.raises(ValueError, match=message):
        pk.TableBatchedEmbeddingBags(specs, **options)


@pytest.mark.parametrize("optimizer", FUSED)
def test_an_optimizer_that_is_not_built_is_an_error(optimizer, monkeypatch):
    monkeypatch.setattr(_module, "is_built", lambda name: False)
    with pytest.raises(RuntimeError, match=f"has no optimizer `{optimizer}`: it lacks the operator"):
        pk.TableBatchedEmbeddingBags(SPECS, optimizer=optimizer)


def test_a_compiled_module_gives_the_same(device, rng):
    module = pk.TableBatchedEmbeddingBags(SPECS, pooling_mode="mean", device=device)
    compiled = torch.compile(module, backend="eager", fullgraph=True, dynamic=True)
    for batch in (3, 5):
        bags = random_bags(rng, SPECS, batch, device)
        torch.testing.assert_close(compiled(*bags), module(*bags))


@pytest.mark.parametrize("optimizer", ["none", *FUSED])
def test_it_works_after_construction_on_meta(optimizer, device):
    specs = [(3, 4), (2, 4)]
    module = pk.TableBatchedEmbeddingBags(specs, optimizer=optimizer, device="meta").to_empty(device=device)
    whole = pk.TableBatchedEmbeddingBags(specs, optimizer=optimizer, device=device)
    module.load_state_dict(whole.state_dict())
    bags = torch.tensor([0, 1], device=device), torch.tensor([0, 1, 2], device=device)
    assert torch.equal(module(*bags), whole(*bags))


@pytest.mark.parametrize("optimizer", ["none", *FUSED])
def test_it_works_under_activation_checkpointing(optimizer, device):
    module = pk.TableBatchedEmbeddingBags([(3, 4)], optimizer=optimizer, device=device)
    twin = copy.deepcopy(module)
    bags = torch.tensor([0, 2], device=device), torch.tensor([0, 2], device=device)
    weights = torch.rand(2, device=device)
    gradients = []
    for run in (lambda *a: module(*a), lambda *a: checkpoint(twin, *a, use_reentrant=False)):
        per_sample = weights.clone().requires_grad_()
        run(*bags, per_sample).sum().backward()
        gradients.append(per_sample.grad)
    assert torch.equal(*gradients)
    assert torch.equal(module.weights, twin.weights)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("optimizer", FUSED)
def test_a_compiled_module_is_not_recompiled_for_a_learning_rate(optimizer, backend, device, rng):
    needs(optimizer)
    torch._dynamo.reset()  # the compilations of other cases count towards its limit
    module = pk.TableBatchedEmbeddingBags(SPECS, optimizer=optimizer, device=device)
    twin = copy.deepcopy(module)
    compiled = torch.compile(module, backend=backend, fullgraph=True)
    bags = random_bags(rng, SPECS, 4, device)
    compiled(*bags)
    with torch._dynamo.config.patch(error_on_recompile=True):
        for rate in (0.1, 0.01, 0.001):
            for of in (module, twin):
                of.set_learning_rate(rate)
            compiled(*bags).sum().backward()
            twin(*bags).sum().backward()
            assert torch.equal(module.weights, twin.weights)
        out, before = compiled(*bags), module.weights.clone()
        module.set_learning_rate(0.0)
        out.sum().backward()
        assert torch.equal(module.weights, before)


@pytest.mark.parametrize("optimizer", ["none", *FUSED])
def test_a_module_compiled_by_inductor_gives_the_same_on_a_gpu(optimizer, gpu, rng):
    if gpu.type != "cuda":
        pytest.skip("the emulator's tensors are on the CPU")
    if "PYTORCH_NO_CUDA_MEMORY_CACHING" in os.environ:
        pytest.skip("compute-sanitizer would check inductor's kernels")
    if optimizer != "none":
        needs(optimizer)
    torch._dynamo.reset()
    module = pk.TableBatchedEmbeddingBags(SPECS, optimizer=optimizer, device=gpu)
    twin = copy.deepcopy(module)
    compiled = torch.compile(twin)
    bags = random_bags(rng, SPECS, 16, gpu)
    for _ in range(3):
        results = [each(*bags) for each in (module, compiled)]
        torch.testing.assert_close(*results)
        for result in results:
            result.square().sum().backward()
    torch.testing.assert_close(module.weights, twin.weights)
    if optimizer == "none":
        torch.testing.assert_close(module.weights.grad, twin.weights.grad)


@pytest.mark.parametrize("optimizer", FUSED)
def test_a_second_gradient_is_refused_if_the_first_changed_the_tables(optimizer, device):
    needs(optimizer)
    module = pk.TableBatchedEmbeddingBags([(3, 4)], optimizer=optimizer, device=device)
    bags = torch.tensor([0, 2], device=device), torch.tensor([0, 2], device=device)
    weights = torch.rand(2, device=device, requires_grad=True)
    out = module(*bags, weights)
    (first,) = torch.autograd.grad((out**2).sum(), weights, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


def test_the_momentum_stays_float32_where_weights_change_their_dtype(device):
    needs("rowwise_adagrad")
    module = pk.TableBatchedEmbeddingBags([(3, 4)], optimizer="rowwise_adagrad", device=device)
    bags = torch.tensor([0, 2], device=device), torch.tensor([0, 2], device=device)
    module(*bags).sum().backward()
    momentum = module.momentum1 + 1e-5
    module.momentum1.copy_(momentum)
    module = module.half()
    assert module.weights.dtype == torch.float16
    assert torch.equal(module.momentum1, momentum)
    module(*bags).sum().backward()
    assert torch.equal(module.momentum1 > momentum, torch.tensor([True, False, True], device=device))
