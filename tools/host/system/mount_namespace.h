#pragma once
#include "ports/process.h"

namespace pinwheel::host {

/// Rewrites `command` so that its mounts are made by `unshare` (util-linux): bind mounts in a
/// private mount namespace, plus a user namespace if the user is not root. The result has no mounts
/// of its own, and exits with 125 if a mount fails. A command without mounts is returned unchanged.
ports::Command in_mount_namespace(ports::Command command);

}  // namespace pinwheel::host
