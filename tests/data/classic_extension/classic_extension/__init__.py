"""`torch.ops.classic_extension.spread`: the distance between the largest and the smallest number."""

from pathlib import Path

import torch

for _library in Path(__file__).parent.glob("_C*.so"):
    torch.ops.load_library(str(_library))

spread = torch.ops.classic_extension.spread
