"""Runs the PTX that nvcc generates for a kernel of one thread, without a GPU. Knows only the instructions that index
arithmetic needs. Memory is words of 8 bytes, and access to any other address is an error."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

OPERATIONS: dict[str, Callable[..., int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul.lo": operator.mul,
    "mul.wide": operator.mul,
    "mad.lo": lambda a, b, c: a * b + c,
    "div": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "rem": lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1),
    "min": min,
    "max": max,
    "neg": operator.neg,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "not": operator.invert,
    "mov": lambda a: a,
    "cvt": lambda a: a,
    "cvta.to.global": lambda a: a,
    "selp": lambda a, b, chosen: a if chosen else b,
}
COMPARISONS = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "lo": operator.lt,
    "ls": operator.le,
    "hi": operator.gt,
    "hs": operator.ge,
}


def as_type(number: int, kind: str) -> int:
    """The low bits of a number, read as u32, s64, b64, pred, ..."""
    bits = 1 if kind == "pred" else int(kind[1:])
    number &= (1 << bits) - 1
    return number - (1 << bits) if kind[0] == "s" and number >> (bits - 1) else number


class Kernel:
    def __init__(self, parameters: list[str], body: str):
        self.parameters = parameters
        self.lines: list[tuple[str, str, list[str]]] = []  # guard, instruction, operands
        self.labels: dict[str, int] = {}
        for line in map(str.strip, body.splitlines()):
            if label := re.fullmatch(r"(\$\w+):", line):
                self.labels[label[1]] = len(self.lines)
            elif found := re.fullmatch(r"(?:@(!?%p\d+)\s+)?([a-z][\w.]*)\s*(.*?);", line):
                operands = [each.strip() for each in found[3].split(",")]
                self.lines.append((found[1] or "", found[2], operands))

    def run(self, arguments: list[int], memory: dict[int, int]) -> None:
        given = dict(zip(self.parameters, arguments, strict=True))
        Thread(self, given, memory).run()


class Thread:
    def __init__(self, kernel: Kernel, parameters: dict[str, int], memory: dict[int, int]):
        self.kernel = kernel
        self.parameters = parameters
        self.memory = memory
        self.registers: dict[str, int] = {}

    def value(self, operand: str) -> int:
        return self.registers[operand] if operand.startswith("%") else int(operand, 0)

    def address(self, operand: str) -> int:
        base, plus, offset = operand.strip("[]").partition("+")
        return as_type(self.registers[base] + (int(offset) if plus else 0), "u64")

    def run(self) -> None:
        at = 0
        for _ in range(100_000):
            guard, name, operands = self.kernel.lines[at]
            at += 1
            if guard and (self.registers[guard.lstrip("!")] != 0) == guard.startswith("!"):
                continue
            if name == "ret":
                return
            if name.startswith("bra"):
                at = self.kernel.labels[operands[0]]
            else:
                self.step(name, operands)
        raise RuntimeError("the kernel does not end")

    def step(self, name: str, operands: list[str]) -> None:
        words = name.split(".")
        kind = words[-1]
        target, sources = operands[0], operands[1:]
        if name.startswith("ld.param"):
            self.registers[target] = as_type(self.parameters[sources[0].strip("[]")], kind)
        elif name in ("ld.global.u64", "ld.global.nc.u64"):
            self.registers[target] = self.memory[self.address(sources[0])]
        elif name == "st.global.u64":
            place = self.address(target)
            assert place in self.memory, f"there is no memory at {place:#x}"
            self.memory[place] = as_type(self.value(sources[0]), "u64")
        else:
            self.registers[target] = self.result(words, kind, [self.value(each) for each in sources])

    def result(self, words: list[str], kind: str, values: list[int]) -> int:
        """Registers hold numbers without a sign."""
        bits = 1 if kind == "pred" else int(kind[1:])
        unsigned = "pred" if kind == "pred" else f"u{bits}"
        if words[0] == "setp":
            return int(COMPARISONS[words[1]](*(as_type(each, kind) for each in values)))
        if words[0] in ("shl", "shr"):
            number, distance = as_type(values[0], kind), min(values[1], bits)
            return as_type(number << distance if words[0] == "shl" else number >> distance, unsigned)
        if words[0] == "clz":
            return bits - as_type(values[0], unsigned).bit_length()
        if words[0] == "bfi":
            field, base, place, length = values
            mask = (1 << length) - 1 << place
            return as_type(base & ~mask | field << place & mask, unsigned)
        if words[:2] == ["mul", "hi"]:
            return as_type(as_type(values[0], kind) * as_type(values[1], kind) >> bits, unsigned)
        if words[0] == "selp":
            return as_type(OPERATIONS["selp"](*values), unsigned)
        operation = words[0] if words[0] == "cvt" else ".".join(words[:-1])
        if words[0] == "cvt":
            unsigned = f"u{words[1][1:]}"
        elif words[:2] == ["mul", "wide"]:
            unsigned = f"u{2 * bits}"
        return as_type(OPERATIONS[operation](*(as_type(each, kind) for each in values)), unsigned)


def kernels_of(text: str) -> dict[str, Kernel]:
    found = re.finditer(r"\.entry (\w+)\((.*?)\)\s*\{(.*?)^\}", text, re.DOTALL | re.MULTILINE)
    return {each[1]: Kernel(re.findall(r"\b\w+_param_\d+", each[2]), each[3]) for each in found}
