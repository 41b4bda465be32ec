#pragma once
#include <map>
#include <string>

#include "env/resolution.h"

namespace pinwheel::env {

/// Whether a package with this normalized name contains NVIDIA libraries or compiles for NVIDIA
/// GPUs: dependencies of a CUDA build of torch that have no use on a machine without a GPU.
bool is_gpu_package(const std::string& name);

/// The same resolution with these packages moved to `absent`, except those that the request itself
/// names. Saves gigabytes of installation.
Resolution without_gpu_packages(Resolution resolution, const Request& request);

/// The metadata files, below site-packages, of an absent package: its name and version, so that pip
/// does not download it as a dependency of torch.
std::map<std::string, std::string> files_of_absent(const PipPackage& package);

}  // namespace pinwheel::env
