#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "env/commands.h"
#include "env/resolution.h"

namespace pinwheel::env {

/// The variables for a pip that ignores the indexes, pages and directories of the user's
/// configuration and uses only those of its command line. Its other settings, such as certificates
/// and proxies, are passed as variables instead of files. `configuration` is the output of `pip
/// config list`.
Variables without_indexes(Variables variables, std::string_view configuration);

/// The label of the builds on a torch index, the last name in its URL: "cpu", "cu130", "rocm7.1",
/// "xpu". Empty if that name is not a label.
std::string label_of_index(std::string_view index);

/// The label of a torch build: its local version, else that of the CUDA packages that it requires.
/// Empty if neither identifies a compute.
std::string label_of_torch(const PipPackage& torch, const std::vector<std::string>& requires_dist);
/// The same for the torch of a resolution, in which its requirements are separate packages.
std::string label_of_torch(const Resolution& resolution);

/// Whether a build with that label is one of those for which the index was named.
bool is_build_of(std::string_view index, std::string_view torch_label);

}  // namespace pinwheel::env
