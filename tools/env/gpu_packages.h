#pragma once
#include <map>
#include <string>

#include "env/resolution.h"

namespace pinwheel::env {

/// Whether a package of that normalised name holds NVIDIA's libraries or compiles for its GPUs:
/// what a CUDA build of torch depends on and a machine without a GPU has no use for.
bool is_gpu_package(const std::string& name);

/// The same resolution with these packages moved to `absent`, except those that the request itself
/// names; unchanged without any. Gigabytes less to install.
Resolution without_gpu_packages(Resolution resolution, const Request& request);

/// The files, below site-packages, that stand for an absent package: its name and version, so that
/// pip does not fetch it because torch asks for it.
std::map<std::string, std::string> files_of_absent(const PipPackage& package);

}  // namespace pinwheel::env
