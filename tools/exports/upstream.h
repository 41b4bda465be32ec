#pragma once
#include <chrono>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "matrix/variant.h"

namespace pinwheel::exports {

/// The value of the axis `torch` that stands for the newest build.
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

/// The places to look for builds of torch.
struct UpstreamIndex {
  std::string parent;  ///< the index that has every label; empty: as pip is configured
  std::vector<std::string> labels = {};  ///< the indexes of the matrix, if the parent has no page

  bool operator==(const UpstreamIndex&) const = default;
};

/// The indexes that the variants take torch from, each once; none if the matrix has no torch.
Result<std::vector<UpstreamIndex>> upstream_indexes(const matrix::Matrix& matrix,
                                                    const std::vector<matrix::Variant>& variants);

enum class UpstreamEvent {
  appeared,  ///< newer than what the axis has
  vanished,  ///< the matrix has variants of it that no index has a torch for
  ended,     ///< a Python without security releases
};
std::string_view to_string(UpstreamEvent event);

/// A difference between an axis and the available builds.
struct UpstreamChange {
  UpstreamEvent event = UpstreamEvent::appeared;
  std::string axis = {};
  std::string value = {};
  std::string detail = {};  ///< where it appeared, or from where it vanished
  Location at = {};         ///< of the axis

  bool operator==(const UpstreamChange&) const = default;
};

/// A line to write into the matrix.
struct UpstreamLine {
  Location at = {};  ///< of the axis; for a new rule, of the matrix
  std::string text;  ///< YAML

  bool operator==(const UpstreamLine&) const = default;
};

/// The differences between a matrix and the available builds.
struct Upstream {
  std::vector<UpstreamChange> changes = {};
  std::vector<UpstreamLine> lines = {};
};

/// Compares the axes `python`, `compute` and `torch` with the builds on the indexes and with the
/// ends of life of Pythons. A value is new if it is newer than everything on the axis: an older
/// release or label that the axis lacks is not reported. Labels and Pythons count as available if
/// the newest release or a nightly of the last seven days has them. A variant without a build is
/// reported for its axis value: as a value to remove if no variant of it has a build, else as a
/// rule to write.
Upstream compare_upstream(const matrix::Matrix& matrix,
                          const std::vector<matrix::Variant>& variants,
                          const std::vector<TorchBuild>& builds, std::chrono::year_month today);

}  // namespace pinwheel::exports
