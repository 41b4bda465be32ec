#include "compat/distributions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "pep/version.h"

namespace pinwheel::compat {
namespace {

struct Distribution {
  std::string_view name;
  std::string_view glibc;
  std::string_view glibcxx;
  std::string_view cxxabi;
};

// The C library is that of the distribution's package (glibc, libc6). libstdc++ is the package that
// its updates install (libstdc++6, libstdc++), which on Debian and Ubuntu may be newer than the
// compiler: GCC 4.8.5, 10, 10, 11, 12, 12, 14, 14 in this order, and 15 at least for Ubuntu 26.04.
// What a release of GCC defines is in libstdc++'s manual, "ABI Policy and Guidelines".
constexpr std::array<Distribution, 9> kDistributions = {{
    {"CentOS 7", "2.17", "3.4.19", "1.3.7"},
    {"Debian 11", "2.31", "3.4.28", "1.3.12"},
    {"Ubuntu 20.04", "2.31", "3.4.28", "1.3.12"},
    {"Amazon Linux 2023", "2.34", "3.4.29", "1.3.13"},
    {"Ubuntu 22.04", "2.35", "3.4.30", "1.3.13"},
    {"Debian 12", "2.36", "3.4.30", "1.3.13"},
    {"Ubuntu 24.04", "2.39", "3.4.33", "1.3.15"},
    {"Debian 13", "2.41", "3.4.33", "1.3.15"},
    {"Ubuntu 26.04", "2.43", "3.4.34", "1.3.16"},
}};

std::set<std::string> own_names(const inspect::WheelFacts& facts) {
  std::set<std::string> out;
  for (const inspect::ElfMember& library : facts.libraries) {
    out.insert(library.name.substr(library.name.rfind('/') + 1));
    if (!library.elf.soname.empty()) out.insert(library.elf.soname);
  }
  return out;
}

bool has(const Distribution& distribution, const std::string& version) {
  // Relative relocations came with glibc 2.36.
  if (version == "GLIBC_ABI_DT_RELR") return has(distribution, "GLIBC_2.36");
  const std::array<std::pair<std::string_view, std::string_view>, 3> families = {
      {{"GLIBC_", distribution.glibc},
       {"GLIBCXX_", distribution.glibcxx},
       {"CXXABI_", distribution.cxxabi}}};
  for (const auto& [family, newest] : families) {
    if (!version.starts_with(family)) continue;
    const Result<pep::Version> wanted = pep::parse_version(version.substr(family.size()));
    return !wanted || *wanted <= *pep::parse_version(newest);
  }
  return true;
}

/// What a library asks of the system that the distribution lacks.
void judge(const inspect::ElfMember& library, const std::set<std::string>& own,
           const Distribution& distribution, std::vector<std::string>& reasons) {
  for (const binary::VersionNeed& need : library.elf.version_needs) {
    if (own.contains(need.library)) continue;
    for (const std::string& version : need.versions) {
      if (has(distribution, version)) continue;
      reasons.push_back(fmt::format("{} needs {}", quoted(library.name), quoted(version)));
    }
  }
}

}  // namespace

std::vector<DistributionVerdict> judge_distributions(const inspect::WheelFacts& facts) {
  const std::set<std::string> own = own_names(facts);
  std::vector<DistributionVerdict> out;
  for (const Distribution& distribution : kDistributions) {
    DistributionVerdict verdict{distribution.name, distribution.glibc};
    for (const inspect::ElfMember& library : facts.libraries) {
      judge(library, own, distribution, verdict.reasons);
    }
    verdict.runs = verdict.reasons.empty();
    out.push_back(std::move(verdict));
  }
  return out;
}

}  // namespace pinwheel::compat
