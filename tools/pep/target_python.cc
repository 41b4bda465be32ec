#include "pep/target_python.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/parse_integer.h"
#include "base/text.h"

namespace pinwheel::pep {
namespace {

constexpr uint64_t kLateRelease = 99;
/// An offset that separates tags for any platform from the others.
constexpr int kAnyPlatform = 1000;
/// The groups in front of those of `pyXY`.
constexpr int kGenericGroups = 100;

/// The distance from the newest platform of the target; nullopt if it does not support this one.
/// A `linux` tag is the last. A musl version of a platform has the same major version.
std::optional<int> platform_rank(const std::string& platform, const TargetPython& target) {
  constexpr int kPlainLinux = 999;
  if (platform == target.platform) return 0;
  const std::optional<LinuxPolicy> newest = parse_linux_policy(target.platform);
  if (!newest) return std::nullopt;
  if (platform == "linux_" + newest->arch) return kPlainLinux;
  const std::optional<LinuxPolicy> asked = parse_linux_policy(platform);
  if (!asked || asked->libc != newest->libc || asked->arch != newest->arch ||
      asked->major != newest->major || asked->minor > newest->minor) {
    return std::nullopt;
  }
  // `manylinux2014` follows `manylinux_2_17`.
  const bool old_name = to_string(*asked) != platform;
  return 2 * (newest->minor - asked->minor) + (old_name ? 1 : 0);
}

/// The place of `pyXY` in py311, py3, py310, ..., py30; nullopt for a newer one.
std::optional<int> generic_rank(std::string_view python, int minor) {
  if (!python.starts_with("py3")) return std::nullopt;
  python.remove_prefix(3);
  if (python.empty()) return 1;
  const std::optional<int> named = parse_integer(python);
  if (!named || *named > minor) return std::nullopt;
  return *named == minor ? 0 : 1 + minor - *named;
}

/// The group of a tag with a platform: the interpreter's own ABI, the stable ABI, no ABI, the
/// stable ABI of older Pythons, then any Python.
std::optional<int> binary_group(const Tag& tag, const TargetPython& target) {
  if (!installs(tag, target.python)) return std::nullopt;
  const int minor = target.python.minor;
  if (const std::optional<int> generic = generic_rank(tag.python, minor)) {
    return kGenericGroups + *generic;
  }
  const std::optional<CPythonTag> named = parse_cpython_tag(tag.python);
  if (!named) return std::nullopt;
  if (tag.abi == "none") return 2;
  const bool stable = tag.abi == "abi3" || tag.abi == "abi3t";
  if (!stable) return 0;
  return named->minor == minor ? 1 : 2 + minor - named->minor;
}

/// The rank of a tag; nullopt for a tag that the target does not install.
std::optional<TagRank> rank_of(const Tag& tag, const TargetPython& target) {
  if (tag.platform != "any") {
    const std::optional<int> group = binary_group(tag, target);
    const std::optional<int> platform = platform_rank(tag.platform, target);
    if (!group || !platform) return std::nullopt;
    return TagRank{*group, *platform};
  }
  if (!installs(tag, target.python)) return std::nullopt;
  const std::optional<int> generic = generic_rank(tag.python, target.python.minor);
  // `cp311-none-any` stands before `py311-none-any`.
  return TagRank{kAnyPlatform + (generic ? 1 + *generic : 0), 0};
}

}  // namespace

Result<TargetPython> parse_target_python(std::string_view text) {
  const size_t dash = text.find('-');
  const std::optional<CPythonTag> python = parse_cpython_tag(text.substr(0, dash));
  const std::string platform =
      dash == std::string_view::npos ? std::string() : std::string(text.substr(dash + 1));
  const bool plain = !platform.empty() && std::all_of(platform.begin(), platform.end(), [](char c) {
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z');
  });
  if (!python || !plain || platform == "any") {
    return fail(ErrorKind::usage, fmt::format("{} is not a machine", quoted(text)),
                "write it as `cp311-manylinux_2_28_x86_64` or `cp313t-musllinux_1_2_aarch64`");
  }
  if (platform.starts_with("macosx_")) {
    return fail(ErrorKind::usage, fmt::format("{} is a platform of macOS", quoted(platform)),
                "pinwheel knows the order of tags on Linux only");
  }
  return TargetPython{*python, platform};
}

std::string to_string(const TargetPython& target) {
  return fmt::format("cp3{}{}-{}", target.python.minor, target.python.free_threaded ? "t" : "",
                     target.platform);
}

Version python_release(const TargetPython& target) {
  return Version{0, {3, static_cast<uint64_t>(target.python.minor), kLateRelease}};
}

std::optional<TagRank> best_rank(const TagSet& tags, const TargetPython& target) {
  std::optional<TagRank> best;
  for (const Tag& tag : expand(tags)) {
    const std::optional<TagRank> rank = rank_of(tag, target);
    if (rank && (!best || *rank < *best)) best = rank;
  }
  return best;
}

}  // namespace pinwheel::pep
