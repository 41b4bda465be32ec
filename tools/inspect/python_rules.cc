#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "inspect/name_list.h"
#include "inspect/python_abi.h"
#include "inspect/rule_functions.h"
#include "pep/cpython_tag.h"

namespace pinwheel::inspect {
namespace {

/// The symbols that the wheel's libraries define for each other.
std::set<std::string_view> own_symbols(const WheelFacts& facts) {
  std::set<std::string_view> out;
  for (const ElfMember& library : facts.libraries) {
    for (const binary::Symbol& symbol : library.elf.defined) {
      if (is_python_symbol(symbol.name)) out.insert(symbol.name);
    }
  }
  return out;
}

std::optional<int> oldest_python(const pep::TagSet& tags) {
  std::optional<int> oldest;
  for (const std::string& python : tags.python) {
    const std::optional<pep::CPythonTag> tag = pep::parse_cpython_tag(python);
    if (!tag || tag->free_threaded) return std::nullopt;
    oldest = oldest ? std::min(*oldest, tag->minor) : tag->minor;
  }
  return oldest;
}

class PythonJudge {
 public:
  explicit PythonJudge(const WheelFacts& facts)
      : facts_(facts), tags_(facts.name->tags), own_(own_symbols(facts)) {}

  Findings run() {
    for (const ElfMember& library : facts_.libraries) judge(library);
    return std::move(findings_);
  }

 private:
  bool has_abi(std::string_view abi) const {
    return std::find(tags_.abi.begin(), tags_.abi.end(), abi) != tags_.abi.end();
  }
  /// Whether every ABI tag is for a single Python: "cp312", "cp313t".
  bool is_for_pythons() const {
    return std::all_of(tags_.abi.begin(), tags_.abi.end(),
                       [](const std::string& abi) { return abi.starts_with("cp3"); });
  }
  bool is_free_threaded() const {
    return is_for_pythons() &&
           std::any_of(tags_.abi.begin(), tags_.abi.end(),
                       [](const std::string& abi) { return abi.back() == 't'; });
  }

  void add(const ElfMember& library, std::string message, std::string evidence, std::string hint) {
    findings_.push_back(
        {"", library.name, std::move(message), std::move(evidence), std::move(hint)});
  }

  void judge(const ElfMember& library) {
    const ModuleName module = module_name(library.name);
    std::vector<std::string> symbols = python_symbols(library.elf);
    std::erase_if(symbols, [&](const std::string& name) { return own_.contains(name); });
    judge_name(library, module);
    const bool stable_wheel = has_abi("abi3") && module.kind == ModuleKind::plain;
    if (stable_wheel || module.kind == ModuleKind::stable) judge_stable(library, symbols);
    judge_threads(library, module, symbols);
  }

  void judge_name(const ElfMember& library, const ModuleName& module) {
    if (module.python.empty()) return;
    const std::string tag = "cp" + module.python;
    const std::string told = "is a module only for " + quoted(tag);
    const std::string tags = pep::to_string(tags_);
    if (has_abi("abi3")) {
      add(library, told + ", but the wheel is tagged `abi3`", tags,
          "define `Py_LIMITED_API`, and make the build name the module `.abi3.so`");
    } else if (is_for_pythons() && !has_abi(tag)) {
      add(library, told + ", so no Python that can install the wheel imports it", tags,
          "build the wheel with the Python of its tag");
    }
  }

  void judge_stable(const ElfMember& library, const std::vector<std::string>& symbols) {
    constexpr int kNewest = 99;
    const std::optional<int> minor = oldest_python(tags_);
    const StableAbiFaults faults = stable_abi_faults(symbols, minor.value_or(kNewest));
    if (!faults.never.empty()) {
      add(library,
          fmt::format("takes {} of CPython that {} not in the Stable ABI",
                      plural(faults.never.size(), "symbol"),
                      faults.never.size() == 1 ? "is" : "are"),
          first_names(faults.never), "define `Py_LIMITED_API` for all of its sources");
    }
    if (!faults.later.empty()) {
      add(library,
          fmt::format("takes {} of CPython that the Stable ABI of 3.{} does not have",
                      plural(faults.later.size(), "symbol"), minor.value_or(kNewest)),
          first_names(faults.later),
          fmt::format("define `Py_LIMITED_API` as `0x03{:02x}0000`, or tag the wheel for a newer "
                      "Python",
                      minor.value_or(kNewest)));
    }
  }

  void judge_threads(const ElfMember& library, const ModuleName& module,
                     const std::vector<std::string>& symbols) {
    if (!is_for_pythons()) return;
    const std::vector<std::string> unlocked = free_threaded_symbols(symbols);
    if (!is_free_threaded() && !unlocked.empty() && module.kind != ModuleKind::free_threaded) {
      add(library, "imports symbols that only a free-threaded Python has", first_names(unlocked),
          "build with the Python of the tag, or tag the wheel for the free-threaded one");
    }
    if (is_free_threaded() && counts_references_under_lock(symbols)) {
      add(library, "was compiled for a Python with a global lock, but is tagged as free-threaded",
          "_Py_Dealloc is called, _Py_MergeZeroLocalRefcount is not",
          "compile it with the headers of the free-threaded Python");
    }
  }

  const WheelFacts& facts_;
  const pep::TagSet& tags_;
  std::set<std::string_view> own_;
  Findings findings_;
};

/// "_C" of "demo/_C.cpython-312-x86_64-linux-gnu.so".
std::string stem_of(std::string_view file) {
  const std::string_view name = last_part(file);
  return std::string(name.substr(0, name.find('.')));
}

/// The modules that a library defines, by their names (PEP 489; those of names that are not ASCII
/// are in punycode and left out).
std::vector<std::string> defined_modules(const binary::Elf& elf) {
  constexpr std::string_view kInit = "PyInit_";
  std::vector<std::string> out;
  for (const binary::Symbol& symbol : elf.defined) {
    if (symbol.name.starts_with(kInit)) out.push_back(symbol.name.substr(kInit.size()));
  }
  return out;
}

}  // namespace

Findings judge_module_init(const WheelFacts& facts, const Expectations& /*expected*/) {
  Findings out;
  for (const ElfMember& library : facts.libraries) {
    const std::string stem = stem_of(library.name);
    const ModuleName module = module_name(library.name);
    const bool is_ascii = std::all_of(stem.begin(), stem.end(), [](char c) { return c > 0; });
    // A plain library may be loaded by name from another one.
    if (!library.name.ends_with(".so") || !is_ascii ||
        (module.kind == ModuleKind::plain && stem.starts_with("lib"))) {
      continue;
    }
    const std::vector<std::string> modules = defined_modules(library.elf);
    if (modules.empty() || std::find(modules.begin(), modules.end(), stem) != modules.end()) {
      continue;
    }
    out.push_back({"", library.name,
                   "is imported as " + quoted(stem) + " but defines " +
                       quoted("PyInit_" + modules.front()) + ", so its import fails",
                   modules.size() > 1 ? "modules: " + first_names(modules) : "",
                   "give the extension and the module in its source the same name"});
  }
  return out;
}

Findings judge_python_abi(const WheelFacts& facts, const Expectations& /*expected*/) {
  if (!facts.name) return {};  // said by `unreadable` under wheel-name
  return PythonJudge(facts).run();
}

}  // namespace pinwheel::inspect
