# Level 1 of tests: an old or plain distribution with a Python and nothing that compiles, so that a
# wheel which needs more than it says fails here and not with its users.
#
# PYTHON, such as 3.11, is the version that the image must have; where the distribution's own is
# another, it is compiled from source in a stage of its own, and only the result is taken over.
# PYTHON_SOURCE names the archive of a mirror instead of python.org's.
ARG BASE_IMAGE
ARG PYTHON=
ARG PYTHON_SOURCE=

FROM ${BASE_IMAGE} AS system
RUN --mount=type=cache,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,target=/var/cache/dnf,sharing=locked \
    set -eu; \
    if command -v apt-get >/dev/null; then \
      apt-get update; \
      DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates python3 python3-venv; \
      rm -rf /var/lib/apt/lists/*; \
    elif command -v dnf >/dev/null; then \
      dnf install -y ca-certificates python3 python3-pip; \
    else \
      yum install -y ca-certificates python3 python3-pip; \
    fi; \
    python3 --version

FROM system AS python
ARG PYTHON
ARG PYTHON_SOURCE
COPY compile-python /usr/local/bin/
# Caches of its own: podman 4.3 holds a locked one until the last stage is done.
RUN --mount=type=cache,id=python-apt,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,id=python-dnf,target=/var/cache/dnf,sharing=locked \
    compile-python "${PYTHON}" "${PYTHON_SOURCE}" /opt/python

FROM system
COPY --from=python /opt/python /opt/python
ENV PATH=/opt/python/bin:${PATH}
