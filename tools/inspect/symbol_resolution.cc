#include "inspect/symbol_resolution.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "inspect/gpu_library.h"
#include "inspect/libc.h"
#include "inspect/policy.h"
#include "inspect/python_abi.h"
#include "inspect/required_libraries.h"
#include "inspect/symbol_owner.h"

namespace pinwheel::inspect {
namespace {

// These libraries version every symbol, so an unversioned symbol was not linked against them.
constexpr std::array<std::string_view, 12> kVersioned = {
    "libc.so.6",      "libm.so.6",     "libpthread.so.0", "libdl.so.2",
    "librt.so.1",     "libutil.so.1",  "libanl.so.1",     "libmvec.so.1",
    "libstdc++.so.6", "libgcc_s.so.1", "libatomic.so.1",  "libresolv.so.2"};
constexpr std::array<std::string_view, 3> kOpenMp = {"libgomp*", "libiomp*", "libomp*"};

template <class Patterns>
bool matches_one_of(const Patterns& patterns, const std::string& text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](std::string_view pattern) { return glob_match(pattern, text); });
}

bool is_versioned_system_library(const std::string& soname) {
  return soname.starts_with("ld-linux") ||
         std::find(kVersioned.begin(), kVersioned.end(), soname) != kVersioned.end();
}

bool is_everywhere(const std::string& soname) {
  // The system libraries are the same for all architectures.
  return is_system_library(soname, policies("x86_64").back()) || is_musl_itself(soname);
}

bool is_gpu_library(const std::string& soname) {
  const GpuLibrary kind = gpu_library(soname);
  return kind != GpuLibrary::none && kind != GpuLibrary::loader;
}

bool defines(const binary::Elf& elf, const binary::Symbol& wanted) {
  return std::any_of(elf.defined.begin(), elf.defined.end(), [&](const binary::Symbol& symbol) {
    return symbol.name == wanted.name &&
           (symbol.version.empty() || symbol.version == wanted.version);
  });
}

using ByName = std::map<std::string, std::set<std::string>>;

template <class Entry>
std::vector<Entry> listed(const ByName& found) {
  std::vector<Entry> out;
  out.reserve(found.size());
  for (const auto& [name, members] : found) {
    out.push_back({name, {members.begin(), members.end()}});
  }
  return out;
}

/// Resolves one wheel against one set of loaded libraries.
class Judge {
 public:
  Judge(const WheelFacts& facts, const std::vector<std::string>& declared,
        const std::vector<std::string>& symbols, const LoadedLibraries& loaded_libraries)
      : facts_(facts),
        declared_(declared),
        symbols_(symbols),
        loaded_libraries_(loaded_libraries),
        exporters_(symbols.size()),
        asked_(symbols.size(), false) {
    for (const OutsideLibrary& library : loaded_libraries.libraries) {
      brought_.insert(library.needed.begin(), library.needed.end());
    }
    for (size_t i = 0; i < loaded_libraries.libraries.size(); ++i) {
      outside_.emplace(loaded_libraries.libraries[i].soname, i);
    }
    has_gpu_ = std::any_of(brought_.begin(), brought_.end(), is_gpu_library);
  }

  /// Whether the library can be opened, as far as known.
  bool open(const OpenedLibrary& root) {
    const Scope scope = scope_of(root);
    bool works = true;
    for (const OpenedLibrary::Need& need : root.needed) {
      if (is_brought(need.soname)) continue;
      works = false;
      if (root.entry) absent_[need.soname].insert(member(need.member));
    }
    for (const OpenedLibrary::Import& import : root.broken) {
      note(missing_, root, import);
      works = false;
    }
    for (const OpenedLibrary::Import& import : root.imports) {
      const Outcome outcome = outcome_of(import, scope);
      if (outcome == Outcome::given) continue;
      note(outcome == Outcome::missing ? missing_ : undecided_, root, import);
      if (outcome == Outcome::missing) works = false;
    }
    return works;
  }

  Loading result(std::vector<std::string> failing) && {
    std::sort(failing.begin(), failing.end());
    return {listed<WantedSymbol>(missing_), listed<WantedSymbol>(undecided_),
            listed<AbsentLibrary>(absent_), std::move(failing)};
  }

 private:
  enum class Outcome { given, missing, undecided };
  struct Scope {
    std::set<size_t> outside = {};
    bool unknown = false;  ///< contains a library with unknown exports
    bool gpu = false;
    bool openmp = false;
  };

  const std::string& member(size_t index) const { return facts_.libraries[index].name; }

  /// Only what keeps an entry from loading is reported; a helper may rely on the library that loads
  /// it.
  void note(ByName& into, const OpenedLibrary& root, const OpenedLibrary::Import& import) const {
    if (root.entry) into[symbols_[import.symbol]].insert(member(import.member));
  }

  bool is_brought(const std::string& soname) const {
    return outside_.contains(soname) || brought_.contains(soname) || is_everywhere(soname) ||
           is_driver_library(soname) || is_required_library(facts_, soname) ||
           matches_one_of(declared_, soname);
  }

  void enter(const std::string& soname, Scope& scope) const {
    const auto found = outside_.find(soname);
    if (found != outside_.end()) {
      if (!scope.outside.insert(found->second).second) return;
      for (const std::string& next : loaded_libraries_.libraries[found->second].needed)
        enter(next, scope);
      return;
    }
    if (matches_one_of(kOpenMp, soname)) scope.openmp = true;
    if (is_gpu_library(soname)) scope.gpu = true;
  }

  Scope scope_of(const OpenedLibrary& root) const {
    Scope scope;
    // `import torch` loads the GPU libraries into the global scope.
    scope.gpu = has_gpu_;
    for (const OpenedLibrary::Need& need : root.needed) {
      enter(need.soname, scope);
      const bool from_torch = brought_.contains(need.soname) && !is_everywhere(need.soname);
      const bool known = outside_.contains(need.soname) || from_torch ||
                         is_versioned_system_library(need.soname) ||
                         is_torch_library(need.soname) ||
                         gpu_library(need.soname) == GpuLibrary::stack;
      if (!known) scope.unknown = true;
    }
    return scope;
  }

  const std::vector<size_t>& exporters_of(size_t symbol) {
    if (!asked_[symbol]) {
      asked_[symbol] = true;
      if (loaded_libraries_.exporters)
        exporters_[symbol] = loaded_libraries_.exporters(symbols_[symbol]);
    }
    return exporters_[symbol];
  }

  Outcome outcome_of(const OpenedLibrary::Import& import, const Scope& scope) {
    const std::vector<size_t>& exporters = exporters_of(import.symbol);
    const bool given = std::any_of(exporters.begin(), exporters.end(),
                                   [&](size_t library) { return scope.outside.contains(library); });
    if (given) return Outcome::given;
    if (!import.library.empty()) {
      return outside_.contains(import.library) ? Outcome::missing : Outcome::given;
    }
    switch (symbol_owner(symbols_[import.symbol])) {
      case SymbolOwner::torch:
        return Outcome::missing;
      case SymbolOwner::interpreter:
        return Outcome::given;
      case SymbolOwner::gpu:
        if (scope.gpu) return Outcome::given;
        break;
      case SymbolOwner::openmp:
        if (scope.openmp) return Outcome::given;
        break;
      case SymbolOwner::cxx_runtime:
      case SymbolOwner::c_library:
        return Outcome::undecided;
      case SymbolOwner::anybody:
        break;
    }
    return scope.unknown ? Outcome::undecided : Outcome::missing;
  }

  const WheelFacts& facts_;
  const std::vector<std::string>& declared_;
  const std::vector<std::string>& symbols_;
  const LoadedLibraries& loaded_libraries_;
  std::map<std::string, size_t> outside_;
  std::set<std::string> brought_;
  bool has_gpu_ = false;
  std::vector<std::vector<size_t>> exporters_;
  std::vector<bool> asked_;
  ByName missing_;
  ByName undecided_;
  ByName absent_;
};

}  // namespace

bool Loading::loads() const {
  return missing.empty() &&
         std::none_of(absent.begin(), absent.end(), [](const AbsentLibrary& library) {
           return is_torch_library(library.soname);
         });
}

LinkView::LinkView(const WheelFacts& facts, std::vector<std::string> declared)
    : facts_(&facts), declared_(std::move(declared)) {
  for (size_t i = 0; i < facts.libraries.size(); ++i) {
    const ElfMember& library = facts.libraries[i];
    if (!library.elf.soname.empty()) own_.emplace(library.elf.soname, i);
    own_.emplace(last_part(library.name), i);
  }
  std::set<size_t> drawn_in;
  for (size_t i = 0; i < facts.libraries.size(); ++i) {
    for (const std::string& soname : facts.libraries[i].elf.needed) {
      const auto found = own_.find(soname);
      if (found != own_.end() && found->second != i) drawn_in.insert(found->second);
    }
  }
  std::map<std::string, size_t> numbers;
  for (size_t i = 0; i < facts.libraries.size(); ++i) {
    opened_.push_back(opened(i, numbers));
    opened_.back().entry = !drawn_in.contains(i) || defines_module(facts.libraries[i].elf);
  }
  std::vector<size_t> renumbered(numbers.size());
  for (const auto& [name, number] : numbers) {
    renumbered[number] = symbols_.size();
    symbols_.push_back(name);
  }
  for (OpenedLibrary& root : opened_) {
    for (OpenedLibrary::Import& import : root.imports) import.symbol = renumbered[import.symbol];
    for (OpenedLibrary::Import& import : root.broken) import.symbol = renumbered[import.symbol];
  }
}

std::vector<size_t> LinkView::own_closure(size_t root) const {
  std::vector<size_t> closure = {root};
  for (size_t at = 0; at < closure.size(); ++at) {
    for (const std::string& soname : facts_->libraries[closure[at]].elf.needed) {
      const auto found = own_.find(soname);
      if (found == own_.end()) continue;
      if (std::find(closure.begin(), closure.end(), found->second) == closure.end()) {
        closure.push_back(found->second);
      }
    }
  }
  return closure;
}

void LinkView::add_import(const binary::Symbol& symbol, const ImportContext& context,
                          OpenedLibrary& out) const {
  if (symbol.binding == binary::Binding::weak || is_everywhere(symbol.library)) return;
  const auto owner = own_.find(symbol.library);
  const bool own = owner != own_.end();
  if (own && defines(facts_->libraries[owner->second].elf, symbol)) return;
  if (!own && context.given.contains(symbol.name)) return;
  const size_t number = context.numbers.emplace(symbol.name, context.numbers.size()).first->second;
  (own ? out.broken : out.imports).push_back({number, context.member, symbol.library});
}

OpenedLibrary LinkView::opened(size_t root, std::map<std::string, size_t>& numbers) const {
  OpenedLibrary out;
  const std::vector<size_t> closure = own_closure(root);
  std::set<std::string_view> given;
  for (const size_t member : closure) {
    for (const binary::Symbol& symbol : facts_->libraries[member].elf.defined) {
      given.insert(symbol.name);
    }
  }
  for (const size_t member : closure) {
    const binary::Elf& elf = facts_->libraries[member].elf;
    for (const std::string& soname : elf.needed) {
      if (!own_.contains(soname)) out.needed.push_back({soname, member});
    }
    for (const binary::Symbol& symbol : elf.undefined) {
      add_import(symbol, {member, given, numbers}, out);
    }
  }
  return out;
}

Loading LinkView::load_with(const LoadedLibraries& loaded_libraries) const {
  Judge judge(*facts_, declared_, symbols_, loaded_libraries);
  std::vector<std::string> failing;
  for (size_t i = 0; i < opened_.size(); ++i) {
    if (!judge.open(opened_[i])) failing.push_back(facts_->libraries[i].name);
  }
  return std::move(judge).result(std::move(failing));
}

std::vector<std::string> LinkView::needed() const {
  std::set<std::string> out;
  for (const OpenedLibrary& root : opened_) {
    for (const OpenedLibrary::Need& need : root.needed) out.insert(need.soname);
  }
  return {out.begin(), out.end()};
}

std::vector<std::string> LinkView::entries() const {
  std::vector<std::string> out;
  for (size_t i = 0; i < opened_.size(); ++i) {
    if (opened_[i].entry) out.push_back(facts_->libraries[i].name);
  }
  return out;
}

}  // namespace pinwheel::inspect
