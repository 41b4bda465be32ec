#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// A library that lies outside the wheel and whose exports are known: torch's, another wheel's.
struct OutsideLibrary {
  std::string soname;
  std::vector<std::string> needed = {};
};

/// What the wheel is loaded beside, as after `import torch`.
struct Surroundings {
  std::vector<OutsideLibrary> libraries = {};
  /// Which of `libraries` export a symbol, as indices.
  std::function<std::vector<size_t>(const std::string& mangled)> exporters = {};
};

/// A symbol that libraries of the wheel want.
struct WantedSymbol {
  std::string name;                    ///< mangled
  std::vector<std::string> wanted_by;  ///< members, sorted

  bool operator==(const WantedSymbol&) const = default;
};

/// A library that the wheel needs and nobody known brings.
struct AbsentLibrary {
  std::string soname;
  std::vector<std::string> needed_by;  ///< members, sorted

  bool operator==(const AbsentLibrary&) const = default;
};

/// How a wheel loads beside its surroundings. Lists are sorted by name.
struct Loading {
  /// What nobody in the scope of an entry gives: with RTLD_NOW it does not load.
  std::vector<WantedSymbol> missing = {};
  /// What a library of unknown content may give or not: libstdc++, libz, one that is absent.
  std::vector<WantedSymbol> undecided = {};
  std::vector<AbsentLibrary> absent = {};
  /// Members that do not load when each is opened by itself, helpers among them.
  std::vector<std::string> failing = {};

  /// No symbol is missing and none of torch's own libraries is absent.
  bool loads() const;
};

/// What opening one library of a wheel asks of others, for itself and for the own libraries that it
/// draws in.
struct OpenedLibrary {
  struct Wish {
    size_t symbol = 0;         ///< an index into `LinkView::symbols`
    size_t member = 0;         ///< an index into the facts' libraries
    std::string library = {};  ///< whose version is wanted; empty without a version
  };
  struct Need {
    std::string soname;
    size_t member = 0;
  };
  bool entry = false;
  std::vector<Need> needed = {};
  std::vector<Wish> wishes = {};
  /// Symbols of a version that the wheel's own library of that name does not define.
  std::vector<Wish> broken = {};
};

/// The libraries of a wheel as the dynamic linker sees them. What the wheel settles by itself is
/// settled once, so that asking about many torch builds is cheap.
///
/// A library is opened as importing an extension opens it, with RTLD_NOW and RTLD_LOCAL: its scope
/// is itself and the closure of what it needs, whoever brings it. Own libraries are found by soname
/// or file name, whatever their search path says, because packages open theirs in order. Weak
/// symbols may stay undefined. A symbol with a version is of the library that it names: one of the
/// wheel's own must define it, a library of unknown content is believed. A symbol without a version
/// was not linked against the C library or libstdc++, for the linker would have noted theirs;
/// `symbol_owner` knows the exceptions.
class LinkView {
 public:
  /// `declared`: sonames or globs that something else brings. The facts must outlive it.
  explicit LinkView(const WheelFacts& facts, std::vector<std::string> declared = {});

  Loading beside(const Surroundings& surroundings) const;

  /// The symbols that the wheel's libraries want of others, weak ones and those of system libraries
  /// left out; mangled, each once, sorted.
  const std::vector<std::string>& symbols() const { return symbols_; }
  /// The sonames that the wheel's libraries need of others, sorted.
  std::vector<std::string> needed() const;
  /// Members that are opened by themselves: Python's extension modules, and what no other library
  /// of the wheel needs.
  std::vector<std::string> entries() const;

 private:
  std::vector<size_t> own_closure(size_t root) const;
  OpenedLibrary opened(size_t root, std::map<std::string, size_t>& numbers) const;
  struct Wanting {
    size_t member;
    const std::set<std::string_view>& given;  ///< by the closure of the opened library
    std::map<std::string, size_t>& numbers;   ///< of symbols, in the order of their appearance
  };
  void want(const binary::Symbol& symbol, const Wanting& wanting, OpenedLibrary& out) const;

  const WheelFacts* facts_;
  std::vector<std::string> declared_;
  std::map<std::string, size_t> own_;  ///< by soname and by file name
  std::vector<OpenedLibrary> opened_;  ///< one for each of the facts' libraries
  std::vector<std::string> symbols_;
};

}  // namespace pinwheel::inspect
