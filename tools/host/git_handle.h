#pragma once
// Private to the git sources of host/: the owners of libgit2's objects.
#include <git2.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"

namespace pinwheel::host {

/// Frees a libgit2 object with its own function.
template <auto Free>
struct GitFree {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

using GitRepository = std::unique_ptr<git_repository, GitFree<git_repository_free>>;
using GitReference = std::unique_ptr<git_reference, GitFree<git_reference_free>>;
using GitObject = std::unique_ptr<git_object, GitFree<git_object_free>>;
using GitCommit = std::unique_ptr<git_commit, GitFree<git_commit_free>>;
using GitStatusList = std::unique_ptr<git_status_list, GitFree<git_status_list_free>>;
using GitIndex = std::unique_ptr<git_index, GitFree<git_index_free>>;

/// libgit2's last message, after what could not be done: "`x` cannot be read: <message>".
tl::unexpected<Error> git_failure(const std::string& what);

/// The repository that holds `directory`, as `git -C directory` finds it.
Result<GitRepository> open_repository(const std::filesystem::path& directory);

/// The commit of HEAD.
Result<GitCommit> head_commit(git_repository* repository);

}  // namespace pinwheel::host
