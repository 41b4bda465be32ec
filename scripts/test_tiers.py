"""Turns the options of scripts/test into pytest's marker expression."""

import sys

TIERS = ("docker", "podman", "torch", "projects", "whole", "arm64", "long", "images", "stores", "slurm", "workflows",
         "releases", "parts", "wheel", "threads")  # fmt: skip


def chosen(arguments: list[str]) -> list[str]:
    """The tiers that the options add, in the order of `TIERS`; raises ValueError for an option that is none."""
    wanted = {argument.removeprefix("--") for argument in arguments}
    if unknown := wanted - {*TIERS, "all"}:
        options = ", ".join(f"--{tier}" for tier in TIERS)
        raise ValueError(f"unknown option --{sorted(unknown)[0]}; expected {options} or --all")
    return [tier for tier in TIERS if tier in wanted or "all" in wanted]


def expression(tiers: list[str]) -> str:
    """What pytest's -m takes to leave out the other tiers; empty where there is none."""
    return " and ".join(f"not {tier}" for tier in TIERS if tier not in tiers)


def main(arguments: list[str]) -> int:
    try:
        tiers = chosen(arguments)
    except ValueError as error:
        print(f"test: {error}", file=sys.stderr)
        return 2
    for tier in TIERS:
        if tier not in tiers:
            print(f"test: leaving out the {tier} tier; --{tier} adds it", file=sys.stderr)
    print(expression(tiers))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
