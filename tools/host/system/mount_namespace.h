#pragma once
#include "ports/process.h"

namespace pinwheel::host {

/// The command without mounts that gives its program those of `command`: bind mounts in a mount
/// namespace of its own, by `unshare` (util-linux); a user namespace as well for other users than
/// root. It exits 125 when a mount fails. A command without mounts is returned as it is.
ports::Command in_mount_namespace(ports::Command command);

}  // namespace pinwheel::host
