#include "init/version_conflict.h"

#include <algorithm>
#include <array>

namespace pinwheel::init {
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

/// Whether `[project] version` says it, which no backend may change (PEP 621).
bool is_of_standard(const ProjectFacts& facts, const StaticVersion& said) {
  return facts.pyproject && facts.pyproject->version == said.version;
}

/// The arguments of `setup` win over `setup.cfg`.
Certainty certainty_of(const ProjectFacts& facts, const StaticVersion& said) {
  const project::VersionArgument argument =
      facts.setup_py ? facts.setup_py->version_argument : project::VersionArgument::none;
  const bool passed = argument == project::VersionArgument::expression;
  const bool code = said.file == "setup.py" || said.file == "setup.cfg";
  return code && passed ? Certainty::likely : Certainty::certain;
}

}  // namespace

std::optional<VersionConflict> version_conflict(const ProjectFacts& facts,
                                                const pep::Version& planned) {
  const std::optional<StaticVersion> said = static_version(facts);
  if (!said || said->file == "PKG-INFO") return std::nullopt;
  const Result<pep::Version> version = pep::parse_version(said->version);
  if (!version || pep::public_part(*version) == planned) return std::nullopt;
  if (!is_of_standard(facts, *said) && (uses_tags(facts) || reads_version(facts))) {
    return std::nullopt;
  }
  return VersionConflict{*said, certainty_of(facts, *said)};
}

}  // namespace pinwheel::init
