# Level 1 of build environments, the engine: compilers and their dependencies, but no Python packages, which
# level 2 adds. The stages `cpu`, `cuda` and `rocm` share their first layers.
#
# Bases: Debian and Ubuntu with apt, the RHEL family (manylinux, amazonlinux, rockylinux) with dnf or yum.
# GCC, such as 13, is the compiler's major version if the base's own is too old or too new. CUDA, such as
# 13.0, is the toolkit to install from NVIDIA's repository if the base has none; without it pinwheel installs
# PyPI's into a separate prefix.
ARG BASE_IMAGE
ARG GCC=
ARG CUDA=

FROM ${BASE_IMAGE} AS cpu
ARG GCC
COPY install-compiler /usr/local/bin/
RUN --mount=type=cache,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,target=/var/cache/dnf,sharing=locked \
    install-compiler "${GCC}"

# Separate caches: podman 4.3 keeps a locked one until the last stage is done.
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

# A build without a target stage gets only the compilers.
FROM cpu
