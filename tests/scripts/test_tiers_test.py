"""The options of scripts/test."""

import pytest
import test_tiers
from test_tiers import chosen, expression


def test_every_tier_is_left_out_unless_it_is_asked_for():
    assert expression(chosen([])) == " and ".join(f"not {tier}" for tier in test_tiers.TIERS)
    assert "not docker" not in expression(chosen(["--docker"]))
    assert "not whole" in expression(chosen(["--docker"]))
    assert expression(chosen(["--all"])) == ""


def test_an_unknown_option_names_the_known_ones():
    with pytest.raises(ValueError, match="unknown option --quick; expected --docker, .*--threads or --all"):
        chosen(["--docker", "--quick"])


def test_every_tier_is_a_marker(pytestconfig):
    markers = {line.split(":")[0] for line in pytestconfig.getini("markers")}
    assert set(test_tiers.TIERS) <= markers
