#pragma once
#include <map>
#include <string>

#include "base/result.h"
#include "cli/run_scope.h"
#include "cli/streams.h"
#include "env/container_image.h"
#include "env/interpreter.h"
#include "host/machine/workplace.h"
#include "plan/frozen.h"

namespace pinwheel::cli {

/// An image that environments stand on.
struct UsedImage {
  std::string base;  ///< as the matrix or the command line names it
  env::ContainerImage image;
};

using UsedImages = std::map<std::string, UsedImage>;            ///< by the digest of their settings
using PinnedImages = std::map<std::string, plan::FrozenImage>;  ///< likewise

/// The containers that a run works in; empty on the host.
struct PreparedContainers {
  host::Containers containers = {};  ///< engine and images, for the workplace
  UsedImages images = {};
  std::map<std::string, env::Interpreter> pythons = {};  ///< of the images that tests run in
};

/// Makes the images that the environments of a run need. An image that is pinned is taken from a
/// registry by its digest. Tells what it pulls or builds.
Result<PreparedContainers> prepare_containers(const RunScope& scope,
                                              const host::Workplace& workplace,
                                              const PinnedImages& pinned, Streams& streams);

/// The same without making, pulling or tagging anything: images that are not there are left out.
/// `environment` when the engine does not answer.
Result<PreparedContainers> recall_containers(const RunScope& scope,
                                             const host::Workplace& workplace);

}  // namespace pinwheel::cli
