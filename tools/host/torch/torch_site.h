#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "base/result.h"
#include "ports/files.h"
#include "ports/process.h"

namespace pinwheel::host {

/// The site-packages directory for a path: the path itself, or the parent of a path to `torch`.
Result<std::filesystem::path> torch_site(const std::filesystem::path& place, ports::Files& files);

/// The site-packages directory from which a Python imports torch. `environment` if it has no torch.
Result<std::filesystem::path> torch_site_of(const std::string& python, ports::Process& process,
                                            const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::host
