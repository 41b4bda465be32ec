#pragma once
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::plan {

/// The value of the axis `torch` that stands for whatever was built last.
inline constexpr std::string_view kNightly = "nightly";

/// A build of torch for Linux on an index.
struct TorchBuild {
  std::string torch;   ///< the value of the axis: "2.13", `nightly`
  std::string date;    ///< of a nightly, "20261124"
  std::string label;   ///< "cu130"; empty on an index that has one kind
  std::string python;  ///< "3.13t"
  std::string arch;    ///< "x86_64"

  auto operator<=>(const TorchBuild&) const = default;
};

/// The build from its file name, "torch-2.13.0+cu130-cp313-cp313t-manylinux_2_28_x86_64.whl";
/// nullopt for other files: of other systems, release candidates, versions that are neither a
/// release nor dated.
std::optional<TorchBuild> torch_build(std::string_view filename);

/// "cuda/13.0" of "cu130", "rocm/7.1" of "rocm7.1"; empty for other labels.
std::string compute_of_label(std::string_view label);

}  // namespace pinwheel::plan
