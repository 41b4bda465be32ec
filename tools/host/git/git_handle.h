#pragma once
// Private to host/git: owning handles of libgit2 objects.
#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "host/git/git_library.h"

namespace pinwheel::host {

/// A libgit2 object and the function that frees it.
template <class T>
using GitOwner = std::unique_ptr<T, void (*)(T*)>;

using GitRepository = GitOwner<git_repository>;
using GitReference = GitOwner<git_reference>;
using GitObject = GitOwner<git_object>;
using GitConfig = GitOwner<git_config>;
using GitCommit = GitOwner<git_commit>;
using GitStatusList = GitOwner<git_status_list>;
using GitIndex = GitOwner<git_index>;
using GitTree = GitOwner<git_tree>;
using GitTreeEntry = GitOwner<git_tree_entry>;
using GitDiff = GitOwner<git_diff>;

/// An error that ends in libgit2's last message: "`x` cannot be read: <message>".
tl::unexpected<Error> git_failure(const GitLibrary& git, const std::string& what);

/// The repository that contains `directory`, found as by `git -C directory`.
Result<GitRepository> open_repository(const GitLibrary& git,
                                      const std::filesystem::path& directory);

/// The commit of HEAD.
Result<GitCommit> head_commit(const GitLibrary& git, git_repository* repository);

/// `directory` relative to the work tree with a trailing slash; "" for the top level.
Result<std::string> prefix_of(const GitLibrary& git, git_repository* repository,
                              const std::filesystem::path& directory);

}  // namespace pinwheel::host
