#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/net/get_remote.h"
#include "plan/torch_build.h"

namespace pinwheel::host {

/// The builds of torch on an index, by the names on its page; nullopt if it has no page for torch.
/// `transient` or `environment` if it does not answer.
Result<std::optional<std::vector<plan::TorchBuild>>> torch_page(const RemoteAccess& access,
                                                                const std::string& index);

}  // namespace pinwheel::host
