"""Turns the options of scripts/test into pytest's marker expression."""

import sys

TIERS = ("docker", "podman", "torch", "arm64", "long", "threads")


def main(arguments: list[str]) -> int:
    wanted = {argument.removeprefix("--") for argument in arguments}
    unknown = wanted - {*TIERS, "all"}
    if unknown:
        options = ", ".join(f"--{tier}" for tier in TIERS)
        print(f"test: unknown option --{sorted(unknown)[0]}; expected {options} or --all", file=sys.stderr)
        return 2
    left_out = [] if "all" in wanted else [tier for tier in TIERS if tier not in wanted]
    for tier in left_out:
        print(f"test: leaving out the {tier} tier; --{tier} adds it", file=sys.stderr)
    print(" and ".join(f"not {tier}" for tier in left_out))
    return 0


sys.exit(main(sys.argv[1:]))
