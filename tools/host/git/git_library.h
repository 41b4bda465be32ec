#pragma once
// Private to host/git, the only user of libgit2.
#include <git2.h>

#include "base/result.h"

namespace pinwheel::host {

/// The functions of libgit2 that pinwheel calls, without `git_`: `each(NAME)` for every one.
// clang-format off
#define PINWHEEL_GIT_FUNCTIONS(each) \
  each(buf_dispose) each(commit_free) each(commit_id) each(commit_lookup) each(commit_owner) \
  each(commit_parent) each(commit_parent_id) each(commit_parentcount) each(commit_time) \
  each(commit_tree) each(config_free) each(config_get_string) each(diff_free) each(diff_get_delta) each(diff_num_deltas) \
  each(diff_tree_to_tree) each(error_last) each(index_entrycount) each(index_free) \
  each(index_get_byindex) each(libgit2_init) each(libgit2_shutdown) each(object_free) \
  each(object_id) each(object_lookup) each(object_peel) each(oid_equal) each(oid_fromstrn) \
  each(oid_tostr_s) each(patch_free) each(patch_from_buffers) each(patch_to_buf) \
  each(reference_free) each(reference_is_branch) each(reference_peel) each(reference_shorthand) \
  each(repository_commondir) each(repository_config_snapshot) each(repository_free) each(repository_head) each(repository_index) \
  each(repository_is_bare) each(repository_is_shallow) each(repository_open_ext) \
  each(repository_path) each(repository_workdir) each(status_byindex) \
  each(status_list_entrycount) each(status_list_free) each(status_list_new) \
  each(status_options_init) each(tag_foreach) each(tree_entry_bypath) each(tree_entry_free) \
  each(tree_entry_id) each(tree_free) each(tree_id) each(tree_lookup) each(tree_owner)
// clang-format on

/// These functions. Unless libgit2 is linked into the program (PINWHEEL_STATIC), they are looked up
/// when the first repository is opened: loading libgit2 and its dozen dependencies takes half of
/// the startup time of `plan --format ids`, which needs none of them.
struct GitLibrary {
// A name cannot stand in parentheses. NOLINTNEXTLINE(bugprone-macro-parentheses)
#define PINWHEEL_MEMBER(name) decltype(&git_##name) name = nullptr;
  PINWHEEL_GIT_FUNCTIONS(PINWHEEL_MEMBER)
#undef PINWHEEL_MEMBER
};

/// libgit2, loaded once per process; thread-safe. Kind `environment` if it is not installed.
Result<const GitLibrary*> git_library();

/// Keeps libgit2 initialized while an instance exists. The first instance reads the user's
/// configuration and, where libgit2 uses mbedTLS, the CA certificates of the system.
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
