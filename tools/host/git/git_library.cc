#include "host/git/git_library.h"

#include <fmt/format.h>

#include "base/text.h"
#include "host/system/loaded_library.h"

namespace pinwheel::host {
namespace {

#ifdef PINWHEEL_STATIC

Result<GitLibrary> load_git() {
  GitLibrary git;
#define PINWHEEL_TAKE(name) git.name = &git_##name;
  PINWHEEL_GIT_FUNCTIONS(PINWHEEL_TAKE)
#undef PINWHEEL_TAKE
  return git;
}

#else

// The version of the headers used at compile time; the layout of options may differ in other
// versions.
constexpr const char* kName = "libgit2.so." LIBGIT2_SOVERSION;

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
#define PINWHEEL_FIND(name) &&find_function(handle, "git_" #name, git.name)
  const bool complete = true PINWHEEL_GIT_FUNCTIONS(PINWHEEL_FIND);
#undef PINWHEEL_FIND
  if (!complete) return fail(no_git(fmt::format("{} lacks a required function", quoted(kName))));
  return git;
}

#endif

}  // namespace

Result<const GitLibrary*> git_library() {
  static const Result<GitLibrary> loaded = load_git();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

}  // namespace pinwheel::host
