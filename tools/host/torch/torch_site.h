#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "base/result.h"
#include "ports/files.h"
#include "ports/process.h"

namespace pinwheel::host {

/// The site-packages directory that a place means: the place itself, or the directory around the
/// `torch` that was named.
Result<std::filesystem::path> torch_site(const std::filesystem::path& place, ports::Files& files);

/// The site-packages directory from which a Python program imports torch. `environment` when it has
/// none.
Result<std::filesystem::path> torch_site_of(const std::string& python, ports::Process& process,
                                            const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::host
