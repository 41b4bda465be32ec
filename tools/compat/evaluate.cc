#include "compat/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "compat/pin.h"
#include "compat/python_tags.h"
#include "inspect/bundled_library.h"
#include "inspect/gpu_library.h"
#include "inspect/libc.h"
#include "inspect/platform_tag.h"
#include "inspect/symbol_owner.h"

namespace pinwheel::compat {
namespace {

bool needs_torch(const inspect::LinkView& view) {
  const std::vector<std::string> needed = view.needed();
  return std::any_of(needed.begin(), needed.end(), inspect::is_torch_library);
}

/// The torch symbols that the wheel imports. A symbol without a namespace is torch's when a build
/// exports it and the wheel needs torch at all.
std::vector<std::string> torch_symbols(const inspect::LinkView& view, TorchTable& table) {
  std::vector<std::string> out;
  const bool linked = needs_torch(view);
  for (const std::string& symbol : view.symbols()) {
    const inspect::SymbolOwner owner = inspect::symbol_owner(symbol);
    const bool unnamed =
        owner == inspect::SymbolOwner::anybody && linked && table.history(symbol).first.has_value();
    if (owner == inspect::SymbolOwner::torch || unnamed) out.push_back(symbol);
  }
  return out;
}

TorchUse use_of(const std::vector<std::string>& symbols, const inspect::LinkView& view) {
  if (symbols.empty()) return needs_torch(view) ? TorchUse::stable : TorchUse::none;
  return std::all_of(symbols.begin(), symbols.end(), inspect::is_stable_shim) ? TorchUse::stable
                                                                              : TorchUse::classic;
}

std::optional<pep::Version> minimum_of(const std::vector<std::string>& shims, TorchTable& table) {
  std::optional<pep::Version> out;
  for (const std::string& shim : shims) {
    const SymbolHistory history = table.history(shim);
    if (!history.first) return std::nullopt;
    if (!out || *out < *history.first) out = history.first;
  }
  return out;
}

/// The tags of the build on which the wheel and the `--with` wheels install; a wheel without a
/// valid name installs on all.
std::vector<std::string> shared_pythons(const inspect::WheelFacts& facts,
                                        const Companions& companions,
                                        std::vector<std::string> tags) {
  std::erase_if(tags, [&](const std::string& tag) {
    const bool bars = facts.name && !runs_on(facts.name->tags, tag);
    return bars || std::any_of(companions.wheels.begin(), companions.wheels.end(),
                               [&](const pep::TagSet& other) { return !runs_on(other, tag); });
  });
  return tags;
}

Verdict verdict_of(const BuildVerdict& build, const TorchVerdicts& all) {
  if (!build.loads) return Verdict::no;
  if (lacks_library(build)) return Verdict::symbols_resolve;
  const bool stable = all.use == TorchUse::stable;
  const bool own = all.built_with && minor_of(*all.built_with) == minor_of(release_of(build.build));
  return stable || own ? Verdict::guaranteed : Verdict::symbols_resolve;
}

void take(inspect::Loading loading, BuildVerdict& verdict) {
  verdict.missing = std::move(loading.missing);
  verdict.undecided = std::move(loading.undecided);
  verdict.needed_unresolved = std::move(loading.absent);
  verdict.failing = std::move(loading.failing);
}

std::vector<std::string> copies_of_torch(const inspect::WheelFacts& facts) {
  std::vector<std::string> out;
  for (inspect::BundledLibrary& library : inspect::bundled_libraries(facts)) {
    if (library.distribution == "torch") out.push_back(std::move(library.member));
  }
  return out;
}

/// The inputs of one evaluation.
struct EvaluationInput {
  const inspect::LinkView& view;
  TorchTable& torch;
  const Companions& companions;
  bool needs_python =
      false;  ///< whether it needs torch's Python library, which differs for each Python
};

/// Evaluates every Python if the wheel needs torch's Python library, else one for all. The lists
/// are those of the first Python on which it does not load.
BuildVerdict judge(const EvaluationInput& input, uint32_t index, std::vector<std::string> pythons) {
  BuildVerdict out{input.torch.build(index), std::move(pythons), true};
  bool evaluated = false;
  for (const std::string& python : out.pythons) {
    inspect::Loading loading = input.view.load_with(
        input.torch.loaded_libraries(index, python, input.companions.libraries));
    const bool loads = loading.loads();
    if (!evaluated || (out.loads && !loads)) take(std::move(loading), out);
    out.loads = out.loads && loads;
    evaluated = true;
    if (!input.needs_python) break;
  }
  return out;
}

/// The architecture of a wheel's libraries, "x86_64"; of its tags when it has none.
std::string arch_of(const inspect::WheelFacts& facts) {
  if (!facts.libraries.empty()) {
    return binary::machine_name(facts.libraries.front().elf.machine);
  }
  if (!facts.name) return "x86_64";
  for (const std::string& platform : facts.name->tags.platform) {
    if (platform.ends_with("aarch64")) return "aarch64";
  }
  return "x86_64";
}

}  // namespace

std::string_view to_string(TorchUse use) {
  switch (use) {
    case TorchUse::none:
      return "none";
    case TorchUse::stable:
      return "stable";
    case TorchUse::classic:
      return "classic";
  }
  return "none";
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::guaranteed:
      return "guaranteed";
    case Verdict::symbols_resolve:
      return "symbols-resolve";
    case Verdict::no:
      return "no";
  }
  return "no";
}

bool lacks_library(const BuildVerdict& build) {
  return std::any_of(build.needed_unresolved.begin(), build.needed_unresolved.end(),
                     [](const inspect::AbsentLibrary& library) {
                       return inspect::is_torch_library(library.soname) ||
                              inspect::gpu_library(library.soname) == inspect::GpuLibrary::stack;
                     });
}

std::vector<CompanionLibrary> companion_libraries(const inspect::WheelFacts& other) {
  std::vector<CompanionLibrary> out;
  for (const inspect::ElfMember& library : other.libraries) {
    const std::string file(last_part(library.name));
    CompanionLibrary one{library.elf.soname.empty() ? file : library.elf.soname,
                         library.elf.needed};
    for (const binary::Symbol& symbol : library.elf.defined) one.exports.push_back(symbol.name);
    const bool renamed = one.soname != file;
    out.push_back(one);
    if (!renamed) continue;
    one.soname = file;
    out.push_back(std::move(one));
  }
  return out;
}

TorchVerdicts evaluate(const inspect::WheelFacts& facts, const exports::Table& table,
                       const Companions& companions) {
  const inspect::LinkView view(facts, companions.declared);
  TorchTable torch(table, arch_of(facts));
  const std::vector<std::string> symbols = torch_symbols(view, torch);
  const std::vector<std::string> needed = view.needed();
  TorchVerdicts out;
  out.copies = copies_of_torch(facts);
  out.unreachable = inspect::unreachable_libraries(facts, companions.declared);
  std::erase_if(out.unreachable, [](const auto& each) { return each.may_be_loaded; });
  out.of_musl = inspect::needs_of_libc(facts.libraries, pep::Libc::musl);
  out.use = out.copies.empty() ? use_of(symbols, view) : TorchUse::classic;
  if (out.use == TorchUse::stable) out.minimum = minimum_of(symbols, torch);
  if (facts.claim.torch) {
    const Result<pep::Version> version = pep::parse_version(*facts.claim.torch);
    if (version) out.built_with = pep::public_part(*version);
  }
  const bool needs_python =
      std::find(needed.begin(), needed.end(), exports::kPythonLibrary) != needed.end();
  const EvaluationInput input{view, torch, companions, needs_python};
  for (const uint32_t index : torch.builds()) {
    std::vector<std::string> pythons = shared_pythons(facts, companions, torch.pythons(index));
    if (pythons.empty()) continue;
    BuildVerdict verdict = judge(input, index, std::move(pythons));
    verdict.loads =
        verdict.loads && out.copies.empty() && out.unreachable.empty() && out.of_musl.empty();
    verdict.verdict = verdict_of(verdict, out);
    for (const inspect::WantedSymbol& symbol : verdict.missing) {
      if (!out.histories.contains(symbol.name)) {
        out.histories.emplace(symbol.name, torch.history(symbol.name));
      }
    }
    out.builds.push_back(std::move(verdict));
  }
  return out;
}

namespace {

/// The other libraries that export a symbol, as indexes into the loaded libraries.
using Others = std::unordered_map<std::string, std::vector<size_t>>;

}  // namespace

bool is_plain(const exports::Build& build) {
  return build.version.find('+') == std::string::npos;
}

pep::Version release_of(const exports::Build& build) {
  const Result<pep::Version> version = pep::parse_version(build.version);
  return version ? pep::public_part(*version) : pep::Version{0, {0}};
}

std::string to_string(const SymbolHistory& history) {
  if (!history.first) return "in no known release of torch";
  if (history.gone) {
    return fmt::format("until {}, gone in {}", pep::to_string(*history.last),
                       pep::to_string(*history.gone));
  }
  if (history.since_oldest) return "in every known release";
  return "since " + pep::to_string(*history.first);
}

std::vector<uint32_t> TorchTable::builds() const {
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < table_.builds().size(); ++i) {
    if (table_.builds()[i].arch == arch_) out.push_back(i);
  }
  return out;
}

std::vector<std::string> TorchTable::pythons(uint32_t build) const {
  std::vector<std::string> out;
  for (const exports::Record& record : table_.libraries()) {
    if (record.build == build && record.soname == exports::kPythonLibrary)
      out.push_back(record.python);
  }
  return out;
}

std::span<const uint32_t> TorchTable::exporters(const std::string& symbol) {
  const auto known = found_.find(symbol);
  if (known != found_.end()) return known->second;
  return found_.emplace(symbol, table_.exporters(symbol)).first->second;
}

inspect::LoadedLibraries TorchTable::loaded_libraries(uint32_t build, const std::string& python,
                                                      const std::vector<CompanionLibrary>& others) {
  inspect::LoadedLibraries out;
  std::map<uint32_t, size_t> local;
  for (uint32_t i = 0; i < table_.libraries().size(); ++i) {
    const exports::Record& record = table_.libraries()[i];
    if (record.build != build || (!record.python.empty() && record.python != python)) continue;
    local.emplace(i, out.libraries.size());
    out.libraries.push_back({record.soname, record.needed});
  }
  Others given;
  for (const CompanionLibrary& other : others) {
    for (const std::string& symbol : other.exports) given[symbol].push_back(out.libraries.size());
    out.libraries.push_back({other.soname, other.needed});
  }
  out.exporters = [this, local = std::move(local),
                   given = std::move(given)](const std::string& symbol) {
    std::vector<size_t> found;
    for (const uint32_t record : exporters(symbol)) {
      const auto here = local.find(record);
      if (here != local.end()) found.push_back(here->second);
    }
    const auto other = given.find(symbol);
    if (other != given.end()) found.insert(found.end(), other->second.begin(), other->second.end());
    return found;
  };
  return out;
}

const std::vector<pep::Version>& TorchTable::releases() {
  if (!releases_.empty()) return releases_;
  for (const uint32_t build : builds()) {
    pep::Version release = release_of(table_.builds()[build]);
    if (releases_.empty() || releases_.back() != release) releases_.push_back(std::move(release));
  }
  return releases_;
}

SymbolHistory TorchTable::history(const std::string& symbol) {
  SymbolHistory out;
  for (const uint32_t record : exporters(symbol)) {
    const exports::Build& build = table_.builds()[table_.libraries()[record].build];
    if (build.arch != arch_) continue;
    const pep::Version release = release_of(build);
    if (!out.first || release < *out.first) out.first = release;
    if (!out.last || *out.last < release) out.last = release;
  }
  if (!out.first) return out;
  out.since_oldest = *out.first == releases().front();
  const auto next = std::upper_bound(releases().begin(), releases().end(), *out.last);
  if (next != releases().end()) out.gone = *next;
  return out;
}

}  // namespace pinwheel::compat
