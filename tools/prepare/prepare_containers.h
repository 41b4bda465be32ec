#pragma once
#include <map>
#include <string>

#include "base/result.h"
#include "container/container_image.h"
#include "env/interpreter.h"
#include "host/machine/workplace.h"
#include "plan/frozen.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// A base image of environments.
struct UsedImage {
  std::string base;  ///< name from the matrix or the command line
  container::ContainerImage image;
};

using UsedImages = std::map<std::string, UsedImage>;            ///< by the digest of their settings
using PinnedImages = std::map<std::string, plan::FrozenImage>;  ///< likewise

/// The containers of a run; empty on the host.
struct PreparedContainers {
  host::Containers containers = {};  ///< engine and images, for the workplace
  UsedImages images = {};
  std::map<std::string, env::Interpreter> pythons = {};  ///< of the images that tests run in
};

/// Builds the images that the environments of a run need. A pinned image is pulled from a registry
/// by its digest. Reports what it pulls or builds.
Result<PreparedContainers> prepare_containers(const Host& host, const RunScope& scope,
                                              const host::Workplace& workplace,
                                              const PinnedImages& pinned, ports::Notices& notices);

/// The same without building, pulling or tagging anything: missing images are omitted.
/// `environment` if the engine does not respond.
Result<PreparedContainers> recall_containers(const Host& host, const RunScope& scope,
                                             const host::Workplace& workplace);

}  // namespace pinwheel::prepare
