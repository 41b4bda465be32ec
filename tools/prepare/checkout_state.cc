#include "prepare/checkout_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/lfs_pointer.h"
#include "base/text.h"
#include "matrix/family.h"
#include "prepare/host.h"
#include "prepare/load.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAttributes = ".gitattributes";

/// The text of a small file; empty for a link, a device or a large file.
std::string small_text(ports::Files& files, const fs::path& file, uint64_t most) {
  const Result<ports::FileStatus> status = files.status(file);
  const bool fits = status && status->type == ports::FileType::regular && status->size <= most;
  return fits ? files.read(file).value_or(std::string()) : std::string();
}

bool has_lfs_filter(ports::Files& files, const fs::path& attributes) {
  constexpr uint64_t kMost = 1'000'000;
  return small_text(files, attributes, kMost).find("filter=lfs") != std::string::npos;
}

/// Whether files use Git LFS. Their attributes may be in any directory above them.
bool uses_lfs(ports::Files& files, const fs::path& directory, const ports::GitFiles& found) {
  for (const std::string& name : found.tracked) {
    if (last_part(name) == kAttributes && has_lfs_filter(files, directory / name)) return true;
  }
  fs::path above = directory;
  while (files.resolved_type(above / ".git") == ports::FileType::missing &&
         above.has_relative_path()) {
    above = above.parent_path();
    if (has_lfs_filter(files, above / kAttributes)) return true;
  }
  return false;
}

Error not_fetched(const std::vector<std::string>& pointers) {
  constexpr size_t kShown = 5;
  const std::vector<std::string> first(
      pointers.begin(),
      pointers.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, pointers.size())));
  const std::string more = pointers.size() > kShown
                               ? fmt::format(" and {} more", pointers.size() - kShown)
                               : std::string();
  return Error{ErrorKind::environment,
               fmt::format("{}{} {} not fetched: Git LFS left {} in its place", quoted_list(first),
                           more, pointers.size() == 1 ? "is" : "are",
                           pointers.size() == 1 ? "a pointer" : "pointers")}
      .with_hint("run `git lfs pull`; with actions/checkout, set `lfs: true`");
}

std::vector<Error> missing_files(ports::Git& git, ports::Files& files, const fs::path& directory) {
  std::vector<Error> warnings;
  const Result<ports::GitFiles> found = git.files(directory);
  if (!found) return warnings;
  for (const std::string& name : found->absent_submodules) {
    warnings.push_back(
        Error{ErrorKind::environment, fmt::format("submodule {} is not checked out", quoted(name))}
            .with_hint("run `git submodule update --init --recursive`; with actions/checkout, set "
                       "`submodules: recursive`"));
  }
  if (!uses_lfs(files, directory, *found)) return warnings;
  std::vector<std::string> pointers;
  for (const std::string& name : found->tracked) {
    if (is_lfs_pointer(small_text(files, directory / name, kLargestLfsPointer))) {
      pointers.push_back(name);
    }
  }
  if (!pointers.empty()) warnings.push_back(not_fetched(pointers));
  return warnings;
}

}  // namespace

RepositoryTraits repository_traits(ports::Git& git, ports::Files& files,
                                   const fs::path& directory) {
  const Result<ports::GitFiles> found = git.files(directory);
  if (!found) return {};
  return {!found->submodules.empty(), uses_lfs(files, directory, *found)};
}

void warn_of_missing_files(const Host& host, const Loaded& loaded, ports::Notices& notices) {
  if (!loaded.matrix.package.requirement.empty()) return;
  for (const matrix::Package* const package : matrix::packages_of(loaded.matrix)) {
    const Result<fs::path> directory = package_directory(host, loaded.matrix, *package);
    if (!directory) continue;
    for (const Error& warning : missing_files(host.git, host.files, *directory)) {
      notices.warn(warning);
    }
  }
}

Result<ports::GitFacts> own_repository(ports::Git& git, const fs::path& directory) {
  TRY(ports::GitFacts facts, git.facts(directory));
  if (facts.tracks_directory) return facts;
  const Result<ports::GitFiles> found = git.files(directory);
  if (found && found->tracked.empty() && found->untracked.empty()) {
    return fail(
        ErrorKind::config,
        fmt::format(
            "{} is ignored by the repository {} around it, so none of its files would be built",
            quoted(directory.string()), quoted(facts.root.string())),
        fmt::format(
            "remove it from {}, move it elsewhere, or make it a separate repository: `git init`",
            quoted((facts.root / ".gitignore").string())));
  }
  return fail(
      ErrorKind::environment,
      fmt::format("the repository {} tracks no file of {}, so its tags do not give it a version",
                  quoted(facts.root.string()), quoted(directory.string())),
      "add the files: `git add`; make it a separate repository: `git init`; or name another source "
      "of the version: `package.version.from`");
}

}  // namespace pinwheel::prepare
