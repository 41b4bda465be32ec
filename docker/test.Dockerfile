# Level 1 of tests: an old or plain distribution with its own Python and nothing that compiles, so
# that a wheel which needs more than it says fails here and not with its users.
ARG BASE_IMAGE
FROM ${BASE_IMAGE}

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
