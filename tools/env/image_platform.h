#pragma once
#include <string>
#include <string_view>

namespace pinwheel::env {

/// What images call a machine: "amd64" for "x86_64", "arm64" for "aarch64"; the same word for
/// others. Source: the OCI image specification, which takes Go's names.
std::string image_architecture(std::string_view machine);

/// The `--platform` that an image of `architecture` needs on `machine`, "linux/arm64"; empty where
/// the engine takes it without, because the machine runs it or the image does not say.
std::string foreign_platform(std::string_view architecture, std::string_view machine);

}  // namespace pinwheel::env
