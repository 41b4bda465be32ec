"""Times every operator against plain torch and, where it is installed, FBGEMM's own operator.

    python kernels/bench/bench.py [--device cpu|cuda] [--threads N] [--repeat N] [--only WORD] [--json]

One row an operator and shape: bytes that must be moved at least, the shortest time of each contender, the
bandwidth of ours, and how many times faster ours is than the best other. Times are minima: on a machine that does
other work, the rest is noise.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

import torch

import pinwheel_kernels as pk

Run = Callable[[], object]


@dataclass
class Case:
    """One operator on one input, and the same answer got otherwise."""

    operator: str
    shape: str
    bytes: int
    ours: Run
    torch: Run | None
    fbgemm: Run | None


@dataclass
class Row:
    """Seconds, or None for a contender that is not there."""

    operator: str
    shape: str
    bytes: int
    ours: float
    torch: float | None
    fbgemm: float | None

    @property
    def ratio(self) -> float | None:
        others = [seconds for seconds in (self.torch, self.fbgemm) if seconds is not None]
        return min(others) / self.ours if others else None


def fbgemm_operators() -> object | None:
    try:
        import fbgemm_gpu  # noqa: F401
    except ImportError:
        return None
    return torch.ops.fbgemm


def size(*tensors: torch.Tensor) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def cumsum_cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    for dtype in (torch.int32, torch.int64):
        numbers = torch.randint(0, 100, (1_000_000,), dtype=dtype, device=device)
        zero = numbers.new_zeros(1)
        yield Case(
            "asynchronous_complete_cumsum",
            f"1M {str(dtype)[6:]}",
            2 * size(numbers),
            lambda x=numbers: pk.asynchronous_complete_cumsum(x),
            lambda x=numbers, z=zero: torch.cat([z, x.cumsum(0, dtype=x.dtype)]),
            fbgemm and (lambda x=numbers: fbgemm.asynchronous_complete_cumsum(x)),
        )


def jagged_cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    groups, longest = 4096, 100
    lengths = torch.randint(0, longest + 1, (groups,), device=device)
    offsets = pk.asynchronous_complete_cumsum(lengths)
    for dtype in (torch.float32, torch.float16):
        values = torch.randn(int(offsets[-1]), 64, device=device).to(dtype)
        dense = pk.jagged_to_padded_dense(values, [offsets], [longest])
        shape = f"B {groups}, max {longest}, D 64, {str(dtype)[6:]}"
        moved = size(values, dense)
        aten = torch.ops.aten
        yield Case(
            "jagged_to_padded_dense",
            shape,
            moved,
            lambda v=values: pk.jagged_to_padded_dense(v, [offsets], [longest]),
            lambda v=values: aten._jagged_to_padded_dense_forward(v, [offsets], [longest], 0.0),
            fbgemm and (lambda v=values: fbgemm.jagged_to_padded_dense(v, [offsets], [longest], 0)),
        )
        rows = values.shape[0]
        backward = torch.ops.pinwheel.jagged_to_padded_dense_backward
        yield Case(
            "jagged_to_padded_dense_backward",
            shape,
            2 * size(values),
            lambda d=dense, n=rows: backward(d, [offsets], n),
            lambda d=dense, n=rows: aten._padded_dense_to_jagged_forward(d, [offsets], n),
            fbgemm and (lambda d=dense, n=rows: fbgemm.dense_to_jagged(d, [offsets], n)),
        )


def permute_cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    features, samples = 26, 2048
    for longest in (20, 200):
        lengths = torch.randint(0, longest, (features, samples), device=device)
        values = torch.randint(0, 10**6, (int(lengths.sum()),), device=device)
        weights = torch.rand(values.shape, device=device)
        permute = torch.randperm(features).int().to(device)
        order = permute.tolist()
        counts = lengths.sum(1).tolist()

        def with_torch(v=values, w=weights, le=lengths, o=order, c=counts) -> object:
            parts, weight_parts = v.split(c), w.split(c)
            return (
                le[o],
                torch.cat([parts[feature] for feature in o]),
                torch.cat([weight_parts[feature] for feature in o]),
            )

        arguments = (permute, lengths, values, weights)
        yield Case(
            "permute_2D_sparse_data",
            f"T {features}, B {samples}, {values.numel() / 1e6:.1f}M int64 + weights",
            2 * size(lengths, values, weights),
            lambda a=arguments: pk.permute_2D_sparse_data(*a),
            with_torch,
            fbgemm and (lambda a=arguments: fbgemm.permute_2D_sparse_data(*a)),
        )


def quantize_cases(device: torch.device, fbgemm: object | None) -> Iterator[Case]:
    for dtype in (torch.float32, torch.float16):
        numbers = torch.randn(100_000, 128, device=device).to(dtype)
        rows = pk.FloatOrHalfToFused8BitRowwiseQuantized(numbers)

        def with_torch(x=numbers) -> object:
            least, most = x.aminmax(dim=1, keepdim=True)
            scale = (most - least).float() / 255
            codes = ((x - least) / scale).round().to(torch.uint8)
            return torch.cat([codes, torch.cat([scale, least.float()], 1).view(torch.uint8)], 1)

        def back_with_torch(r=rows) -> object:
            both = r[:, -8:].contiguous().view(torch.float32)
            return r[:, :-8] * both[:, :1] + both[:, 1:]

        shape = f"100k x 128 {str(dtype)[6:]}"
        yield Case(
            "FloatOrHalfToFused8BitRowwiseQuantized",
            shape,
            size(numbers, rows),
            lambda x=numbers: pk.FloatOrHalfToFused8BitRowwiseQuantized(x),
            with_torch,
            fbgemm and (lambda x=numbers: fbgemm.FloatOrHalfToFused8BitRowwiseQuantized(x)),
        )
        if dtype != torch.float32:
            continue
        yield Case(
            "Fused8BitRowwiseQuantizedToFloatOrHalf",
            shape,
            size(numbers, rows),
            lambda r=rows: pk.Fused8BitRowwiseQuantizedToFloatOrHalf(r),
            back_with_torch,
            fbgemm and (lambda r=rows: fbgemm.Fused8BitRowwiseQuantizedToFloatOrHalf(r)),
        )


GROUPS = (cumsum_cases, jagged_cases, permute_cases, quantize_cases)


def shortest(run: Run | None, device: torch.device, repeat: int) -> float | None:
    if run is None:
        return None
    best = float("inf")
    for _ in range(repeat + 1):  # the first is for warming up
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        start = time.perf_counter()
        run()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        best = min(best, time.perf_counter() - start)
    return best


def measure(case: Case, device: torch.device, repeat: int) -> Row:
    runs = (case.ours, case.torch, case.fbgemm)
    return Row(case.operator, case.shape, case.bytes, *(shortest(r, device, repeat) for r in runs))


def milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e3:.3f}"


def print_table(rows: list[Row]) -> None:
    head = ("operator", "shape", "MB", "ours ms", "GB/s", "torch ms", "fbgemm ms", "ratio")
    lines = [head]
    for row in rows:
        lines.append(
            (
                row.operator,
                row.shape,
                f"{row.bytes / 1e6:.1f}",
                milliseconds(row.ours),
                f"{row.bytes / row.ours / 1e9:.1f}",
                milliseconds(row.torch),
                milliseconds(row.fbgemm),
                "-" if row.ratio is None else f"{row.ratio:.2f}",
            )
        )
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        texts = [
            text.ljust(width) if column < 2 else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(texts).rstrip())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    parser.add_argument("--threads", type=int, default=1, help="of torch; 1 is the least noisy")
    parser.add_argument("--repeat", type=int, default=20, help="runs of which the shortest counts")
    parser.add_argument("--only", default="", help="operators whose name contains this")
    parser.add_argument(
        "--json", action="store_true", help="one JSON document instead of the table"
    )
    options = parser.parse_args()
    device = torch.device(options.device)
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    fbgemm = fbgemm_operators()
    rows = []
    for cases in GROUPS:
        for case in cases(device, fbgemm):
            if options.only.lower() in case.operator.lower():
                rows.append(measure(case, device, options.repeat))
    if options.json:
        listed = [asdict(row) | {"ratio": row.ratio} for row in rows]
        about = {"device": str(device), "threads": options.threads, "torch": torch.__version__}
        print(json.dumps(about | {"seconds": listed}, indent=2))
    else:
        print_table(rows)


if __name__ == "__main__":
    main()
