"""The test `house`: rules of the project that are checked by reading its files.

`python3 tests/house/house.py ROOT` prints what breaks a rule and exits 1 when anything does. Each rule is a function
from the tree of files to findings; house_test.py shows of each that it can fail.
"""

import pathlib
import sys

from declarations import check_declarations, check_options
from documents import check_documents
from limits import check_limits
from pages import check_cli_page, check_matrix_page, check_nav
from quoting import check_quoting
from readers import check_fuzz_targets, check_reads
from rooms import check_cycles, check_host_modules, check_map, check_pairs, check_rooms, check_small_modules
from schema import check_schema
from step_ids import check_step_ids
from tree import read_tree
from type_names import check_type_names

CHECKS = (
    check_rooms,
    check_map,
    check_pairs,
    check_host_modules,
    check_cycles,
    check_small_modules,
    check_documents,
    check_limits,
    check_type_names,
    check_declarations,
    check_options,
    check_matrix_page,
    check_schema,
    check_cli_page,
    check_nav,
    check_quoting,
    check_step_ids,
    check_fuzz_targets,
    check_reads,
)


def main(root: str) -> int:
    tree = read_tree(pathlib.Path(root))
    findings = [finding for check in CHECKS for finding in check(tree)]
    for finding in findings:
        print(f"house: {finding}", file=sys.stderr)
    print(f"house: {len(CHECKS)} rules, {len(tree)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
