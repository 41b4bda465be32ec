#include "compat/distributions.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/text.h"
#include "inspect/libc.h"
#include "inspect/library_lookup.h"
#include "inspect/unprovided_symbols.h"
#include "pep/version.h"

namespace pinwheel::compat {
namespace {

struct Distribution {
  std::string_view name;
  std::string_view glibc;
  std::string_view glibcxx;
  std::string_view cxxabi;
};

// The C library is the distribution's package (glibc, libc6). libstdc++ is the package with all
// updates (libstdc++6, libstdc++), which on Debian and Ubuntu may be newer than the compiler: GCC
// 4.8.5, 10, 10, 11, 12, 12, 14, 14, 16 in this order. The versions of each GCC release are in the
// libstdc++ manual, "ABI Policy and Guidelines".
constexpr std::array<Distribution, 9> kDistributions = {{
    {"CentOS 7", "2.17", "3.4.19", "1.3.7"},
    {"Debian 11", "2.31", "3.4.28", "1.3.12"},
    {"Ubuntu 20.04", "2.31", "3.4.28", "1.3.12"},
    {"Amazon Linux 2023", "2.34", "3.4.29", "1.3.13"},
    {"Ubuntu 22.04", "2.35", "3.4.30", "1.3.13"},
    {"Debian 12", "2.36", "3.4.30", "1.3.13"},
    {"Ubuntu 24.04", "2.39", "3.4.33", "1.3.15"},
    {"Debian 13", "2.41", "3.4.33", "1.3.15"},
    {"Ubuntu 26.04", "2.43", "3.4.35", "1.3.17"},
}};

/// The newest version of a family that the wheel needs, and the first member that needs it.
struct Newest {
  std::string version;  ///< "GLIBC_2.28"
  pep::Version number;
  std::string member;
};
using Wants = std::map<std::string_view, Newest>;  ///< by family

constexpr std::array<std::string_view, 3> kFamilies = {"GLIBC_", "GLIBCXX_", "CXXABI_"};

void take(const std::string& version, const std::string& member, Wants& wants) {
  for (const std::string_view family : kFamilies) {
    if (!version.starts_with(family)) continue;
    // Relative relocations were added in glibc 2.36.
    const std::string number =
        version == "GLIBC_ABI_DT_RELR" ? "2.36" : version.substr(family.size());
    const Result<pep::Version> parsed = pep::parse_version(number);
    if (!parsed) continue;  // names such as CXXABI_FLOAT128 are as old as the policies
    const auto known = wants.find(family);
    if (known == wants.end() || known->second.number < *parsed) {
      wants.insert_or_assign(family, Newest{version, *parsed, member});
    }
  }
}

Wants wants_of(const inspect::WheelFacts& facts) {
  const std::set<std::string> own = inspect::own_sonames(facts.libraries);
  Wants wants;
  for (const inspect::ElfMember& library : facts.libraries) {
    for (const binary::VersionNeed& need : library.elf.version_needs) {
      if (own.contains(need.library)) continue;
      for (const std::string& version : need.versions) take(version, library.name, wants);
    }
  }
  return wants;
}

int minor_of_glibc(std::string_view glibc) {
  return static_cast<int>(pep::parse_version(glibc)->release[1]);
}

/// Why packed relocations prevent a library from loading with a glibc; empty if they do not, or if
/// the version that announces them already shows it.
std::string packed_reason(const inspect::ElfMember& library, std::string_view glibc) {
  const inspect::PackedRelocations packed = inspect::packed_relocations(library.elf);
  if (packed == inspect::PackedRelocations::unannounced) {
    return quoted(library.name) + " has packed relocations without `GLIBC_ABI_DT_RELR`";
  }
  const bool unversioned = packed == inspect::PackedRelocations::unversioned;
  if (!unversioned || minor_of_glibc(glibc) >= inspect::kPackedSince) return "";
  return quoted(library.name) + " has packed relocations";
}

/// The libraries of the wheel itself that its modules do not find.
std::vector<std::string> lacks_of(const inspect::WheelFacts& facts) {
  std::vector<std::string> out;
  for (const inspect::UnreachableLibrary& each : inspect::unreachable_libraries(facts, {})) {
    if (each.may_be_loaded) continue;
    out.push_back(quoted(each.needed_by) + " " + to_words(each));
  }
  return out;
}

/// The symbols that prevent a library from loading with the oldest of the C libraries, one for each
/// library and each release that would help.
std::vector<inspect::UnprovidedSymbol> unprovided_by_oldest(const inspect::WheelFacts& facts) {
  const int oldest = minor_of_glibc(kDistributions.front().glibc);
  std::set<std::tuple<std::string, std::optional<inspect::LibcRelease>>> reported;
  std::vector<inspect::UnprovidedSymbol> out;
  for (inspect::UnprovidedSymbol& symbol :
       inspect::unprovided_symbols(facts, {pep::Libc::glibc, oldest})) {
    if (reported.emplace(symbol.member, symbol.since).second) out.push_back(std::move(symbol));
  }
  return out;
}

}  // namespace

std::vector<DistributionVerdict> judge_distributions(const inspect::WheelFacts& facts) {
  const Wants wants = wants_of(facts);
  // Without musl, nothing else matters; the first member is enough.
  std::vector<std::string> of_musl = inspect::needs_of_libc(facts.libraries, pep::Libc::musl);
  if (of_musl.size() > 1) of_musl.resize(1);
  std::vector<std::string> everywhere = lacks_of(facts);
  everywhere.insert(everywhere.begin(), of_musl.begin(), of_musl.end());
  const std::vector<inspect::UnprovidedSymbol> unprovided =
      of_musl.empty() ? unprovided_by_oldest(facts) : std::vector<inspect::UnprovidedSymbol>{};
  std::vector<DistributionVerdict> out;
  for (const Distribution& distribution : kDistributions) {
    DistributionVerdict verdict{distribution.name, distribution.glibc};
    const std::map<std::string_view, std::string_view> has = {{"GLIBC_", distribution.glibc},
                                                              {"GLIBCXX_", distribution.glibcxx},
                                                              {"CXXABI_", distribution.cxxabi}};
    for (const auto& [family, newest] : wants) {
      if (newest.number <= *pep::parse_version(has.at(family))) continue;
      verdict.reasons.push_back(
          fmt::format("{} needs {}", quoted(newest.member), quoted(newest.version)));
    }
    for (const inspect::UnprovidedSymbol& symbol : unprovided) {
      if (symbol.since && symbol.since->minor <= minor_of_glibc(distribution.glibc)) continue;
      verdict.reasons.push_back(fmt::format("{} needs {}, which nothing provides",
                                            quoted(symbol.member), quoted(symbol.name)));
    }
    for (const inspect::ElfMember& library : facts.libraries) {
      std::string reason = packed_reason(library, distribution.glibc);
      if (!reason.empty()) verdict.reasons.push_back(std::move(reason));
    }
    verdict.reasons.insert(verdict.reasons.begin(), everywhere.begin(), everywhere.end());
    verdict.runs = verdict.reasons.empty();
    out.push_back(std::move(verdict));
  }
  return out;
}

}  // namespace pinwheel::compat
