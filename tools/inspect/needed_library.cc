#include "inspect/needed_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "inspect/libc.h"
#include "inspect/policy.h"

namespace pinwheel::inspect {
namespace {

bool is_on_every_system(const std::string& soname, const std::string& arch, pep::Libc libc) {
  if (libc == pep::Libc::musl) return is_musl_system_library(soname);
  const std::span<const Policy> known = policies(arch);
  return !known.empty() && is_system_library(soname, known.back());
}

/// The name without its version, which a pattern leaves open: "libjpeg" for "libjpeg.so.*".
std::string bare_soname(std::string_view soname) {
  return std::string(soname.substr(0, std::min(soname.find(".so"), soname.find('*'))));
}

std::string nearest_library(std::string_view pattern, const std::set<std::string>& needed) {
  if (needed.empty()) return "the wheel needs no library";
  std::map<std::string, std::string> by_stem;
  std::vector<std::string> stems;
  for (const std::string& name : needed) {
    stems.push_back(bare_soname(name));
    by_stem.emplace(stems.back(), name);
  }
  if (const auto near = nearest(bare_soname(pattern), stems)) {
    return fmt::format("did you mean {}?", quoted(by_stem.at(*near)));
  }
  return suggest(pattern, {needed.begin(), needed.end()});
}

}  // namespace

std::string to_string(Provider provider) {
  switch (provider) {
    case Provider::system:
      return "the system";
    case Provider::own:
      return "the wheel itself";
    case Provider::torch:
      return "torch";
    case Provider::gpu:
      return "the GPU driver or its vendor's wheels";
    case Provider::declared:
      return "a declared external library";
    case Provider::nobody:
      return "an unknown provider";
  }
  return "an unknown provider";
}

std::string_view provider_id(Provider provider) {
  switch (provider) {
    case Provider::system:
      return "system";
    case Provider::own:
      return "own";
    case Provider::torch:
      return "torch";
    case Provider::gpu:
      return "gpu";
    case Provider::declared:
      return "declared";
    case Provider::nobody:
      return "nobody";
  }
  return "nobody";
}

LoadPlace load_place(const WheelFacts& facts) {
  LoadPlace place;
  if (!facts.libraries.empty()) {
    place.arch = binary::machine_name(facts.libraries.front().elf.machine);
  }
  place.libc = libc_of(facts.libraries).value_or(std::nullopt).value_or(pep::Libc::glibc);
  return place;
}

Provider outside_provider(const LoadPlace& place, const std::string& soname,
                          const std::vector<std::string>& external) {
  if (is_on_every_system(soname, place.arch, place.libc)) return Provider::system;
  if (is_torch_library(soname)) return Provider::torch;
  if (is_external_library(soname, {})) return Provider::gpu;
  return is_external_library(soname, external) ? Provider::declared : Provider::nobody;
}

std::vector<NeededLibrary> needed_libraries(const WheelFacts& facts,
                                            const std::vector<std::string>& external) {
  const std::set<std::string> own = own_sonames(facts.libraries);
  LoadPlace place = load_place(facts);
  const auto provider_of = [&](const std::string& soname) {
    return own.count(soname) != 0 ? Provider::own : outside_provider(place, soname, external);
  };
  std::map<std::string, NeededLibrary> found;
  for (const ElfMember& library : facts.libraries) {
    place.arch = binary::machine_name(library.elf.machine);
    for (const std::string& soname : library.elf.needed) {
      NeededLibrary& entry = found[soname];
      if (entry.needed_by.empty()) entry = {soname, provider_of(soname)};
      entry.needed_by.push_back(library.name);
    }
  }
  std::vector<NeededLibrary> out;
  out.reserve(found.size());
  for (auto& [soname, library] : found) out.push_back(std::move(library));
  return out;
}

std::set<std::string> needed_names(const std::vector<ElfMember>& libraries) {
  std::set<std::string> names;
  for (const ElfMember& library : libraries) {
    names.insert(library.elf.needed.begin(), library.elf.needed.end());
  }
  return names;
}

std::vector<Error> unmatched_patterns(std::string_view option,
                                      const std::vector<std::string>& patterns,
                                      const std::set<std::string>& needed) {
  std::vector<Error> warnings;
  for (const std::string& pattern : patterns) {
    const auto matches = [&](const std::string& name) { return glob_match(pattern, name); };
    if (std::any_of(needed.begin(), needed.end(), matches)) continue;
    warnings.push_back(
        {ErrorKind::config,
         fmt::format("no library matches {}", quoted(fmt::format("{} {}", option, pattern))),
         std::nullopt, nearest_library(pattern, needed)});
  }
  return warnings;
}

}  // namespace pinwheel::inspect
