"""What must hold for every operator on a GPU: streams, graphs, strides, determinism."""

from __future__ import annotations

import os
import threading

import pytest
import torch
from conftest import COMPUTE
from every_operator import CALLS, OPS, assert_equal, call_of, flat

# Reads the number of its values back, which a graph cannot do.
READS_BACK = {"permute_2D_sparse_data"}

in_a_graph = pytest.mark.skipif(
    "PYTORCH_NO_CUDA_MEMORY_CACHING" in os.environ, reason="torch cannot allocate memory for a graph without its cache"
)


@pytest.fixture
def cuda(gpu: torch.device) -> torch.device:
    if COMPUTE == "emulated":
        pytest.skip("the emulator has no streams and no other device")
    return gpu


@pytest.mark.parametrize("name", CALLS)
def test_results_on_a_gpu_are_those_of_the_cpu(name, cuda, rng):
    call = call_of(name)
    for got, expected in zip(flat(call.on(cuda)), flat(call.on(torch.device("cpu"))), strict=True):
        torch.testing.assert_close(got.cpu(), expected, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("name", CALLS)
def test_results_have_the_same_bits_in_every_run(name, device, rng):
    call = call_of(name)
    expected = call.on(device)
    for _ in range(30 if device.type == "cuda" else 3):
        assert_equal(call.on(device), expected)


def strided(tensor: torch.Tensor) -> torch.Tensor:
    wide = torch.empty(*tensor.shape[:-1], 2 * tensor.shape[-1], dtype=tensor.dtype, device=tensor.device)
    return wide[..., ::2].copy_(tensor)


def transposed(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.t().contiguous().t() if tensor.dim() == 2 else strided(tensor)


@pytest.mark.parametrize("change", [strided, transposed])
@pytest.mark.parametrize("name", CALLS)
def test_arguments_need_not_be_contiguous(name, change, device, rng):
    call = call_of(name)
    tensors = [tensor.to(device) for tensor in call.tensors]
    assert_equal(call.run(*map(change, tensors)), call.run(*tensors))


@pytest.mark.parametrize("name", CALLS)
def test_addresses_need_not_be_aligned(name, device, rng):
    def shifted(tensor: torch.Tensor) -> torch.Tensor:
        longer = torch.empty(tensor.numel() + 1, dtype=tensor.dtype, device=device)
        return longer[1:].view(tensor.shape).copy_(tensor)

    call = call_of(name)
    for got, expected in zip(flat(call.run(*map(shifted, call.tensors))), flat(call.on(device)), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", CALLS)
def test_an_operator_runs_on_the_current_stream(name, cuda, rng):
    call, side = call_of(name), torch.cuda.Stream()
    tensors = [tensor.to(cuda) for tensor in call.tensors]
    expected, late = call.run(*tensors), [torch.zeros_like(tensor) for tensor in tensors]
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(20_000_000)
        for to, tensor in zip(late, tensors, strict=True):
            to.copy_(tensor)
        got = call.run(*late)
    side.synchronize()
    assert_equal(got, expected)


@in_a_graph
@pytest.mark.parametrize("name", sorted(set(CALLS) - READS_BACK))
def test_a_graph_replays_an_operator(name, cuda, rng):
    call, side = call_of(name), torch.cuda.Stream()
    tensors = [tensor.to(cuda) for tensor in call.tensors]
    expected = call.run(*tensors)
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        call.run(*tensors)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        got = call.run(*tensors)
    for tensor in flat(got):
        tensor.zero_()
    graph.replay()
    torch.cuda.synchronize()
    assert_equal(got, expected)


@in_a_graph
def test_a_graph_of_training_steps_has_the_bits_of_eager_ones(cuda, rng):
    forward, backward = call_of("tbe_forward, no weights"), call_of("tbe_backward_rowwise_adagrad_")
    _, *lists = (tensor.to(cuda) for tensor in forward.tensors)
    gradient, weights, momentum, *_ = (tensor.to(cuda) for tensor in backward.tensors)

    def step(weights: torch.Tensor, momentum: torch.Tensor) -> torch.Tensor:
        out = forward.run(weights, *lists)
        OPS.tbe_backward_rowwise_adagrad_(out * 0.01 + gradient, weights, momentum, *lists, 0, None, 0.05, 1e-6)
        return out

    eager = weights.clone(), momentum.clone()
    expected = [step(*eager).clone() for _ in range(5)]
    step(weights.clone(), momentum.clone())
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = step(weights, momentum)
    for right in expected:
        graph.replay()
        torch.cuda.synchronize()
        assert_equal(out, right)
    assert_equal((weights, momentum), eager)


def test_calls_on_two_streams_at_once_do_not_disturb_each_other(cuda, rng):
    calls = [make() for name, make in CALLS.items() if hasattr(OPS, name.partition(",")[0])]
    for call in calls:
        call.tensors = [tensor.to(cuda) for tensor in call.tensors]
    expected = [call.run(*call.tensors) for call in calls]
    torch.cuda.synchronize()
    streams = [torch.cuda.Stream() for _ in range(2)]
    for turn in range(10):
        got = []
        for number in range(len(calls)):
            for stream, at in zip(streams, (number, (7 * number + turn) % len(calls)), strict=True):
                with torch.cuda.stream(stream):
                    got.append((at, calls[at].run(*calls[at].tensors)))
        torch.cuda.synchronize()
        for at, result in got:
            assert_equal(result, expected[at])


def test_threads_with_their_own_streams_do_not_disturb_each_other(cuda, rng):
    calls = [make() for name, make in CALLS.items() if hasattr(OPS, name.partition(",")[0])]
    for call in calls:
        call.tensors = [tensor.to(cuda) for tensor in call.tensors]
    expected = [call.run(*call.tensors) for call in calls]
    torch.cuda.synchronize()
    failures: list[BaseException] = []

    def work() -> None:
        stream = torch.cuda.Stream()
        try:
            with torch.cuda.stream(stream):
                for _ in range(5):
                    for call, right in zip(calls, expected, strict=True):
                        got = call.run(*call.tensors)
                        stream.synchronize()
                        assert_equal(got, right)
        except BaseException as error:  # noqa: BLE001: reported by the main thread
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
