"""What the embedding optimizers have in common: errors, empty inputs, bitwise reproducible results."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from conftest import COMPUTE
from embedding_tables import MEAN, NONE, SUM, Batch, random_batch

import pinwheel_kernels as pk


def sgd(batch: Batch, **options: float) -> None:
    pk.tbe_backward_sgd_(*batch.arguments(), 0.5, **options)


def adagrad(batch: Batch, **options: float) -> None:
    momentum = torch.ones(int(batch.hash_size_cumsum[-1]), device=batch.weights.device)
    pk.tbe_backward_rowwise_adagrad_(*batch.with_momentum(momentum), 0.5, 1e-3, **options)


NAMES = {sgd: "tbe_backward_sgd_", adagrad: "tbe_backward_rowwise_adagrad_"}
both = pytest.mark.parametrize("update", NAMES, ids=["sgd", "adagrad"])


@both
@pytest.mark.parametrize("pooling", [SUM, MEAN, NONE])
@pytest.mark.parametrize(
    ("rows", "widths", "samples", "longest"),
    [
        ([3, 4], [4, 4], 0, 2),
        ([3, 4], [4, 4], 3, 0),
        ([0, 0], [4, 4], 3, 2),
        ([3, 4], [0, 0], 3, 2),
        ([0, 4, 0], [5, 5, 5], 2, 3),
    ],
)
def test_empty_inputs_are_legal(rows, widths, samples, longest, pooling, update, device, rng):
    batch = random_batch(rng, rows, widths, samples, longest, pooling)
    there = batch.copy().to(device)
    update(there)
    assert there.weights.shape == batch.weights.shape
    if len(batch.indices) == 0:
        assert torch.equal(there.weights.cpu(), batch.weights)


@both
def test_indices_past_the_last_bag_are_ignored(update, device, rng):
    batch = random_batch(rng, [9, 5], [4, 6], 7, 3).to(device)
    longer = batch.copy()
    longer.indices = torch.cat([batch.indices, torch.tensor([0, 2**40], device=device)])
    update(batch)
    update(longer)
    assert torch.equal(batch.weights, longer.weights)


@both
def test_tables_without_columns_among_others(update, device, rng):
    batch = random_batch(rng, [5, 2**40, 6], [3, 0, 4], 4, 2).to(device)
    alone = batch.copy()
    if update is sgd:  # the momentum of 2**40 rows does not fit in memory
        update(batch)
        assert not torch.equal(batch.weights, alone.weights)


@both
@pytest.mark.parametrize("pooling", [SUM, MEAN, NONE])
@pytest.mark.parametrize("weighted", [False, True])
def test_results_are_bitwise_identical_for_any_number_of_threads(weighted, pooling, update, rng):
    if weighted and pooling == NONE:
        pytest.skip("weights need pooling")
    batch = random_batch(rng, [30_000, 7, 900], [12, 12, 12], 2500, 25, pooling, weighted)
    batch.indices[::3] = batch.indices[::3].clamp(max=6)  # frequent rows
    before = torch.get_num_threads()
    results = []
    try:
        for threads in (1, 2, 3, 8, 1):
            torch.set_num_threads(threads)
            there = batch.copy()
            update(there)
            results.append(there.weights)
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(results[0], other) for other in results[1:])


@both
def test_two_runs_are_bitwise_identical(update, device, rng):
    batch = random_batch(rng, [40, 7], [48, 20], 300, 9, weighted=True).to(device)
    first, second = batch.copy(), batch.copy()
    update(first)
    update(second)
    assert torch.equal(first.weights, second.weights)


@both
def test_frequent_rows_get_the_same_bits_in_every_run(update, gpu, rng):
    samples = 40 if COMPUTE == "emulated" else 2048
    batch = random_batch(rng, [50, 3], [64, 20], samples, 40).to(gpu)
    results = [batch.copy() for _ in range(3 if COMPUTE == "emulated" else 10)]
    for result in results:
        update(result)
    assert all(torch.equal(results[0].weights, other.weights) for other in results[1:])


@both
def test_non_contiguous_gradients_and_lists_are_supported(update, device, rng):
    batch = random_batch(rng, [9, 5], [4, 6], 7, 3, weighted=True).to(device)
    strided = batch.copy()
    strided.grad = batch.grad.t().contiguous().t()
    for name in ("indices", "offsets", "D_offsets", "weights_offsets", "indice_weights"):
        twice = getattr(batch, name).repeat_interleave(2)[::2]
        setattr(strided, name, twice)
        assert not twice.is_contiguous() or twice.numel() < 2
    update(strided)
    update(batch)
    assert torch.equal(strided.weights, batch.weights)


def change(**fields: object):
    """Changes fields of a batch; a function computes the new value from the old one."""

    def apply(batch: Batch) -> None:
        for name, value in fields.items():
            setattr(batch, name, value(getattr(batch, name)) if callable(value) else value)

    return apply


def put(name: str, at: int, value: int):
    def apply(batch: Batch) -> None:
        getattr(batch, name)[at] = value

    return apply


SHAPES = [
    (change(weights=lambda w: w.view(1, -1)), "`weights` must be 1-D"),
    (change(weights=lambda w: w.repeat_interleave(2)[::2]), "`weights` must be contiguous"),
    (change(weights=lambda w: w.double()), "`weights` must hold float32, .*not Double"),
    (change(grad=lambda g: g.double()), "`grad` must hold float32, .*not Double"),
    (change(grad=lambda g: g[0]), "`grad` must be 2-D"),
    (change(grad=lambda g: g[1:]), r"`grad` must have the shape of the result, \[4, 8\]"),
    (change(D_offsets=lambda d: d[:1]), "`D_offsets` must be 1-D with 3 elements"),
    (change(D_offsets=lambda d: d.float()), "`D_offsets` must hold int32 or int64"),
    (change(weights_offsets=lambda w: w.int()), "`weights_offsets` must hold Long, not Int"),
    (change(hash_size_cumsum=lambda h: h[1:]), "`hash_size_cumsum` must be 1-D with 3 elements"),
    (change(hash_size_cumsum=lambda h: h.int()), "`hash_size_cumsum` must hold Long"),
    (change(indices=lambda i: i.int()), "must have the same dtype"),
    (change(offsets=lambda o: o[1:]), "one element more than a multiple of the 2 tables"),
    (change(offsets=lambda o: o[:0]), "one element more than a multiple of the 2 tables"),
    (change(pooling_mode=3), "`pooling_mode` must be .* not 3"),
    (change(indice_weights=torch.ones(3)), "`indice_weights` must be 1-D with 9 elements"),
    (
        change(indice_weights=lambda _: torch.ones(9, dtype=torch.float64)),
        "`indice_weights` must hold Float, not Double",
    ),
    (
        change(pooling_mode=NONE, grad=torch.zeros(9, 4), indice_weights=torch.ones(9)),
        "`indice_weights` require pooling",
    ),
]

CONTENTS = [
    (put("D_offsets", 0, 1), "`D_offsets` must span 0 .* not from 1 to 8"),
    (put("D_offsets", 1, -2), "`D_offsets` decreases after table 0"),
    (put("D_offsets", 2, 7), "which is 8, not from 0 to 7"),
    (put("hash_size_cumsum", 0, -1), "table 0 of 6 rows .* does not fit"),
    (put("hash_size_cumsum", 2, 4), "`hash_size_cumsum` decreases after table 1"),
    (put("hash_size_cumsum", 2, 12), "table 1 of 7 rows of 4 .* does not fit in `weights`, .* 40"),
    (put("hash_size_cumsum", 2, 2**62), "table 1 of .* does not fit"),
    (put("weights_offsets", 1, -4), "table 1 of 5 rows of 4 from -4 on does not fit"),
    (put("weights_offsets", 1, 24), "table 1 of 5 rows of 4 from 24 on does not fit"),
    (put("weights_offsets", 1, 19), "starts at element 19 .* overlaps .* ends at 20"),
    (put("weights_offsets", 1, 0), "starts at element 0 .* overlaps .* ends at 20"),
    (put("offsets", 0, 1), "`offsets` must start with 0, not 1"),
    (put("offsets", 3, 7), "`offsets` decreases from 7 to 4 at position 4"),
    (put("offsets", 8, 10), "`offsets` ends at 10 but there are only 9 indices"),
    (put("indices", 2, 5), r"`indices\[2\]` is 5 but table 0 has 5 rows"),
    (put("indices", 8, -1), r"`indices\[8\]` is -1 but table 1 has 5 rows"),
]


def small_batch() -> Batch:
    """2 tables of 5 rows, each 4 wide; 4 samples, 9 indices."""
    return Batch(
        grad=torch.ones(4, 8),
        weights=torch.ones(40),
        weights_offsets=torch.tensor([0, 20]),
        D_offsets=torch.tensor([0, 4, 8]),
        hash_size_cumsum=torch.tensor([0, 5, 10]),
        indices=torch.tensor([0, 1, 2, 3, 4, 0, 1, 2, 4]),
        offsets=torch.tensor([0, 2, 2, 3, 4, 5, 7, 7, 9]),
    )


@both
@pytest.mark.parametrize(("spoil", "message"), SHAPES, ids=[m for _, m in SHAPES])
def test_inconsistent_arguments_are_an_error(spoil, message, update, device):
    batch = small_batch().to(device)  # moved first, because a copy would be contiguous
    spoil(batch)
    with pytest.raises(RuntimeError, match=f"pinwheel::{NAMES[update]}: .*{message}"):
        update(batch.to(device))


@both
@pytest.mark.parametrize(("spoil", "message"), CONTENTS, ids=[m for _, m in CONTENTS])
def test_out_of_range_contents_are_errors_on_the_cpu_and_change_nothing(
    spoil, message, update
):
    batch = small_batch()
    spoil(batch)
    momentum = torch.zeros(10)
    with pytest.raises(RuntimeError, match=f"pinwheel::{NAMES[update]}: .*{message}"):
        if update is sgd:
            sgd(batch)
        else:
            pk.tbe_backward_rowwise_adagrad_(*batch.with_momentum(momentum), 0.5, 1e-3)
    assert torch.equal(batch.weights, torch.ones(40))
    assert torch.equal(momentum, torch.zeros(10))


@pytest.mark.parametrize(
    "where", ["D_offsets", "hash_size_cumsum", "weights_offsets", "offsets", "indices"]
)
@pytest.mark.parametrize("value", [-(2**62), -1, 2**62])
def test_out_of_range_contents_are_harmless_on_a_gpu(value, where, gpu):
    batch = small_batch()
    getattr(batch, where)[1] = value
    there = batch.to(gpu)
    momentum = torch.zeros(10, device=gpu)
    pk.tbe_backward_rowwise_adagrad_(*there.with_momentum(momentum), 0.5, 1e-3)
    assert bool(there.weights.isfinite().all())


@both
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight_decay_mode": 3}, "`weight_decay_mode` must be .* not 3"),
        ({"weight_decay_mode": -1}, "`weight_decay_mode` must be .* not -1"),
        ({"max_norm": -1.0}, "`max_norm` must not be negative"),
        ({"max_norm": float("nan")}, "`max_norm` must not be negative, it is nan"),
    ],
)
def test_invalid_options_are_errors(options, message, update, device):
    with pytest.raises(RuntimeError, match=f"pinwheel::{NAMES[update]}: .*{message}"):
        update(small_batch().to(device), **options)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda m: m.double(), "1-D of float32, not of Double"),
        (lambda m: m.view(1, 10), r"and shape \[1, 10\]"),
        (lambda m: m.repeat_interleave(2)[::2], "must be contiguous"),
    ],
)
def test_an_invalid_momentum_is_an_error(spoil, message, device):
    batch = small_batch().to(device)
    momentum = spoil(torch.zeros(10, device=device))
    with pytest.raises(RuntimeError, match=f"{NAMES[adagrad]}: `momentum1` .*{message}"):
        pk.tbe_backward_rowwise_adagrad_(*batch.with_momentum(momentum), 0.5, 1e-3)


def test_a_momentum_that_is_too_short_is_an_error_on_the_cpu():
    batch = small_batch()
    with pytest.raises(RuntimeError, match="for each of the 10 rows, it has 9"):
        pk.tbe_backward_rowwise_adagrad_(*batch.with_momentum(torch.zeros(9)), 0.5, 1e-3)


@pytest.mark.parametrize("pooling", [SUM, NONE])
def test_the_operators_pass_opcheck(pooling, device, rng):
    batch = random_batch(rng, [9, 5], [4, 4], 7, 3, pooling).to(device)
    torch.library.opcheck(torch.ops.pinwheel.tbe_backward_sgd_.default, (*batch.arguments(), 0.5))
    momentum = torch.ones(14, device=device)
    operator = torch.ops.pinwheel.tbe_backward_rowwise_adagrad_.default
    torch.library.opcheck(operator, (*batch.with_momentum(momentum), 0.5, 1e-3))


@both
def test_it_runs_under_torch_compile(update, device, rng):
    def step(batch: Batch) -> None:
        update(batch, max_norm=1.0)

    for samples in (3, 8):
        batch = random_batch(rng, [9, 5], [4, 6], samples, 3).to(device)
        other = batch.copy()
        momentum = torch.ones(14, device=device)

        @torch.compile(backend="eager", fullgraph=True, dynamic=True)
        def run(grad, weights, momentum, indices, offsets, batch=batch):
            lists = (batch.weights_offsets, batch.D_offsets, batch.hash_size_cumsum)
            rest = (indices, offsets, SUM, None, 0.5)
            if update is sgd:
                pk.tbe_backward_sgd_(grad, weights, *lists, *rest, max_norm=1.0)
            else:
                pk.tbe_backward_rowwise_adagrad_(
                    grad, weights, momentum, *lists, *rest, 1e-3, max_norm=1.0
                )
            return weights + 0

        got = run(batch.grad, batch.weights, momentum, batch.indices, batch.offsets)
        step(other)
        assert torch.equal(got, other.weights)


def test_rows_beyond_2_to_the_31_elements_are_updated():
    """Untouched pages take no memory, so only the rows that are looked up do."""
    width, rows = 64, 2**25 + 16
    try:
        weights = torch.empty(width * rows, dtype=torch.float16)
        momentum = torch.zeros(rows)
    except RuntimeError:
        pytest.skip("cannot reserve 4 GiB of address space here")
    wanted = [0, 2**25 - 1, 2**25, rows - 1]
    table = weights.view(rows, width)
    for row in wanted:
        table[row] = 1
    indices = torch.tensor(wanted)
    lists = (torch.tensor([0]), torch.tensor([0, width]), torch.tensor([0, rows]))
    grad = torch.arange(1.0, 5.0)[:, None].expand(4, width)
    pk.tbe_backward_sgd_(grad, weights, *lists, indices, torch.arange(5), SUM, None, 0.25)
    assert torch.equal(table[indices].float(), 1 - 0.25 * grad)
    pk.tbe_backward_rowwise_adagrad_(
        grad, weights, momentum, *lists, indices, torch.arange(5), SUM, None, 0.25, 0.0
    )
    assert torch.equal(table[indices].float(), 1 - 0.25 * grad - 0.25)
    assert momentum[indices].tolist() == [1, 4, 9, 16]


@both
def test_a_gradient_that_needs_the_old_weights_is_refused(update, device, rng):
    batch = random_batch(rng, [9, 5], [4, 6], 7, 3).to(device)
    factor = torch.ones_like(batch.weights).requires_grad_()
    product = (batch.weights * factor).sum()
    update(batch)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


@both
def test_weights_that_require_a_gradient_do_not_change(update, device, rng):
    batch = random_batch(rng, [9, 5], [4, 6], 7, 3).to(device)
    before = batch.weights.clone()
    batch.weights.requires_grad_()
    with pytest.raises(RuntimeError, match=f"{NAMES[update]}: `weights` cannot be changed in place"):
        update(batch)
    assert torch.equal(batch.weights, before)
    with torch.no_grad():
        update(batch)
    assert not torch.equal(batch.weights, before)


@both
def test_meta_tensors_without_tables_are_valid(update, rng):
    batch = random_batch(rng, [], [], 0, 0).to(torch.device("meta"))
    if update is sgd:
        update(batch)
    else:
        momentum = torch.zeros(0, device="meta")
        pk.tbe_backward_rowwise_adagrad_(*batch.with_momentum(momentum), 0.5, 1e-3)
    with pytest.raises(RuntimeError, match=f"{NAMES[sgd]}: `offsets` must be 1-D"):
        pk.tbe_backward_sgd_(*replace(batch, offsets=batch.offsets[0]).arguments(), 0.5)
