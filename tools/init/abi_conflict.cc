#include "init/abi_conflict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "init/python_abi.h"
#include "init/pythons.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;

/// "3.12" of "limited(3.12)" and "limited(3.12) else version"; empty for another ABI.
std::string limit_of(const std::string& abi) {
  if (!abi.starts_with("limited(")) return {};
  return abi.substr(8, abi.find(')') - 8);
}

/// Whether a wheel of one ABI installs on every Python of the other ABI.
bool satisfies_abi(const std::string& made, const std::string& promised, const Texts& pythons) {
  if (made == "none" || promised == "version") return true;
  const std::string limit = limit_of(promised);
  if (limit.empty()) return false;
  const bool covers = std::ranges::any_of(
      pythons, [&](const std::string& python) { return has_limited_api(python, limit); });
  if (!covers) return true;
  const std::string own = limit_of(made);
  return !own.empty() && !is_older(limit, own);
}

/// Whether builds for several Pythons would all produce the same file.
bool collides(const std::string& made, const std::string& promised, const Texts& pythons) {
  if (promised != "version" || made == "version") return false;
  const std::string limit = limit_of(made);
  return std::ranges::count_if(pythons, [&](const std::string& python) {
           return limit.empty() || has_limited_api(python, limit);
         }) > 1;
}

std::string hint_for(const std::string& abi) {
  return fmt::format("write {}", quoted(fmt::format("abi: {{python: {}}}", abi)));
}

/// A module in a wheel for several Pythons whose file name would be for one Python; empty without
/// one.
std::string module_for_one(const ProjectFacts& facts) {
  const bool scikit_build = backend(facts) == project::Backend::scikit_build_core;
  if (scikit_build && facts.cmake && !facts.cmake->modules_for_one.empty()) {
    return fmt::format("CMakeLists.txt makes the module {} for one Python",
                       quoted(facts.cmake->modules_for_one.front()));
  }
  const bool setuptools = backend(facts) == project::Backend::setuptools;
  if (setuptools && facts.setup_py && facts.setup_py->plain_extension) {
    return "setup.py makes modules for one Python: no `Extension` has `py_limited_api=True`";
  }
  return {};
}

}  // namespace

std::optional<AbiConflict> abi_conflict(const ProjectFacts& facts, const std::string& promised,
                                        const Texts& pythons) {
  if (pythons.empty()) return std::nullopt;
  PythonAbiChoice made = choose_python_abi(facts, pythons);
  if (!made.limit.empty()) made = with_own_builds(std::move(made), pythons);
  // `init` reports an unclear ABI, and the user then decides.
  if (!made.certain && !made.left_out.empty()) return std::nullopt;
  const bool breaks = !satisfies_abi(made.value, promised, pythons) ||
                      (made.certain && collides(made.value, promised, pythons));
  if (breaks) {
    return AbiConflict{
        fmt::format("`abi.python` promises {}, but the build {} make {}: {}", quoted(promised),
                    made.certain ? "will" : "will probably", quoted(made.value), made.because),
        hint_for(made.value), made.certain ? Certainty::certain : Certainty::likely};
  }
  const std::string module = promised == "version" ? "" : module_for_one(facts);
  if (module.empty() || made.value == "version") return std::nullopt;
  return AbiConflict{fmt::format("`abi.python` promises {}, but {}", quoted(promised), module),
                     hint_for("version") + ", or build it for the limited API", Certainty::likely};
}

namespace {

/// Whether `setup.py` reads a variable by which builds get the version.
bool reads_version(const ProjectFacts& facts) {
  constexpr std::array kVariables = {"PINWHEEL_VERSION", "SETUPTOOLS_SCM_PRETEND_VERSION"};
  if (!facts.setup_py) return false;
  return std::ranges::any_of(kVariables, [&](const char* name) {
    return std::ranges::find(facts.setup_py->environment, name) !=
           facts.setup_py->environment.end();
  });
}

/// Whether `[project] version` is set, which no backend may change (PEP 621).
bool is_of_standard(const ProjectFacts& facts, const StaticVersion& literal) {
  return facts.pyproject && facts.pyproject->version == literal.version;
}

/// The arguments of `setup` take precedence over `setup.cfg`.
Certainty certainty_of(const ProjectFacts& facts, const StaticVersion& literal) {
  const project::VersionArgument argument =
      facts.setup_py ? facts.setup_py->version_argument : project::VersionArgument::none;
  const bool passed = argument == project::VersionArgument::expression;
  const bool code = literal.file == "setup.py" || literal.file == "setup.cfg";
  return code && passed ? Certainty::likely : Certainty::certain;
}

}  // namespace

std::optional<VersionConflict> version_conflict(const ProjectFacts& facts,
                                                const pep::Version& planned) {
  const std::optional<StaticVersion> literal = static_version(facts);
  if (!literal || literal->file == "PKG-INFO") return std::nullopt;
  const Result<pep::Version> version = pep::parse_version(literal->version);
  if (!version || pep::public_part(*version) == planned) return std::nullopt;
  if (!is_of_standard(facts, *literal) && (uses_tags(facts) || reads_version(facts))) {
    return std::nullopt;
  }
  return VersionConflict{*literal, certainty_of(facts, *literal)};
}

}  // namespace pinwheel::init
