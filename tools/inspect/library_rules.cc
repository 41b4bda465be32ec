#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "inspect/bundled_library.h"
#include "inspect/installed_path.h"
#include "inspect/libc.h"
#include "inspect/library_lookup.h"
#include "inspect/musl_policy.h"
#include "inspect/name_list.h"
#include "inspect/needed_library.h"
#include "inspect/rule_functions.h"
#include "inspect/search_path.h"
#include "inspect/unprovided_symbols.h"
#include "pep/tag.h"

namespace pinwheel::inspect {
namespace {

/// Later than every release of a C library.
constexpr int kNewestKnown = 1000;

/// The hint for a bad entry. An unused entry should be removed: it comes from the linker flags of a
/// Python that was built in its own directory, which add it to every extension.
std::string rpath_hint(bool used) {
  if (used) return "link with `-Wl,-rpath,$ORIGIN`, or fix it with `patchelf --set-rpath`";
  return "the entry is unused: set `LDSHARED: cc -shared` (and `LDCXXSHARED: c++ -shared`) "
         "in `environment: {variables: ...}` if it comes from the build's Python, or remove it "
         "with `patchelf --remove-rpath`; to find libraries in the wheel link with "
         "`-Wl,-rpath,$ORIGIN`";
}

/// Whether the library needs another library from the wheel, or an unknown one, which a search path
/// may be meant to find.
bool needs_its_path(const ElfMember& library, const std::vector<NeededLibrary>& needed) {
  return std::any_of(needed.begin(), needed.end(), [&library](const NeededLibrary& each) {
    return (each.provider == Provider::nobody || each.provider == Provider::own) &&
           std::find(each.needed_by.begin(), each.needed_by.end(), library.name) !=
               each.needed_by.end();
  });
}

void check_path(const ElfMember& library, const std::string& name, const std::string& path,
                const std::string& hint, Findings& out) {
  if (path.empty()) return;
  const std::string installed = installed_path(library.name).value_or(library.name);
  for (const std::string& entry : split(path, ':')) {
    const std::string fault = search_path_fault(entry, installed);
    if (fault.empty()) continue;
    out.push_back(
        {"", library.name, fmt::format("has a {} entry that {}", name, fault), entry, hint});
  }
}

bool requires_distribution(const WheelFacts& facts, const std::string& distribution) {
  if (!facts.metadata) return false;
  const std::vector<std::string> lines = facts.metadata->requires_dist();
  return std::any_of(lines.begin(), lines.end(), [&distribution](const std::string& line) {
    return !wheel::is_of_extra(line) &&
           is_distribution(wheel::requirement_project(line), distribution);
  });
}

void judge_search(const WheelFacts& facts, const Expectations& expected, Findings& out) {
  for (const UnreachableLibrary& each : unreachable_libraries(facts, expected.external)) {
    const std::string installed = installed_path(each.needed_by).value_or(each.needed_by);
    const std::string place = installed_path(each.library).value_or(each.library);
    const size_t slash = place.rfind('/');
    const std::string entry =
        search_path_entry(slash == std::string::npos ? "" : place.substr(0, slash), installed);
    const std::string why =
        each.may_be_loaded ? "; the import fails unless the library is loaded before" : "";
    out.push_back({"", each.needed_by, to_words(each) + why, "",
                   fmt::format("link with {}, or let `pinwheel repair` write the path",
                               quoted("-Wl,-rpath," + entry)),
                   each.may_be_loaded ? Severity::warning : Severity::error});
  }
}

/// The C library that the wheel is for, in the oldest release that its tags claim; nullopt for a
/// wheel of both.
std::optional<LibcRelease> promised_libc(const WheelFacts& facts) {
  const Result<std::optional<pep::Libc>> needed = libc_of(facts.libraries);
  if (!needed) return std::nullopt;
  std::optional<LibcRelease> out;
  const std::vector<std::string> platforms =
      facts.name ? facts.name->tags.platform : std::vector<std::string>{};
  for (const std::string& platform : platforms) {
    const std::optional<pep::LinuxPolicy> policy = pep::parse_linux_policy(platform);
    if (!policy || (*needed && policy->libc != **needed)) continue;
    if (!out || policy->minor < out->minor) out = LibcRelease{policy->libc, policy->minor};
  }
  if (out) return out;
  return LibcRelease{needed->value_or(pep::Libc::glibc), kNewestKnown};
}

void add_missing(const std::vector<UnprovidedSymbol>& symbols, pep::Libc libc, Findings& out) {
  std::map<std::string, std::vector<UnprovidedSymbol>> by_member;
  for (const UnprovidedSymbol& symbol : symbols) by_member[symbol.member].push_back(symbol);
  for (const auto& [member, all] : by_member) {
    std::vector<std::string> names;
    for (const UnprovidedSymbol& symbol : all) {
      names.push_back(symbol.since ? symbol.name + " (" + to_string(*symbol.since) + ")"
                                   : symbol.name);
    }
    const bool musl = libc == pep::Libc::musl;
    out.push_back(
        {"", member,
         fmt::format("imports {} that neither {} nor the wheel has", plural(all.size(), "symbol"),
                     musl ? "musl" : "the system"),
         first_names(names),
         musl ? "compile the wheel and its libraries on a system with musl"
              : "link with the library that has it, or compile the source that defines it"});
  }
}

/// Symbols that no claimed release of the C library has are errors. Those that only newer ones have
/// are warnings on musl, whose policy 1.2 covers all of them.
void add_unprovided(const WheelFacts& facts, Findings& out) {
  const std::optional<LibcRelease> promised = promised_libc(facts);
  if (!promised) return;
  if (promised->libc == pep::Libc::glibc) {
    add_missing(unprovided_symbols(facts, *promised), pep::Libc::glibc, out);
    return;
  }
  const LibcRelease newest{pep::Libc::musl, kNewestKnown};
  std::vector<UnprovidedSymbol> newer;
  std::vector<UnprovidedSymbol> missing;
  for (UnprovidedSymbol& symbol : unprovided_symbols(facts, {pep::Libc::musl, kNewestMusl, 0})) {
    (symbol.since && *symbol.since <= newest ? newer : missing).push_back(std::move(symbol));
  }
  add_missing(missing, pep::Libc::musl, out);
  if (promised->minor < kNewestMusl) return;  // the rule platform-tag rejects newer ones
  for (const UnprovidedSymbol& symbol : newer) {
    out.push_back(
        {"", symbol.member,
         fmt::format("needs {}, which is new in {}", quoted(symbol.name), to_string(*symbol.since)),
         "the tag is for musl 1.2.0 and later", "compile it with an older musl",
         Severity::warning});
  }
}

}  // namespace

Findings judge_bundled_libraries(const WheelFacts& facts, const Expectations& /*expected*/) {
  Findings out;
  for (const BundledLibrary& library : bundled_libraries(facts)) {
    const std::string what = fmt::format("is a copy of {}, which belongs to {}",
                                         quoted(library.soname), quoted(library.distribution));
    const std::string hint = fmt::format(
        "leave it out and require {} (`build.external`, or `--exclude` of `auditwheel` and "
        "`pinwheel repair`)",
        quoted(library.distribution));
    if (library.distribution == "torch") {
      out.push_back({"", library.member,
                     what + ": it registers torch's operators a second time, and the import aborts",
                     "", hint});
    } else if (requires_distribution(facts, library.distribution)) {
      const bool nvidia = library.distribution.starts_with("nvidia-");
      out.push_back({"", library.member,
                     what + " and is required as well: a process would load both", "", hint,
                     nvidia ? Severity::warning : Severity::error});
    }
  }
  return out;
}

Findings judge_needed_libraries(const WheelFacts& facts, const Expectations& expected) {
  Findings out;
  for (const NeededLibrary& library : needed_libraries(facts, expected.external)) {
    if (library.provider != Provider::nobody) continue;
    for (const std::string& member : library.needed_by) {
      out.push_back({"", member, "needs " + quoted(library.soname) + ", which nothing provides", "",
                     "link it statically, put it into the wheel (`pinwheel repair`), or declare "
                     "it in `build.external` of the matrix"});
    }
  }
  judge_search(facts, expected, out);
  return out;
}

Findings judge_undefined_symbols(const WheelFacts& facts, const Expectations& expected) {
  Findings out = expected.judge_symbols ? expected.judge_symbols(facts) : Findings{};
  add_unprovided(facts, out);
  return out;
}

Findings judge_rpath(const WheelFacts& facts, const Expectations& expected) {
  Findings out;
  const std::vector<NeededLibrary> needed = needed_libraries(facts, expected.external);
  for (const ElfMember& library : facts.libraries) {
    const std::string hint = rpath_hint(needs_its_path(library, needed));
    check_path(library, "RPATH", library.elf.rpath, hint, out);
    check_path(library, "RUNPATH", library.elf.runpath, hint, out);
  }
  return out;
}

}  // namespace pinwheel::inspect
