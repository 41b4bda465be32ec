#include "inspect/glibc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/parse_integer.h"
#include "base/text.h"
#include "pep/version.h"

namespace pinwheel::inspect {
namespace {

using Release = std::pair<int, int>;

/// "2.34", "2.2.5"; the third number does not matter for current C libraries.
std::optional<Release> release_of(std::string_view text) {
  const std::vector<std::string> parts = split(text, '.');
  if (parts.size() < 2) return std::nullopt;
  const std::optional<int> major = parse_integer(parts[0]);
  const std::optional<int> minor = parse_integer(parts[1]);
  if (!major || !minor) return std::nullopt;
  return Release{*major, *minor};
}

}  // namespace

std::vector<std::string> newer_than_glibc(const std::vector<ElfMember>& files,
                                          std::string_view glibc) {
  constexpr std::string_view kPrefix = "GLIBC_";
  std::vector<std::string> out;
  const std::optional<Release> have = release_of(glibc);
  if (!have) return out;
  for (const ElfMember& file : files) {
    for (const binary::VersionNeed& need : file.elf.version_needs) {
      for (const std::string& version : need.versions) {
        if (!version.starts_with(kPrefix)) continue;
        const std::optional<Release> wanted =
            release_of(std::string_view(version).substr(kPrefix.size()));
        if (!wanted || *wanted <= *have) continue;
        out.push_back(fmt::format("{} needs {} of {}", quoted(file.name), quoted(version),
                                  quoted(need.library)));
      }
    }
  }
  return out;
}

namespace {

constexpr std::array<std::string_view, 6> kFamilies = {"GLIBC", "GLIBCXX", "CXXABI",
                                                       "GCC",   "ZLIB",    "LIBATOMIC"};

void take(const std::string& wanted, std::map<std::string, std::string>& newest) {
  const size_t cut = wanted.find('_');
  if (cut == std::string::npos) return;
  const std::string family = wanted.substr(0, cut);
  if (std::find(kFamilies.begin(), kFamilies.end(), family) == kFamilies.end()) return;
  const std::string number = wanted.substr(cut + 1);
  // The version numbers of these libraries are ordered as in PEP 440.
  const Result<pep::Version> version = pep::parse_version(number);
  if (!version) return;
  std::string& known = newest[family];
  if (known.empty() || *pep::parse_version(known) < *version) known = number;
}

}  // namespace

std::map<std::string, std::string> newest_versions(const std::vector<ElfMember>& files) {
  std::map<std::string, std::string> newest;
  for (const ElfMember& file : files) {
    for (const binary::VersionNeed& need : file.elf.version_needs) {
      for (const std::string& version : need.versions) take(version, newest);
    }
  }
  return newest;
}

}  // namespace pinwheel::inspect
