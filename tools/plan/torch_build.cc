#include "plan/torch_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "matrix/axis_value.h"
#include "pep/version.h"
#include "pep/wheel_name.h"

namespace pinwheel::plan {
namespace {

/// A day is written with eight digits.
constexpr uint64_t kFirstDay = 20000101;
constexpr uint64_t kLastDay = 99991231;

/// The local version, "cu130"; empty without one.
std::string label_of(const pep::Version& version) {
  const std::string text = pep::to_string(version);
  const size_t plus = text.find('+');
  return plus == std::string::npos ? std::string() : text.substr(plus + 1);
}

/// "3.13t" of "cp313-cp313t"; empty for other Pythons.
std::string python_of(const pep::TagSet& tags) {
  const std::string& abi = tags.abi.front();
  std::string_view digits = tags.python.front();
  if (tags.python.size() > 1 || !digits.starts_with("cp3") || digits.size() < 4) return {};
  digits.remove_prefix(3);
  if (!std::ranges::all_of(digits, is_digit)) return {};
  return fmt::format("3.{}{}", digits, abi.ends_with('t') ? "t" : "");
}

std::string arch_of(const std::string& platform) {
  constexpr std::array<std::string_view, 2> kArchs = {"x86_64", "aarch64"};
  if (platform.find("linux") == std::string::npos) return {};
  for (const std::string_view arch : kArchs) {
    if (platform.ends_with(arch)) return std::string(arch);
  }
  return {};
}

}  // namespace

std::optional<TorchBuild> torch_build(std::string_view filename) {
  const Result<pep::WheelName> name = pep::parse_wheel_name(filename);
  if (!name || name->distribution != "torch" || name->version.release.size() < 2) {
    return std::nullopt;
  }
  const pep::Version& version = name->version;
  TorchBuild build{.torch = fmt::format("{}.{}", version.release[0], version.release[1]),
                   .date = {},
                   .label = label_of(version),
                   .python = python_of(name->tags),
                   .arch = arch_of(name->tags.platform.front())};
  if (build.python.empty() || build.arch.empty() || version.pre) return std::nullopt;
  if (!version.dev) return build;
  if (*version.dev < kFirstDay || *version.dev > kLastDay) return std::nullopt;
  build.torch = kNightly;
  build.date = std::to_string(*version.dev);
  return build;
}

std::string compute_of_label(std::string_view label) {
  const std::optional<matrix::Compute> compute = matrix::compute_of_label(label);
  const bool toolkit = compute && (compute->family == "cuda" || compute->family == "rocm") &&
                       compute->version.find('.') != std::string::npos;
  return toolkit ? fmt::format("{}/{}", compute->family, compute->version) : std::string();
}

}  // namespace pinwheel::plan
