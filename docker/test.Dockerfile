# Level 1 of test environments, the engine: an old or plain distribution with Python and no compilers, so that
# a wheel with undeclared requirements fails here and not on users' machines.
#
# PYTHON, such as 3.11, is the version that the image must have; if the distribution's own differs, it is
# compiled from source in a separate stage, and only the result is copied. PYTHON_SOURCE is the URL of an
# archive on a mirror to use instead of python.org's.
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
# Separate caches: podman 4.3 keeps a locked one until the last stage is done.
RUN --mount=type=cache,id=python-apt,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,id=python-dnf,target=/var/cache/dnf,sharing=locked \
    compile-python "${PYTHON}" "${PYTHON_SOURCE}" /opt/python

FROM system
COPY --from=python /opt/python /opt/python
ENV PATH=/opt/python/bin:${PATH}
