import fast_sum  # noqa: F401
