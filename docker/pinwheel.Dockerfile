# An image with pinwheel, for CI jobs that run in containers: a distribution, git, and the wheel of pinwheel-cli.
#
# PINWHEEL is what pip installs: `pinwheel-cli==1.0` from the index, or a wheel in the build context, `./NAME.whl`.
ARG BASE_IMAGE=debian:bookworm-slim
FROM ${BASE_IMAGE}
ARG PINWHEEL=pinwheel-cli
RUN --mount=type=bind,target=/context \
    --mount=type=cache,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,target=/var/cache/dnf,sharing=locked \
    set -eu; \
    if command -v apt-get >/dev/null; then \
      apt-get update; \
      DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates git python3 python3-venv; \
      rm -rf /var/lib/apt/lists/*; \
    else \
      dnf install -y ca-certificates git python3 python3-pip; \
    fi; \
    python3 -m venv /opt/pinwheel; \
    cd /context; \
    /opt/pinwheel/bin/pip install --no-cache-dir --disable-pip-version-check "${PINWHEEL}"; \
    ln -s /opt/pinwheel/bin/pinwheel /usr/local/bin/pinwheel; \
    pinwheel --version
ENTRYPOINT ["pinwheel"]
