#!/usr/bin/env python3
"""Writes stable_abi_table.cc: the symbols of CPython's Stable ABI on Linux and the release that brought each.

    pip install abi3info
    python tools/inspect/stable_abi_table.py > tools/inspect/stable_abi_table.cc

abi3info is CPython's own list, Misc/stable_abi.toml, as a package.
"""

import abi3info

HEAD = """#include "inspect/stable_abi.h"

#include <array>

// Written by stable_abi_table.py.
// clang-format off
namespace pinwheel::inspect {
namespace {

"""
TAIL = """
}  // namespace

std::span<const StableSymbol> stable_symbols() {
  return kSymbols;
}

}  // namespace pinwheel::inspect
"""
WIDTH = 100


def main():
    found = {}
    for item in [*abi3info.FUNCTIONS.values(), *abi3info.DATAS.values()]:
        if item.ifdef is None or item.ifdef.name != "MS_WINDOWS":
            found[item.symbol.name] = item.added.minor
    print(HEAD, end="")
    print(f"constexpr std::array<StableSymbol, {len(found)}> kSymbols{{{{")
    line = ""
    for name, minor in sorted(found.items()):
        entry = f'{{"{name}", {minor}}},'
        if len(line) + len(entry) > WIDTH:
            print(line.rstrip())
            line = ""
        line += entry + " "
    print(line.rstrip())
    print("}};")
    print(TAIL, end="")


if __name__ == "__main__":
    main()
