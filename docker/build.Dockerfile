# Level 1 of build environments: compilers and what they need, nothing of Python's world, which
# level 2 brings. The stages share their first layers: `cpu`, `cuda` and `rocm`.
#
# Bases: Debian and Ubuntu by apt, the RHEL family (manylinux, amazonlinux, rockylinux) by dnf or yum.
# GCC, such as 13, is the compiler's major version where the base's own is too old or too new.
# CUDA, such as 13.0, is the toolkit to install from NVIDIA's repository where the base has none;
# without it pinwheel brings PyPI's as a prefix of its own.
ARG BASE_IMAGE
ARG GCC=
ARG CUDA=

FROM ${BASE_IMAGE} AS cpu
ARG GCC
COPY install-compiler /usr/local/bin/
RUN --mount=type=cache,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,target=/var/cache/dnf,sharing=locked \
    install-compiler "${GCC}"

# Caches of its own: podman 4.3 holds a locked one until the last stage is done.
FROM cpu AS cuda
ARG CUDA
COPY install-cuda /usr/local/bin/
RUN --mount=type=cache,id=cuda-apt,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,id=cuda-dnf,target=/var/cache/dnf,sharing=locked \
    install-cuda "${CUDA}"
ENV PATH=/usr/local/cuda/bin:${PATH}

FROM cpu AS rocm
COPY install-rocm /usr/local/bin/
RUN --mount=type=cache,id=rocm-apt,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,id=rocm-dnf,target=/var/cache/dnf,sharing=locked \
    install-rocm
ENV PATH=/opt/rocm/bin:${PATH}

# A build that names no stage gets the compilers alone.
FROM cpu
