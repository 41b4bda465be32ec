import pytest
import torch

from classic_extension import spread


def test_the_spread_is_the_distance_between_the_extremes():
    assert spread(torch.tensor([3.0, -1.0, 2.0])).item() == 4.0


def test_another_rank_is_an_error():
    with pytest.raises(RuntimeError, match="1-D wanted, got 2-D"):
        spread(torch.zeros(2, 2))
