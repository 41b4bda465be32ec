#include "inspect/unprovided_symbols.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"
#include "inspect/libc.h"
#include "inspect/symbol_owner.h"

namespace pinwheel::inspect {
namespace {

/// Libraries whose exports are known: those of the table, and the C++ runtime, by its names.
bool has_known_exports(const std::string& soname) {
  constexpr std::array<std::string_view, 14> kKnown = {
      "libc.so.6",     "libm.so.6",      "libpthread.so.0", "libdl.so.2",     "librt.so.1",
      "libutil.so.1",  "libanl.so.1",    "libmvec.so.1",    "libresolv.so.2", "libz.so.1",
      "libgcc_s.so.1", "libstdc++.so.6", "libatomic.so.1",  "linux-vdso.so.1"};
  return soname.starts_with("ld-linux") || is_musl_itself(soname) ||
         std::find(kKnown.begin(), kKnown.end(), soname) != kKnown.end();
}

/// The scope of a library besides the symbols of the wheel.
struct Scope {
  bool unknown = false;      ///< a library whose exports are not known
  bool cxx_runtime = false;  ///< libstdc++, libgcc_s or libatomic
};

bool is_cxx_runtime(std::string_view soname) {
  return soname.starts_with("libstdc++.") || soname.starts_with("libgcc_s.") ||
         soname.starts_with("libatomic.");
}

class Linker {
 public:
  explicit Linker(const WheelFacts& facts) : facts_(facts), scopes_(facts.libraries.size()) {
    for (size_t i = 0; i < facts.libraries.size(); ++i) {
      const ElfMember& library = facts.libraries[i];
      if (!library.elf.soname.empty()) own_.emplace(library.elf.soname, i);
      own_.emplace(last_part(library.name), i);
      for (const binary::Symbol& symbol : library.elf.defined) defined_.insert(symbol.name);
    }
    for (size_t i = 0; i < facts.libraries.size(); ++i) open(i);
  }

  std::vector<UnprovidedSymbol> missing(const LibcRelease& release) const {
    std::vector<UnprovidedSymbol> out;
    for (size_t i = 0; i < facts_.libraries.size(); ++i) {
      if (scopes_[i].unknown) continue;
      std::map<std::string, std::optional<LibcRelease>> names;
      for (const binary::Symbol& symbol : facts_.libraries[i].elf.undefined) {
        const std::optional<LibcRelease> since = exported_since(symbol.name, release.libc);
        if (since && *since <= release) continue;
        if (is_wanted(symbol, release.libc, scopes_[i])) names.emplace(symbol.name, since);
      }
      for (const auto& [name, since] : names) {
        out.push_back({name, facts_.libraries[i].name, since});
      }
    }
    return out;
  }

 private:
  /// Whether the symbol must come from a C library, and neither the wheel nor another library has
  /// it.
  bool is_wanted(const binary::Symbol& symbol, pep::Libc libc, const Scope& scope) const {
    if (symbol.binding != binary::Binding::global || defined_.contains(symbol.name)) return false;
    if (libc == pep::Libc::glibc && !symbol.version.empty()) return false;
    if (is_exported_by_zlib(symbol.name)) return false;
    switch (symbol_owner(symbol.name)) {
      case SymbolOwner::torch:
      case SymbolOwner::interpreter:
      case SymbolOwner::gpu:
      case SymbolOwner::openmp:
        return false;
      case SymbolOwner::cxx_runtime:
        return !scope.cxx_runtime;
      case SymbolOwner::c_library:
      case SymbolOwner::anybody:
        break;
    }
    // libgcc's helpers for integers and floating point.
    return !(scope.cxx_runtime && symbol.name.starts_with("__"));
  }

  /// Adds the exports of a library to the scope of everything it needs, which is loaded with it.
  void open(size_t root) {
    std::vector<size_t> closure = {root};
    std::set<size_t> seen = {root};
    Scope scope;
    for (size_t at = 0; at < closure.size(); ++at) {
      const binary::Elf& elf = facts_.libraries[closure[at]].elf;
      for (const std::string& soname : elf.needed) {
        const auto found = own_.find(soname);
        if (found != own_.end()) {
          if (seen.insert(found->second).second) closure.push_back(found->second);
          continue;
        }
        if (is_cxx_runtime(soname)) scope.cxx_runtime = true;
        if (!has_known_exports(soname)) scope.unknown = true;
      }
    }
    for (const size_t member : closure) {
      Scope& all = scopes_[member];
      all.unknown = all.unknown || scope.unknown;
      all.cxx_runtime = all.cxx_runtime || scope.cxx_runtime;
    }
  }

  const WheelFacts& facts_;
  std::map<std::string, size_t> own_;
  std::set<std::string_view> defined_;
  std::vector<Scope> scopes_;
};

}  // namespace

std::vector<UnprovidedSymbol> unprovided_symbols(const WheelFacts& facts,
                                                 const LibcRelease& release) {
  return Linker(facts).missing(release);
}

}  // namespace pinwheel::inspect
