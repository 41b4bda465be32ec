#include "host/git/git_library.h"

#include <fmt/format.h>

#include "base/text.h"
#include "host/system/loaded_library.h"

namespace pinwheel::host {
namespace {

// The version of the headers used at compile time; the layout of options may differ in other
// versions.
constexpr const char* kName = "libgit2.so." LIBGIT2_SOVERSION;

bool find_objects(void* handle, GitLibrary& git) {
  return find_function(handle, "git_buf_dispose", git.buf_dispose) &&
         find_function(handle, "git_patch_free", git.patch_free) &&
         find_function(handle, "git_patch_from_buffers", git.patch_from_buffers) &&
         find_function(handle, "git_patch_to_buf", git.patch_to_buf) &&
         find_function(handle, "git_commit_free", git.commit_free) &&
         find_function(handle, "git_commit_id", git.commit_id) &&
         find_function(handle, "git_commit_lookup", git.commit_lookup) &&
         find_function(handle, "git_commit_parent_id", git.commit_parent_id) &&
         find_function(handle, "git_commit_parentcount", git.commit_parentcount) &&
         find_function(handle, "git_commit_time", git.commit_time) &&
         find_function(handle, "git_error_last", git.error_last) &&
         find_function(handle, "git_index_entrycount", git.index_entrycount) &&
         find_function(handle, "git_index_free", git.index_free) &&
         find_function(handle, "git_index_get_byindex", git.index_get_byindex) &&
         find_function(handle, "git_object_free", git.object_free) &&
         find_function(handle, "git_object_id", git.object_id) &&
         find_function(handle, "git_object_lookup", git.object_lookup) &&
         find_function(handle, "git_object_peel", git.object_peel) &&
         find_function(handle, "git_oid_fromstrn", git.oid_fromstrn) &&
         find_function(handle, "git_oid_tostr_s", git.oid_tostr_s);
}

bool find_repository(void* handle, GitLibrary& git) {
  return find_function(handle, "git_reference_free", git.reference_free) &&
         find_function(handle, "git_reference_is_branch", git.reference_is_branch) &&
         find_function(handle, "git_reference_peel", git.reference_peel) &&
         find_function(handle, "git_reference_shorthand", git.reference_shorthand) &&
         find_function(handle, "git_repository_commondir", git.repository_commondir) &&
         find_function(handle, "git_repository_free", git.repository_free) &&
         find_function(handle, "git_repository_head", git.repository_head) &&
         find_function(handle, "git_repository_index", git.repository_index) &&
         find_function(handle, "git_repository_is_bare", git.repository_is_bare) &&
         find_function(handle, "git_repository_is_shallow", git.repository_is_shallow) &&
         find_function(handle, "git_repository_open_ext", git.repository_open_ext) &&
         find_function(handle, "git_repository_path", git.repository_path) &&
         find_function(handle, "git_repository_workdir", git.repository_workdir) &&
         find_function(handle, "git_status_byindex", git.status_byindex) &&
         find_function(handle, "git_status_list_entrycount", git.status_list_entrycount) &&
         find_function(handle, "git_status_list_free", git.status_list_free) &&
         find_function(handle, "git_status_list_new", git.status_list_new) &&
         find_function(handle, "git_status_options_init", git.status_options_init) &&
         find_function(handle, "git_tag_foreach", git.tag_foreach);
}

Error no_git(std::string_view why) {
  return Error{ErrorKind::environment,
               fmt::format("libgit2 cannot be loaded: {}", why),
               std::nullopt,
               "install it: apt install libgit2-" LIBGIT2_SOVERSION,
               {}};
}

Result<GitLibrary> load_git() {
  void* const handle = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    return fail(no_git(why == nullptr ? "no reason given" : why));
  }
  GitLibrary git;
  const bool complete = find_function(handle, "git_libgit2_init", git.libgit2_init) &&
                        find_function(handle, "git_libgit2_shutdown", git.libgit2_shutdown) &&
                        find_objects(handle, git) && find_repository(handle, git);
  if (!complete) return fail(no_git(fmt::format("{} lacks a required function", quoted(kName))));
  return git;
}

}  // namespace

Result<const GitLibrary*> git_library() {
  static const Result<GitLibrary> loaded = load_git();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

}  // namespace pinwheel::host
