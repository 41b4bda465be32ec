#pragma once
#include <array>
#include <optional>
#include <string_view>

namespace pinwheel::matrix {

/// What a publish target is, by the key `kind`. Whatever differs from one kind to another is a
/// switch without a default, so that a new kind does not compile before each place handles it.
enum class TargetKind { pypi, testpypi, index, directory };

/// All of them, in the order in which people are told of them.
inline constexpr std::array kTargetKinds = {TargetKind::pypi, TargetKind::testpypi,
                                            TargetKind::index, TargetKind::directory};

constexpr std::string_view to_string(TargetKind kind) {
  switch (kind) {
    case TargetKind::pypi:
      return "pypi";
    case TargetKind::testpypi:
      return "testpypi";
    case TargetKind::index:
      return "index";
    case TargetKind::directory:
      return "directory";
  }
  return {};
}
static_assert(to_string(TargetKind{kTargetKinds.size()}).empty(), "kTargetKinds lacks a kind");

std::optional<TargetKind> parse_target_kind(std::string_view name);

}  // namespace pinwheel::matrix
