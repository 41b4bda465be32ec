#include "host/git/git.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "host/git/git_handle.h"
#include "host/git/git_history.h"
#include "host/git/made_directories.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

std::string branch_of(const GitLibrary& git, git_repository* repository) {
  git_reference* found = nullptr;
  if (git.repository_head(&found, repository) != 0) return {};
  const GitReference head(found, git.reference_free);
  return git.reference_is_branch(found) != 0 ? git.reference_shorthand(found) : std::string();
}

/// The status of a repository's files, as selected by `flags`; untracked directories are traversed.
Result<GitStatusList> read_status(const GitLibrary& git, git_repository* repository, unsigned flags,
                                  const std::string& below) {
  git_status_options options;
  git.status_options_init(&options, GIT_STATUS_OPTIONS_VERSION);
  options.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR;
  options.flags = flags;
  std::string path = below;
  char* paths[] = {path.data()};
  if (!below.empty()) options.pathspec = {paths, 1};
  git_status_list* list = nullptr;
  if (git.status_list_new(&list, repository, &options) != 0) {
    return git_failure(git, "state of the work tree cannot be read");
  }
  return GitStatusList(list, git.status_list_free);
}

Result<bool> is_dirty(const GitLibrary& git, git_repository* repository) {
  if (git.repository_is_bare(repository) != 0) return false;
  // A submodule is dirty if its commit differs, as in `git describe --dirty`, which ignores
  // untracked files by default.
  // Without GIT_STATUS_OPT_UPDATE_INDEX: it writes to the index, and fails where that is locked or
  // may not be written.
  TRY(const GitStatusList list, read_status(git, repository, 0, ""));
  for (size_t i = 0; i < git.status_list_entrycount(list.get()); ++i) {
    const git_status_entry* entry = git.status_byindex(list.get(), i);
    if ((entry->status & ~static_cast<unsigned>(GIT_STATUS_IGNORED)) != 0) return true;
  }
  return false;
}

/// Names relative to a directory.
struct Listing {
  std::set<std::string> files;  ///< tracked ones
  std::set<std::string> untracked;
  std::set<std::string> submodules;
  std::set<std::string> absent;  ///< submodules that are not checked out
};

void keep_below(const std::string& prefix, std::string_view path, std::set<std::string>& names) {
  if (path.starts_with(prefix)) names.emplace(path.substr(prefix.size()));
}

Done add_tracked(const GitLibrary& git, git_repository* repository, const std::string& prefix,
                 Listing& listing) {
  git_index* opened = nullptr;
  if (git.repository_index(&opened, repository) != 0)
    return git_failure(git, "index cannot be read");
  const GitIndex index(opened, git.index_free);
  for (size_t i = 0; i < git.index_entrycount(opened); ++i) {
    const git_index_entry* entry = git.index_get_byindex(opened, i);
    const bool submodule = entry->mode == GIT_FILEMODE_COMMIT;
    keep_below(prefix, entry->path, submodule ? listing.submodules : listing.files);
  }
  return {};
}

Done add_untracked(const GitLibrary& git, git_repository* repository, const std::string& prefix,
                   std::set<std::string>& names) {
  constexpr unsigned kFlags =
      GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_RECURSE_UNTRACKED_DIRS |
      GIT_STATUS_OPT_EXCLUDE_SUBMODULES | GIT_STATUS_OPT_DISABLE_PATHSPEC_MATCH;
  const std::string below = prefix.empty() ? "" : prefix.substr(0, prefix.size() - 1);
  TRY(const GitStatusList list, read_status(git, repository, kFlags, below));
  for (size_t i = 0; i < git.status_list_entrycount(list.get()); ++i) {
    const git_status_entry* entry = git.status_byindex(list.get(), i);
    if ((entry->status & GIT_STATUS_WT_NEW) == 0) continue;
    keep_below(prefix, entry->index_to_workdir->new_file.path, names);
  }
  return {};
}

/// Whether git tracks a file below the directory; always for the top level.
Result<bool> tracks(const GitLibrary& git, git_repository* repository, const fs::path& directory) {
  if (git.repository_workdir(repository) == nullptr) return true;
  TRY(const std::string prefix, prefix_of(git, repository, directory));
  if (prefix.empty()) return true;
  Listing listing;
  TRY_DONE(add_tracked(git, repository, prefix, listing));
  return !listing.files.empty() || !listing.submodules.empty();
}

/// Lists the files below a directory, names prefixed with `place`; files of a submodule are listed
/// below it.
Done add_files(const GitLibrary& git, const fs::path& directory, const std::string& place,
               const MadeDirectories& made, Listing& found) {
  TRY(const GitRepository repository, open_repository(git, directory));
  TRY(const std::string prefix, prefix_of(git, repository.get(), directory));
  Listing listing;
  TRY_DONE(add_tracked(git, repository.get(), prefix, listing));
  TRY_DONE(add_untracked(git, repository.get(), prefix, listing.untracked));
  for (const std::string& name : listing.untracked) {
    if (!made.contains(place + name)) found.untracked.insert(place + name);
  }
  for (const std::string& name : listing.files) found.files.insert(place + name);
  for (const std::string& name : listing.submodules) {
    // A submodule that is not checked out is an empty directory, where git would find the outer
    // repository.
    std::error_code ignored;
    found.submodules.insert(place + name);
    if (!fs::exists(directory / name / ".git", ignored)) {
      found.absent.insert(place + name);
      continue;
    }
    TRY_DONE(add_files(git, directory / name, place + name + "/", made, found));
  }
  return {};
}

}  // namespace

Result<ports::GitFacts> LibGit2::facts(const fs::path& directory, ports::WorkTree work_tree) {
  TRY(const GitLibrary* const library, git_library());
  const GitLibrary& git = *library;
  const GitSession session(git);
  TRY(const GitRepository repository, open_repository(git, directory));
  TRY(const GitCommit commit, head_commit(git, repository.get()));
  TRY(GitHistory history, read_history(git, repository.get(), *git.commit_id(commit.get())));
  ports::GitFacts facts;
  const char* top = git.repository_workdir(repository.get());
  facts.root = fs::path(top != nullptr ? top : git.repository_path(repository.get()));
  if (!facts.root.has_filename()) facts.root = facts.root.parent_path();
  facts.commit = git.oid_tostr_s(git.commit_id(commit.get()));
  facts.date =
      std::chrono::system_clock::time_point(std::chrono::seconds(git.commit_time(commit.get())));
  facts.branch = branch_of(git, repository.get());
  facts.tags = std::move(history.tags);
  facts.all_tags = std::move(history.all_tags);
  facts.commit_count = history.commit_count;
  facts.shallow = git.repository_is_shallow(repository.get()) == 1;
  TRY(facts.tracks_directory, tracks(git, repository.get(), directory));
  if (work_tree == ports::WorkTree::compare) {
    TRY(facts.dirty, is_dirty(git, repository.get()));
  }
  return facts;
}

Result<ports::GitFiles> LibGit2::files(const fs::path& directory,
                                       const std::vector<fs::path>& made) {
  TRY(const GitLibrary* const library, git_library());
  const GitSession session(*library);
  TRY(const MadeDirectories below, MadeDirectories::below(directory, made));
  Listing found;
  TRY_DONE(add_files(*library, directory, "", below, found));
  return ports::GitFiles{{found.files.begin(), found.files.end()},
                         {found.untracked.begin(), found.untracked.end()},
                         {found.submodules.begin(), found.submodules.end()},
                         {found.absent.begin(), found.absent.end()}};
}

Result<ports::GitChange> LibGit2::last_change(
    const fs::path& directory, const std::function<bool(std::string_view name)>& counts) {
  TRY(const GitLibrary* const library, git_library());
  const GitSession session(*library);
  TRY(const GitRepository repository, open_repository(*library, directory));
  TRY(const std::string prefix, prefix_of(*library, repository.get(), directory));
  TRY(GitCommit head, head_commit(*library, repository.get()));
  const GitCommit commit = last_commit_that_changed(*library, std::move(head), {prefix, counts});
  return ports::GitChange{library->oid_tostr_s(library->commit_id(commit.get())),
                          std::chrono::system_clock::time_point(
                              std::chrono::seconds(library->commit_time(commit.get())))};
}

}  // namespace pinwheel::host
