#include "prepare/check_version.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/text.h"
#include "init/abi_conflict.h"
#include "init/identity.h"
#include "matrix/family.h"
#include "matrix/settings.h"
#include "matrix/shared_settings.h"
#include "pep/name.h"
#include "pep/tag_pattern.h"
#include "prepare/host.h"
#include "prepare/init_facts.h"
#include "prepare/load.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

/// Whether a build command may change the project's version: it gets the version, or it is a
/// program of its own.
bool may_set_version(const std::vector<std::string>& argv) {
  const auto gets_version = [](const std::string& argument) {
    return argument.find("{version}") != std::string::npos;
  };
  return std::ranges::any_of(argv, gets_version) || runs_own_program(argv);
}

/// Whether every build of these variants has a command that may set the version.
Result<bool> may_be_set(const Loaded& loaded, const std::vector<const matrix::Variant*>& built) {
  matrix::SharedSettings shared(loaded.matrix);
  for (const matrix::Variant* const variant : built) {
    if (matrix::package_of(loaded.matrix, *variant).sdist) return false;
    TRY(const auto settings, shared.of(*variant));
    if (!may_set_version(settings->build.command)) return false;
  }
  return true;
}

/// The first line that contains the literal after the word `version`, or that is the literal.
Location place_of(ports::Files& files, const fs::path& file, const std::string& literal) {
  Location place{fs::proximate(file).string(), 0, 0, {}};
  const Result<std::string> text = files.read(file);
  int number = 0;
  for (const std::string& line : text ? split(*text, '\n') : std::vector<std::string>{}) {
    ++number;
    const size_t word = to_lower(line).find("version");
    const bool after = word != std::string::npos && line.find(literal, word) != std::string::npos;
    if (!after && trim(line) != literal) continue;
    place.line = number;
    place.excerpt = line;
    break;
  }
  return place;
}

/// "run `git tag v1.0`, or write ...".
std::string fix_of(const matrix::Matrix& matrix, const VersionFacts& version,
                   const std::string& literal) {
  std::string from_project =
      fmt::format("write `version: {{from: project}}` in {}", quoted(matrix.file));
  const matrix::VersionSettings& settings = matrix.package.version;
  if (settings.from != matrix::VersionFrom::git_tag) return from_project;
  const bool dirty = version.version.unreleased.ends_with(".dirty");
  const Result<pep::TagPattern> pattern = pep::parse_tag_pattern(settings.match);
  const std::string tag = pattern ? pattern->with(literal) : literal;
  return fmt::format("{}, or run {}{}", from_project, quoted(fmt::format("git tag {}", tag)),
                     dirty ? " when the changes are committed" : "");
}

/// The version of another package of a family is that of the matrix's `package`.
std::string fix_of_member(const VersionFacts& version, const init::StaticVersion& literal) {
  return fmt::format("write {} in {}: the packages of a family have one version",
                     quoted(version.version.version), quoted(literal.file));
}

Error conflict_error(const matrix::Matrix& matrix, const matrix::Package& package,
                     const VersionFacts& version, const init::StaticVersion& literal) {
  const std::string why = version.why.empty() ? "" : "; " + version.why.front();
  return Error{
      ErrorKind::config,
      fmt::format("{} says version {}, but the version to build is {}{}", quoted(literal.file),
                  quoted(literal.version), quoted(version.version.version), why)}
      .with_hint(package.name == matrix.package.name ? fix_of(matrix, version, literal.version)
                                                     : fix_of_member(version, literal));
}

/// The version as a literal in a file; nullopt if there is none, as for a calendar version that is
/// not frozen.
Result<std::optional<init::StaticVersion>> literal_version(const Host& host,
                                                           const matrix::Package& package,
                                                           const fs::path& directory) {
  if (package.version.from == matrix::VersionFrom::project) {
    TRY(const init::ProjectFacts facts, read_build_files(host, directory));
    return init::static_version(facts);
  }
  const bool of_file = package.version.from == matrix::VersionFrom::file;
  std::string file = of_file ? package.version.file : "version.txt";
  TRY(const ports::FileStatus status, host.files.status(directory / file));
  if (status.type != ports::FileType::regular) return std::nullopt;
  TRY(const std::string text, host.files.read(directory / file));
  return init::StaticVersion{std::string(trim(text)), std::move(file)};
}

/// The error for a literal that contradicts the tag on HEAD.
Error tag_error(const init::StaticVersion& literal, const version::Tagged& tag,
                const std::string& commit) {
  constexpr size_t kShortSha = 7;
  return Error{
      ErrorKind::config,
      fmt::format("{} says version {}, but tag {} is on HEAD, commit {}", quoted(literal.file),
                  quoted(literal.version), quoted(tag.name), quoted(commit.substr(0, kShortSha)))}
      .with_hint(fmt::format(
          "write {} in {} and tag the commit that has it, or remove the tag: {}; if it is the tag "
          "of another package, name the tags of this one with `package.version.match`",
          quoted(pep::to_string(tag.version)), quoted(literal.file),
          quoted(shell_join({"git", "tag", "-d", tag.name}))));
}

/// Whether the file is of the project in this checkout, in the version of its files.
bool is_of_checkout(const publish::Artifact& file, const init::ProjectFacts& facts,
                    const init::StaticVersion& literal) {
  const Result<pep::Version> version = pep::parse_version(file.version);
  const Result<pep::Version> own = pep::parse_version(literal.version);
  const std::string name = pep::normalize_name(init::choose_identity(facts).name);
  return version && own && pep::public_part(*version) == pep::public_part(*own) &&
         pep::normalize_name(file.name) == name;
}

/// The same check for one package. The version may be that of the files of the matrix's `package`,
/// but not of those of the others.
Done check_package_version(const Host& host, const Loaded& loaded,
                           const std::vector<const matrix::Variant*>& built,
                           const matrix::Package& package, const VersionFacts& version,
                           ports::Notices& notices) {
  if (!package.requirement.empty() || built.empty()) return {};
  TRY(const fs::path directory, package_directory(host, loaded.matrix, package));
  const Result<init::ProjectFacts> facts = read_build_files(host, directory);
  // The files are not those of a Python project: the build is a script of its own.
  if (!facts && facts.error().kind == ErrorKind::usage) return {};
  TRY_DONE(facts);
  TRY(const pep::Version planned, pep::parse_version(version.version.version));
  const std::optional<init::VersionConflict> conflict = init::version_conflict(*facts, planned);
  if (!conflict) return {};
  Error error = conflict_error(loaded.matrix, package, version, conflict->project_version)
                    .with_location(place_of(host.files, directory / conflict->project_version.file,
                                            conflict->project_version.version));
  TRY(const bool set, may_be_set(loaded, built));
  if (!set && conflict->certainty == init::Certainty::certain) return fail(std::move(error));
  notices.warn(error);
  return {};
}

}  // namespace

Publishing publishing_of(const VersionFacts& version) {
  const bool publishes = !version.targets.empty() || version.channel == "release";
  return publishes ? Publishing::yes : Publishing::no;
}

Done check_head_tag(const Host& host, const Loaded& loaded, const VersionFacts& version,
                    Publishing publishing, ports::Notices& notices) {
  if (!version.tag || (version.dirty && publishing == Publishing::no)) return {};
  TRY(const pep::Version planned, pep::parse_version(version.version.version));
  if (pep::public_part(planned) == version.tag->version) return {};
  TRY(const fs::path directory, package_directory(host, loaded.matrix));
  TRY(const std::optional<init::StaticVersion> literal,
      literal_version(host, loaded.matrix.package, directory));
  if (!literal) return {};
  Error error =
      tag_error(*literal, *version.tag, version.commit)
          .with_location(place_of(host.files, directory / literal->file, literal->version));
  if (publishing == Publishing::yes) return fail(std::move(error));
  notices.warn(error);
  return {};
}

Done check_published_tag(const Host& host, const std::vector<publish::Artifact>& published) {
  const Result<ports::GitFacts> checkout = host.git.facts(".", ports::WorkTree::ignore);
  const Result<init::ProjectFacts> facts = read_build_files(host, ".");
  if (!checkout || !checkout->tracks_directory || !facts) return {};
  const std::optional<init::StaticVersion> literal = init::static_version(*facts);
  if (!literal) return {};
  for (const publish::Artifact& file : published) {
    if (!is_of_checkout(file, *facts, *literal)) continue;
    TRY(const pep::Version version, pep::parse_version(file.version));
    TRY(const std::optional<version::Tagged> tag,
        version::tag_of_package(*checkout, {}, file.name));
    // No matrix says whether tags name re-cuts: either reading may be meant.
    TRY(const std::optional<version::Tagged> cut,
        version::tag_of_package(*checkout, {}, file.name, version::Recuts::read));
    const pep::Version own = pep::public_part(version);
    if (!tag || own == tag->version || (cut && own == cut->version)) continue;
    return fail(tag_error(*literal, *tag, checkout->commit)
                    .with_location(place_of(host.files, literal->file, literal->version)));
  }
  return {};
}

bool runs_own_program(const std::vector<std::string>& argv) {
  constexpr std::array<std::string_view, 3> kPrograms = {"pip", "pyproject-build", "maturin"};
  constexpr std::array<std::string_view, 2> kModules = {"build", "pip"};
  const std::string_view program = last_part(argv.front());
  if (std::ranges::find(kPrograms, program) != kPrograms.end()) return false;
  const auto module = std::ranges::find(argv, "-m");
  const bool front_end =
      argv.end() - module > 1 && std::ranges::find(kModules, module[1]) != kModules.end();
  return !(program.starts_with("python") && front_end);
}

Done check_project_version(const Host& host, const Loaded& loaded, const plan::Outline& outline,
                           const VersionFacts& version, ports::Notices& notices) {
  const bool of_project = loaded.matrix.package.version.from == matrix::VersionFrom::project;
  for (const matrix::Package* const package : matrix::packages_of(loaded.matrix)) {
    if (of_project && package == &loaded.matrix.package) continue;
    TRY(const auto built, built_variants(loaded, outline, *package));
    TRY_DONE(check_package_version(host, loaded, built, *package, version, notices));
  }
  return {};
}

}  // namespace pinwheel::prepare
