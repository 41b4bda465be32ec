"""Every operator with empty inputs, and with "meta" tensors beside lengths and offsets that are on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map_only

import pinwheel_kernels as pk
from pinwheel_kernels._register import is_built

P = torch.ops.pinwheel
Call = dict[str, Any]


def offsets(groups: int) -> Tensor:
    return torch.arange(groups + 1)


def tables(count: int, bags: int, columns: int = 4) -> Call:
    """`count` tables of 5 rows, `bags` bags of one index for each."""
    return {
        "weights": torch.randn(count * 5 * columns),
        "weights_offsets": torch.arange(count) * 5 * columns,
        "D_offsets": torch.arange(count + 1) * columns,
        "hash_size_cumsum": torch.arange(count + 1) * 5,
        "indices": torch.zeros(count * bags, dtype=torch.int64),
        "offsets": torch.arange(count * bags + 1),
        "pooling_mode": 0,
    }


def grad(count: int, bags: int) -> Call:
    return {"grad": torch.randn(bags if count else 0, count * 4)}


def lookup(count: int, bags: int) -> Call:
    return tables(count, bags) | {"total_D": count * 4}


def int8_lookup(count: int, bags: int) -> Call:
    wide = tables(count, bags, 12)
    weights = torch.zeros(count * 5 * 12, dtype=torch.uint8)
    columns = torch.arange(count + 1) * 4
    return wide | {"weights": weights, "D_offsets": columns, "total_D": count * 4}


def rows(count: int, *sizes: int) -> Tensor:
    return torch.randn(count, *sizes)


def jagged_with_dense(groups: int, columns: int) -> Call:
    return {
        "x_values": rows(groups, columns),
        "x_offsets": [offsets(groups)],
        "y": rows(groups, 2, columns),
    }


def permutation(bags: int) -> Call:
    order = torch.arange(bags).flip(0)
    one_each = torch.ones(bags, dtype=torch.int64)
    return {"permute": order, "lengths": one_each, "values": rows(bags), "permuted_lengths_sum": bags}


def pooled(samples: int, features: int) -> Call:
    starts, order = torch.arange(features + 1), torch.arange(features)
    return {
        "pooled_embs": rows(samples, features),
        "offset_dim_list": starts,
        "permute_list": order,
        "inv_offset_dim_list": starts,
        "inv_permute_list": order,
    }


def buckets(bags: int, features: int) -> Call:
    return {
        "lengths": torch.ones(features * bags, dtype=torch.int64),
        "indices": torch.arange(features * bags),
        "bucketize_pos": True,
        "sequence": True,
        "block_sizes": torch.full((features,), 10),
        "my_size": 2,
        "weights": rows(features * bags),
    }


def bounds(bags: int, features: int) -> Call:
    return {
        "rows_per_table": torch.full((features,), 10),
        "indices": torch.zeros(features * bags, dtype=torch.int64),
        "offsets": torch.arange(features * bags + 1),
        "bounds_check_mode": 1,
        "warning": torch.zeros(1, dtype=torch.int64),
    }


def vectors(groups: int, heads: int, columns: int) -> Call:
    return {
        "v": rows(groups * heads, 2),
        "a_values": rows(groups, heads * columns),
        "a_offsets": offsets(groups),
    }


ADAGRAD = {"learning_rate": 0.5, "eps": 1e-3, "indice_weights": None}
PAIRS = [(2, 3), (2, 0), (0, 3), (0, 0)]
PADDED = "jagged_dense_elementwise"
# For each operator: what makes a call from extents, the extents (the first are not empty), and its data, of which
# "meta" tensors may be passed with all else on the CPU.
CALLS: dict[str, tuple[Callable[..., Call], list[tuple[int, ...]], list[str]]] = {
    "FloatOrHalfToFused8BitRowwiseQuantized": (lambda n, d: {"t": rows(n, d)}, PAIRS, ["t"]),
    "Fused8BitRowwiseQuantizedToFloatOrHalf": (
        lambda n, d: {"input": torch.zeros(n, d + 8, dtype=torch.uint8)},
        PAIRS,
        ["input"],
    ),
    **{
        f"asynchronous_{kind}_cumsum": (lambda n: {"t_in": torch.ones(n).long()}, [(3,), (0,)], ["t_in"])
        for kind in ("complete", "exclusive", "inclusive")
    },
    "batched_dense_vec_jagged_2d_mul": (
        vectors,
        [(3, 2, 2), (0, 2, 2), (3, 0, 2), (3, 2, 0)],
        ["v", "a_values"],
    ),
    "block_bucketize_sparse_features": (buckets, PAIRS, ["indices", "weights"]),
    "bounds_check_indices": (bounds, PAIRS, ["indices", "offsets", "warning"]),
    "dense_to_jagged": (
        lambda n, d: {"dense": rows(n, 2, d), "x_offsets": [offsets(n)], "total_L": n},
        PAIRS,
        ["dense"],
    ),
    "int8_tbe_forward": (int8_lookup, PAIRS, ["weights"]),
    f"{PADDED}_add": (jagged_with_dense, PAIRS, ["x_values", "y"]),
    f"{PADDED}_add_jagged_output": (jagged_with_dense, PAIRS, ["x_values", "y"]),
    f"{PADDED}_mul": (jagged_with_dense, PAIRS, ["x_values", "y"]),
    "jagged_softmax": (
        lambda n, d: {"values": rows(n, d), "x_offsets": offsets(n), "max_L": 2},
        PAIRS,
        ["values"],
    ),
    "jagged_to_padded_dense": (
        lambda n, d: {"values": rows(n, d), "offsets": [offsets(n)], "max_lengths": [2]},
        PAIRS,
        ["values"],
    ),
    "offsets_range": (lambda n: {"offsets": offsets(n), "range_size": n}, [(3,), (0,)], ["offsets"]),
    **{
        name: (
            lambda n, d: {"t_in": rows(n, d), "lengths": torch.ones(n).long(), "max_length": 2},
            PAIRS,
            ["t_in"],
        )
        for name in ("pack_segments", "pack_segments_v2")
    },
    "permute_1D_sparse_data": (permutation, [(3,), (0,)], ["values"]),
    "permute_2D_sparse_data": (
        lambda n: permutation(n) | {"lengths": torch.ones(n, 1).long()},
        [(3,), (0,)],
        ["values"],
    ),
    "permute_pooled_embs": (pooled, PAIRS, ["pooled_embs"]),
    "permute_pooled_embs_auto_grad": (pooled, PAIRS, ["pooled_embs"]),
    "segment_sum_csr": (
        lambda n, b: {"batch_size": b, "csr_seg": offsets(n), "values": rows(n * b)},
        PAIRS,
        ["values"],
    ),
    "tbe_backward_dense": (lambda *n: tables(*n) | grad(*n), PAIRS, ["grad", "weights"]),
    "tbe_backward_indice_weights": (lambda *n: tables(*n) | grad(*n), PAIRS, ["grad", "weights"]),
    "tbe_backward_rowwise_adagrad_": (
        lambda *n: tables(*n) | grad(*n) | ADAGRAD | {"momentum1": torch.zeros(n[0] * 5)},
        PAIRS,
        ["grad", "weights", "momentum1"],
    ),
    "tbe_backward_sgd_": (
        lambda *n: tables(*n) | grad(*n) | {"learning_rate": 0.5, "indice_weights": None},
        PAIRS,
        ["grad", "weights"],
    ),
    "tbe_forward": (lookup, PAIRS, ["weights"]),
}
EMPTY_CALLS = [(name, extents) for name, (_, all_extents, _) in CALLS.items() for extents in all_extents[1:]]
MIXED_CALLS = [
    name for name in CALLS if not any(part in name for part in ("cumsum", "Fused8Bit", "offsets_range"))
]
IN_PLACE = ("bounds_check_indices", "tbe_backward_rowwise_adagrad_", "tbe_backward_sgd_")


def on(device: torch.device | str, value: Any) -> Any:
    return tree_map_only(Tensor, lambda tensor: tensor.to(device), value)


def run(name: str, call: Call) -> list[Tensor]:
    """The results that are not arguments returned as they are."""
    given = {id(tensor) for tensor in tree_leaves(call) if isinstance(tensor, Tensor)}
    results = tree_leaves(getattr(pk, name)(**call))
    return [each for each in results if isinstance(each, Tensor) and id(each) not in given]


def forms(results: list[Tensor]) -> list[tuple[torch.Size, torch.dtype]]:
    return [(each.shape, each.dtype) for each in results]


def test_every_operator_is_listed():
    assert sorted(CALLS) == pk._OPERATORS


@pytest.mark.parametrize(("name", "extents"), EMPTY_CALLS)
def test_empty_inputs_are_legal_and_have_the_declared_shapes(name, extents, device):
    make, _, _ = CALLS[name]
    call = on(device, make(*extents))
    results = run(name, call)
    assert forms(results) == forms(run(name, on("meta", make(*extents)))) or "Quantized" in name
    assert all(each.device.type == device.type for each in results)
    if name == "segment_sum_csr":
        assert results[0].tolist() == [0.0] * extents[0]


@pytest.mark.parametrize("name", MIXED_CALLS)
def test_data_without_contents_takes_lengths_on_the_cpu(name):
    make, (extents, *_), data = CALLS[name]
    call = make(*extents)
    moved = {key: on("meta", value) if key in data else value for key, value in call.items()}
    results = run(name, moved)
    assert all(each.is_meta for each in results)
    assert forms(results) == forms(run(name, on("meta", call)))
    assert bool(results) != (name in IN_PLACE)


DIFFERENTIABLE = [
    name
    for name in MIXED_CALLS
    if name not in IN_PLACE and not name.startswith(("int8", "block", "tbe_backward"))
]


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients_without_contents_take_lengths_on_the_cpu(name):
    if name == "tbe_forward" and not is_built("tbe_backward_dense"):
        pytest.skip("this flavor has no gradients of lookups")
    make, (extents, *_), data = CALLS[name]
    call = make(*extents)
    for key in data:
        call[key] = call[key].to("meta").requires_grad_()
    outputs = [each for each in run(name, call) if each.requires_grad]
    inputs = [call[key] for key in data]
    gradients = torch.autograd.grad(outputs, inputs, [torch.empty_like(each) for each in outputs])
    assert forms(gradients) == forms(inputs)
    assert all(each.is_meta for each in gradients)


@pytest.mark.parametrize("name", MIXED_CALLS)
def test_data_on_a_device_needs_its_lengths_there(name):
    make, (extents, *_), data = CALLS[name]
    # Operators whose lengths are a result too only have a shape to give.
    if name.startswith(("permute_1D", "permute_2D", "block_bucketize")):
        return
    moved = {key: value if key in data else on("meta", value) for key, value in make(*extents).items()}
    with pytest.raises(RuntimeError, match="pinwheel::.*: `.*` is on the device `(meta|cpu)`, `.*` on `"):
        run(name, moved)


def test_a_tensor_that_is_changed_must_not_be_forgotten():
    call = bounds(2, 3)
    call["rows_per_table"] = call["rows_per_table"].to("meta")
    with pytest.raises(RuntimeError, match="bounds_check_indices: `indices` is on the device `cpu`"):
        run("bounds_check_indices", call)
    call["indices"] = call["indices"].to("meta")
    with pytest.raises(RuntimeError, match="bounds_check_indices: `offsets` is on the device `cpu`"):
        run("bounds_check_indices", call)
