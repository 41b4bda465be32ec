#pragma once
#include <string>
#include <string_view>

namespace pinwheel::env {

/// The architecture name in images for a machine: "amd64" for "x86_64", "arm64" for "aarch64";
/// unchanged for others. Source: the OCI image specification, which uses Go's names.
std::string image_architecture(std::string_view machine);

/// The `--platform` that an image of `architecture` needs on `machine`, "linux/arm64"; empty if the
/// image is native or does not state an architecture.
std::string foreign_platform(std::string_view architecture, std::string_view machine);

}  // namespace pinwheel::env
