#include "host/git_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace pinwheel::host {
namespace {

// The version whose headers this was compiled with; another may lay out its options differently.
constexpr const char* kName = "libgit2.so." LIBGIT2_SOVERSION;

template <class Function>
bool look_up(void* library, const char* name, Function& function) {
  // POSIX demands that a function's address fits a void pointer.
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool look_up_objects(void* handle, GitLibrary& git) {
  return look_up(handle, "git_commit_free", git.commit_free) &&
         look_up(handle, "git_commit_id", git.commit_id) &&
         look_up(handle, "git_commit_lookup", git.commit_lookup) &&
         look_up(handle, "git_commit_parent_id", git.commit_parent_id) &&
         look_up(handle, "git_commit_parentcount", git.commit_parentcount) &&
         look_up(handle, "git_commit_time", git.commit_time) &&
         look_up(handle, "git_error_last", git.error_last) &&
         look_up(handle, "git_index_entrycount", git.index_entrycount) &&
         look_up(handle, "git_index_free", git.index_free) &&
         look_up(handle, "git_index_get_byindex", git.index_get_byindex) &&
         look_up(handle, "git_object_free", git.object_free) &&
         look_up(handle, "git_object_id", git.object_id) &&
         look_up(handle, "git_object_lookup", git.object_lookup) &&
         look_up(handle, "git_object_peel", git.object_peel) &&
         look_up(handle, "git_oid_fromstrn", git.oid_fromstrn) &&
         look_up(handle, "git_oid_tostr_s", git.oid_tostr_s);
}

bool look_up_repository(void* handle, GitLibrary& git) {
  return look_up(handle, "git_reference_free", git.reference_free) &&
         look_up(handle, "git_reference_is_branch", git.reference_is_branch) &&
         look_up(handle, "git_reference_peel", git.reference_peel) &&
         look_up(handle, "git_reference_shorthand", git.reference_shorthand) &&
         look_up(handle, "git_repository_commondir", git.repository_commondir) &&
         look_up(handle, "git_repository_free", git.repository_free) &&
         look_up(handle, "git_repository_head", git.repository_head) &&
         look_up(handle, "git_repository_index", git.repository_index) &&
         look_up(handle, "git_repository_is_bare", git.repository_is_bare) &&
         look_up(handle, "git_repository_is_shallow", git.repository_is_shallow) &&
         look_up(handle, "git_repository_open_ext", git.repository_open_ext) &&
         look_up(handle, "git_repository_path", git.repository_path) &&
         look_up(handle, "git_repository_workdir", git.repository_workdir) &&
         look_up(handle, "git_status_byindex", git.status_byindex) &&
         look_up(handle, "git_status_list_entrycount", git.status_list_entrycount) &&
         look_up(handle, "git_status_list_free", git.status_list_free) &&
         look_up(handle, "git_status_list_new", git.status_list_new) &&
         look_up(handle, "git_status_options_init", git.status_options_init) &&
         look_up(handle, "git_tag_foreach", git.tag_foreach);
}

Error no_library(std::string_view why) {
  return Error{ErrorKind::environment,
               fmt::format("libgit2 cannot be loaded: {}", why),
               std::nullopt,
               "install it: apt install libgit2-" LIBGIT2_SOVERSION,
               {}};
}

Result<GitLibrary> load() {
  void* const handle = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    return fail(no_library(why == nullptr ? "no reason given" : why));
  }
  GitLibrary git;
  const bool complete = look_up(handle, "git_libgit2_init", git.libgit2_init) &&
                        look_up(handle, "git_libgit2_shutdown", git.libgit2_shutdown) &&
                        look_up_objects(handle, git) && look_up_repository(handle, git);
  if (!complete) return fail(no_library(fmt::format("`{}` lacks a function", kName)));
  return git;
}

}  // namespace

Result<const GitLibrary*> git_library() {
  static const Result<GitLibrary> loaded = load();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

}  // namespace pinwheel::host
