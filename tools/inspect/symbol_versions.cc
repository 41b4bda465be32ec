#include "inspect/symbol_versions.h"

#include <algorithm>
#include <array>

#include "pep/version.h"

namespace pinwheel::inspect {
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
