#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "binary/foreign.h"
#include "inspect/name_list.h"
#include "inspect/python_abi.h"
#include "inspect/rule_functions.h"
#include "pep/cpython_tag.h"
#include "pep/specifier.h"

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

/// The CPythons that install the wheel, according to its tags and Requires-Python. If no Python
/// satisfies both, which is another fault, all of the tags.
std::vector<pep::CPythonTag> pythons_of(const WheelFacts& facts) {
  std::vector<pep::CPythonTag> pythons = pep::installing_pythons(facts.name->tags);
  const std::optional<std::string> line =
      facts.metadata ? facts.metadata->block.get("Requires-Python") : std::nullopt;
  const Result<pep::SpecifierSet> range = pep::parse_specifiers(line.value_or(""));
  if (!line || !range) return pythons;
  std::vector<pep::CPythonTag> matching;
  for (const pep::CPythonTag& python : pythons) {
    // A bound may be on the patch level: the newest of the minor release counts.
    constexpr int kLastPatch = 99;
    const Result<pep::Version> newest =
        pep::parse_version(fmt::format("3.{}.{}", python.minor, kLastPatch));
    const Result<pep::Version> oldest = pep::parse_version(fmt::format("3.{}.0", python.minor));
    if (pep::satisfies(*newest, *range) || pep::satisfies(*oldest, *range))
      matching.push_back(python);
  }
  return matching.empty() ? pythons : matching;
}

/// A file that is named as a module, and the known facts about it.
struct NamedModule {
  std::string member;
  ModuleName name;
};

/// "demo/_C" for "demo/_C.cpython-312-x86_64-linux-gnu.so": the imported name as a path.
std::string imported_path(const std::string& member) {
  const size_t slash = member.rfind('/');
  const size_t dot = member.find('.', slash == std::string::npos ? 0 : slash);
  return member.substr(0, dot);
}

class PythonJudge {
 public:
  explicit PythonJudge(const WheelFacts& facts)
      : facts_(facts), tags_(facts.name->tags), own_(own_symbols(facts)) {}

  Findings run() {
    if (!check_tags()) return std::move(findings_);
    pythons_ = pythons_of(facts_);
    std::map<std::string, std::vector<NamedModule>> modules;
    for (const ElfMember& library : facts_.libraries) {
      // A library that is loaded by path may have any name.
      if (!defines_module(library.elf) && python_symbols(library.elf).empty()) continue;
      modules[imported_path(library.name)].push_back({library.name, module_name(library.name)});
    }
    for (const ForeignBinary& each : facts_.foreign) {
      if (!is_for_wheel(each)) continue;
      modules[imported_path(each.name)].push_back({each.name, module_name(each.name)});
    }
    for (const auto& [path, files] : modules) judge_names(files);
    for (const ElfMember& library : facts_.libraries) judge(library);
    return std::move(findings_);
  }

 private:
  bool has_abi(std::string_view abi) const {
    return std::find(tags_.abi.begin(), tags_.abi.end(), abi) != tags_.abi.end();
  }
  bool is_installed_by_several() const {
    return std::any_of(pythons_.begin(), pythons_.end(), [&](const pep::CPythonTag& python) {
      return python.minor != pythons_.front().minor;
    });
  }
  /// Whether every Python that installs the wheel has no global lock.
  bool is_free_threaded() const {
    return !pythons_.empty() &&
           std::all_of(pythons_.begin(), pythons_.end(),
                       [](const pep::CPythonTag& python) { return python.free_threaded; });
  }
  bool is_locked() const {
    return std::none_of(pythons_.begin(), pythons_.end(),
                        [](const pep::CPythonTag& python) { return python.free_threaded; });
  }

  void add(const std::string& file, std::string message, std::string evidence, std::string hint) {
    findings_.push_back({"", file, std::move(message), std::move(evidence), std::move(hint)});
  }

  /// Whether the binary is for a system of the wheel; wheels may contain binaries for other
  /// machines.
  bool is_for_wheel(const ForeignBinary& binary) const {
    return std::any_of(tags_.platform.begin(), tags_.platform.end(), [&](const std::string& tag) {
      return binary::is_for_platform(binary.form, tag);
    });
  }

  /// Whether an installer of some Python accepts one of the tags.
  bool check_tags() {
    const std::vector<pep::Tag> all = pep::expand(tags_);
    if (std::any_of(all.begin(), all.end(), pep::has_installer)) return true;
    const bool threads = tags_.python.front().ends_with('t');
    add(facts_.file_name, "has tags that no installer of any Python accepts", pep::to_string(tags_),
        threads ? "name the Python without `t`: the tag of a free-threaded build is "
                  "`cp313-cp313t`, that of its Stable ABI `cp315-abi3t`"
                : "name one Python and its ABI: `cp312-cp312`, `cp310-abi3`, `py3-none`");
    return false;
  }

  void judge_names(const std::vector<NamedModule>& files) {
    judge_platform(files);
    if (pythons_.empty()) return;
    const auto is_found = [&](const pep::CPythonTag& python) {
      return std::any_of(files.begin(), files.end(), [&](const NamedModule& file) {
        return is_searched_by(file.name, python);
      });
    };
    const bool some = std::any_of(pythons_.begin(), pythons_.end(), is_found);
    // A tag without an ABI includes free-threaded builds; the other tags decide.
    const bool all =
        std::all_of(pythons_.begin(), pythons_.end(), [&](const pep::CPythonTag& python) {
          return (python.free_threaded && has_abi("none") && !is_free_threaded()) ||
                 is_found(python);
        });
    // Several files for several Pythons need not cover future Pythons.
    if (all || (some && files.size() > 1)) return;
    const std::string tags = pep::to_string(tags_);
    for (const NamedModule& file : files) {
      if (file.name.python.empty()) {
        add(file.member,
            "is named for the Stable ABI, and a Python that can install the wheel does not look "
            "for such names",
            tags, "build it with the Python of the tag, under its name");
        continue;
      }
      const std::string& python = file.name.python;
      const std::string claim =
          "is a module only for " + quoted(is_digit(python.front()) ? "cp" + python : python);
      if (has_abi("abi3")) {
        add(file.member, claim + ", but the wheel is tagged `abi3`", tags,
            "define `Py_LIMITED_API`, and make the build name the module `.abi3.so`");
      } else {
        add(file.member,
            claim + (some ? ", but other Pythons can install the wheel"
                          : ", so no Python that can install the wheel imports it"),
            tags,
            some ? "tag the wheel for that Python" : "build the wheel with the Python of its tag");
      }
    }
  }

  /// One of the files must be named for a system of the wheel.
  void judge_platform(const std::vector<NamedModule>& files) {
    const bool fits = std::any_of(files.begin(), files.end(), [&](const NamedModule& file) {
      return std::any_of(
          tags_.platform.begin(), tags_.platform.end(),
          [&](const std::string& platform) { return is_named_for(file.name, platform); });
    });
    if (fits) return;
    for (const NamedModule& file : files) {
      add(file.member,
          "is named for " + quoted(file.name.platform) +
              ", so no Python that can install the wheel imports it",
          join(tags_.platform, "."),
          "build it on the system of the tag, with the Python of that system");
    }
  }

  void judge(const ElfMember& library) {
    const ModuleName module = module_name(library.name);
    std::vector<std::string> symbols = python_symbols(library.elf);
    std::erase_if(symbols, [&](const std::string& name) { return own_.contains(name); });
    const bool named =
        module.kind == ModuleKind::stable || module.kind == ModuleKind::stable_free_threaded;
    const bool tagged = has_abi("abi3") || has_abi("abi3t");
    const bool shared = defines_module(library.elf) && is_installed_by_several();
    if (named || (module.kind == ModuleKind::plain && (tagged || shared))) {
      judge_stable(library, symbols);
    } else if (has_abi("none") && defines_module(library.elf)) {
      judge_without_abi(library, module, symbols);
    }
    judge_threads(library, module, symbols);
  }

  /// A wheel for one Python whose tag says that its modules depend on no ABI ("cp313-none").
  /// Free-threaded builds of that Python install it, too.
  void judge_without_abi(const ElfMember& library, const ModuleName& module,
                         const std::vector<std::string>& symbols) {
    const StableAbiFaults faults = stable_abi_faults(symbols, pep::kNewestPython);
    if (pythons_.empty() || faults.never.empty()) return;
    const std::string python = fmt::format("cp3{}", pythons_.front().minor);
    const bool crashes = module.kind == ModuleKind::plain && !is_locked() && !is_free_threaded();
    add(library.name,
        crashes ? fmt::format("depends on the ABI of {}, but a free-threaded Python can install "
                              "the wheel, too, and crashes",
                              quoted(python))
                : fmt::format("depends on the ABI of {}, but the tag says that it depends on none",
                              quoted(python)),
        first_names(faults.never),
        fmt::format("tag the wheel {}", quoted(fmt::format("{0}-{0}", python))));
    if (!crashes) findings_.back().severity = Severity::warning;
  }

  /// The oldest Python that installs the wheel, if there is a lower bound.
  std::optional<int> oldest_python() const {
    if (pythons_.empty() || pythons_.front().minor == 0) return std::nullopt;
    return pythons_.front().minor;
  }

  void judge_stable(const ElfMember& library, const std::vector<std::string>& symbols) {
    constexpr int kNewest = 99;
    const std::optional<int> minor = oldest_python();
    const StableAbiFaults faults = stable_abi_faults(symbols, minor.value_or(kNewest));
    if (!faults.never.empty()) {
      add(library.name,
          fmt::format("uses {} of CPython that {} not in the Stable ABI",
                      plural(faults.never.size(), "symbol"),
                      faults.never.size() == 1 ? "is" : "are"),
          first_names(faults.never), "define `Py_LIMITED_API` for all of its sources");
    }
    if (!faults.later.empty()) {
      add(library.name,
          fmt::format("uses {} of CPython that the Stable ABI of 3.{} does not have",
                      plural(faults.later.size(), "symbol"), minor.value_or(kNewest)),
          first_names(faults.later),
          fmt::format("define `Py_LIMITED_API` as `0x03{:02x}0000`, or tag the wheel for a newer "
                      "Python",
                      minor.value_or(kNewest)));
    }
  }

  void judge_threads(const ElfMember& library, const ModuleName& module,
                     const std::vector<std::string>& symbols) {
    if (pythons_.empty()) return;
    const std::vector<std::string> unlocked = free_threaded_symbols(symbols);
    if (is_locked() && !unlocked.empty() && module.kind != ModuleKind::free_threaded) {
      add(library.name, "imports symbols that only a free-threaded Python has",
          first_names(unlocked),
          "build with the Python of the tag, or tag the wheel for the free-threaded one");
    }
    if (is_free_threaded() && counts_references_under_lock(symbols)) {
      add(library.name,
          "was compiled for a Python with a global lock, but is tagged as free-threaded",
          "_Py_Dealloc is called, _Py_MergeZeroLocalRefcount is not",
          "compile it with the headers of the free-threaded Python");
    }
  }

  const WheelFacts& facts_;
  const pep::TagSet& tags_;
  std::set<std::string_view> own_;
  std::vector<pep::CPythonTag> pythons_;
  Findings findings_;
};

/// "_C" of "demo/_C.cpython-312-x86_64-linux-gnu.so".
std::string stem_of(std::string_view file) {
  const std::string_view name = last_part(file);
  return std::string(name.substr(0, name.find('.')));
}

/// The modules that a library defines, by their names (PEP 489; names that are not ASCII are in
/// punycode and omitted).
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
  if (!facts.name) return {};  // reported by `unreadable` under wheel-name
  return PythonJudge(facts).run();
}

}  // namespace pinwheel::inspect
