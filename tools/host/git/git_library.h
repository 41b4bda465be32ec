#pragma once
// Private to host/git, the only user of libgit2.
#include <git2.h>

#include "base/result.h"

namespace pinwheel::host {

/// The libgit2 functions that pinwheel calls, under their names without `git_`. They are looked up
/// when the first repository is opened: loading libgit2 and its dozen dependencies takes half of
/// the startup time of `plan --format ids`, which needs none of them.
struct GitLibrary {
  decltype(&git_buf_dispose) buf_dispose = nullptr;
  decltype(&git_commit_free) commit_free = nullptr;
  decltype(&git_commit_id) commit_id = nullptr;
  decltype(&git_commit_lookup) commit_lookup = nullptr;
  decltype(&git_commit_parent_id) commit_parent_id = nullptr;
  decltype(&git_commit_parentcount) commit_parentcount = nullptr;
  decltype(&git_commit_time) commit_time = nullptr;
  decltype(&git_error_last) error_last = nullptr;
  decltype(&git_index_entrycount) index_entrycount = nullptr;
  decltype(&git_index_free) index_free = nullptr;
  decltype(&git_index_get_byindex) index_get_byindex = nullptr;
  decltype(&git_libgit2_init) libgit2_init = nullptr;
  decltype(&git_libgit2_shutdown) libgit2_shutdown = nullptr;
  decltype(&git_object_free) object_free = nullptr;
  decltype(&git_object_id) object_id = nullptr;
  decltype(&git_object_lookup) object_lookup = nullptr;
  decltype(&git_object_peel) object_peel = nullptr;
  decltype(&git_oid_fromstrn) oid_fromstrn = nullptr;
  decltype(&git_oid_tostr_s) oid_tostr_s = nullptr;
  decltype(&git_patch_free) patch_free = nullptr;
  decltype(&git_patch_from_buffers) patch_from_buffers = nullptr;
  decltype(&git_patch_to_buf) patch_to_buf = nullptr;
  decltype(&git_reference_free) reference_free = nullptr;
  decltype(&git_reference_is_branch) reference_is_branch = nullptr;
  decltype(&git_reference_peel) reference_peel = nullptr;
  decltype(&git_reference_shorthand) reference_shorthand = nullptr;
  decltype(&git_repository_commondir) repository_commondir = nullptr;
  decltype(&git_repository_free) repository_free = nullptr;
  decltype(&git_repository_head) repository_head = nullptr;
  decltype(&git_repository_index) repository_index = nullptr;
  decltype(&git_repository_is_bare) repository_is_bare = nullptr;
  decltype(&git_repository_is_shallow) repository_is_shallow = nullptr;
  decltype(&git_repository_open_ext) repository_open_ext = nullptr;
  decltype(&git_repository_path) repository_path = nullptr;
  decltype(&git_repository_workdir) repository_workdir = nullptr;
  decltype(&git_status_byindex) status_byindex = nullptr;
  decltype(&git_status_list_entrycount) status_list_entrycount = nullptr;
  decltype(&git_status_list_free) status_list_free = nullptr;
  decltype(&git_status_list_new) status_list_new = nullptr;
  decltype(&git_status_options_init) status_options_init = nullptr;
  decltype(&git_tag_foreach) tag_foreach = nullptr;
};

/// libgit2, loaded once per process; thread-safe. Kind `environment` if it is not installed.
Result<const GitLibrary*> git_library();

/// Keeps libgit2 initialized while an instance exists. The first instance rereads the user's
/// configuration.
class GitSession {
 public:
  explicit GitSession(const GitLibrary& git) : git_(git) { git_.libgit2_init(); }
  ~GitSession() { git_.libgit2_shutdown(); }
  GitSession(const GitSession&) = delete;
  GitSession& operator=(const GitSession&) = delete;

 private:
  const GitLibrary& git_;
};

}  // namespace pinwheel::host
