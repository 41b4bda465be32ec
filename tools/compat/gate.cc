#include "compat/gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "compat/demangle.h"
#include "pep/version.h"

namespace pinwheel::compat {
namespace {

constexpr const char* kHint =
    "build against that torch, require one that loads (`pinwheel compat` shows the range), or use "
    "only torch's Stable ABI";

std::vector<std::string> absent_torch_libraries(const BuildVerdict& build) {
  std::vector<std::string> out;
  for (const inspect::AbsentLibrary& library : build.needed_unresolved) {
    if (inspect::is_torch_library(library.soname)) out.push_back(library.soname);
  }
  return out;
}

std::string history_of(const std::string& symbol, const TorchVerdicts& all) {
  const auto found = all.histories.find(symbol);
  return to_string(found == all.histories.end() ? SymbolHistory{} : found->second);
}

std::string culprit(const BuildVerdict& build, const TorchVerdicts& all) {
  if (!all.copies.empty()) return all.copies.front();
  if (!all.unreachable.empty()) return all.unreachable.front().needed_by;
  if (!build.missing.empty()) return build.missing.front().wanted_by.front();
  for (const inspect::AbsentLibrary& library : build.needed_unresolved) {
    if (inspect::is_torch_library(library.soname)) return library.needed_by.front();
  }
  return "";
}

inspect::Finding finding_for(const BuildVerdict& build, const TorchVerdicts& all) {
  std::string evidence = build.missing.empty() ? "" : build.missing.front().name;
  return {"undefined-symbols", culprit(build, all),
          fmt::format("does not load on torch {}: {}", build.build.version, why_not(build, all)),
          std::move(evidence), kHint};
}

}  // namespace

Obstacle obstacle_on(const BuildVerdict& build, const TorchVerdicts& all) {
  if (build.loads) return {};
  if (!all.copies.empty()) {
    return {fmt::format(
        "the wheel has its own copy of a library of torch, {}, and importing both aborts",
        quoted(all.copies.front()))};
  }
  if (!all.unreachable.empty()) {
    const inspect::UnreachableLibrary& first = all.unreachable.front();
    return {quoted(first.needed_by) + " " + to_words(first)};
  }
  if (!all.of_musl.empty()) return {all.of_musl.front() + ", and torch is built for glibc"};
  const std::vector<std::string> absent = absent_torch_libraries(build);
  // An absent library implies that its symbols are missing.
  if (!absent.empty()) return {fmt::format("it has no {}", quoted_list(absent))};
  const inspect::WantedSymbol& first = build.missing.front();
  return {fmt::format("{} is missing ({})", quoted(brief_name(demangle(first.name))),
                      history_of(first.name, all)),
          build.missing.size() - 1};
}

std::string why_not(const BuildVerdict& build, const TorchVerdicts& all) {
  const Obstacle obstacle = obstacle_on(build, all);
  if (obstacle.others == 0) return obstacle.what;
  return fmt::format("{}, and {} more", obstacle.what, obstacle.others);
}

std::optional<pep::SpecifierSet> declared_range(const std::string& version, PinBy by) {
  const Result<pep::Version> parsed = pep::parse_version(version);
  if (!parsed) return std::nullopt;
  if (by == PinBy::release) return pep::SpecifierSet{{pep::Comparison::at_least, *parsed}};
  return pep::SpecifierSet{{pep::Comparison::equal, minor_of(*parsed), true}};
}

GateResult gate(const TorchVerdicts& torch, const pep::SpecifierSet& range, OtherKinds kinds) {
  GateResult out;
  for (const BuildVerdict& build : torch.builds) {
    const Result<pep::Version> version = pep::parse_version(build.build.version);
    if (!version || !pep::satisfies(*version, range)) continue;
    const bool of_another_kind = !absent_torch_libraries(build).empty();
    if (of_another_kind && (kinds == OtherKinds::none || !is_plain(build.build))) continue;
    ++out.judged;
    if (!build.loads) out.findings.push_back(finding_for(build, torch));
  }
  return out;
}

}  // namespace pinwheel::compat
