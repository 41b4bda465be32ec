# Level 1 of build environments: compilers and what they need, nothing of Python's world, which
# level 2 brings. One stage for every compute: a CUDA or ROCm base brings its toolkit, any other
# base makes a CPU image to which toolkits come as prefixes of their own.
ARG BASE_IMAGE
FROM ${BASE_IMAGE}

# Debian and Ubuntu by apt, the RHEL family (manylinux, amazonlinux) by dnf or yum. manylinux images
# have their compiler already.
RUN --mount=type=cache,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,target=/var/cache/dnf,sharing=locked \
    set -eu; \
    if command -v apt-get >/dev/null; then \
      apt-get update; \
      DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates g++ git make patchelf tar; \
      rm -rf /var/lib/apt/lists/*; \
    elif command -v dnf >/dev/null; then \
      dnf install -y ca-certificates gcc-c++ git make tar; \
    else \
      yum install -y ca-certificates gcc-c++ git make tar; \
    fi; \
    c++ --version
