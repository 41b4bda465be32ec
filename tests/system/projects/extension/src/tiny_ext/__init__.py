from ._native import flavor, triple

__all__ = ["flavor", "triple"]
