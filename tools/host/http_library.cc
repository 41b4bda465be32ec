#include "host/http_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace pinwheel::host {

// curl.h wraps these in type-checking macros, which would hide the functions themselves.
#undef curl_easy_setopt
#undef curl_easy_getinfo

namespace {

template <class Function>
bool look_up(void* library, const char* name, Function& function) {
  // POSIX demands that a function's address fits a void pointer.
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Error no_library(std::string_view why) {
  return Error{ErrorKind::environment,
               fmt::format("libcurl cannot be loaded: {}", why),
               std::nullopt,
               "install it: apt install libcurl4",
               {}};
}

Result<CurlLibrary> load() {
  void* handle = nullptr;
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
    if (handle == nullptr) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == nullptr) {
    const char* why = dlerror();
    return fail(no_library(why == nullptr ? "no reason given" : why));
  }
  CurlLibrary curl;
  decltype(&curl_global_init) global_init = nullptr;
  const bool complete = look_up(handle, "curl_global_init", global_init) &&
                        look_up(handle, "curl_easy_init", curl.easy_init) &&
                        look_up(handle, "curl_easy_setopt", curl.easy_setopt) &&
                        look_up(handle, "curl_easy_perform", curl.easy_perform) &&
                        look_up(handle, "curl_easy_getinfo", curl.easy_getinfo) &&
                        look_up(handle, "curl_easy_cleanup", curl.easy_cleanup) &&
                        look_up(handle, "curl_easy_strerror", curl.easy_strerror) &&
                        look_up(handle, "curl_mime_init", curl.mime_init) &&
                        look_up(handle, "curl_mime_free", curl.mime_free) &&
                        look_up(handle, "curl_mime_addpart", curl.mime_addpart) &&
                        look_up(handle, "curl_mime_name", curl.mime_name) &&
                        look_up(handle, "curl_mime_data", curl.mime_data) &&
                        look_up(handle, "curl_mime_filedata", curl.mime_filedata) &&
                        look_up(handle, "curl_mime_filename", curl.mime_filename) &&
                        look_up(handle, "curl_mime_type", curl.mime_type) &&
                        look_up(handle, "curl_slist_append", curl.slist_append) &&
                        look_up(handle, "curl_slist_free_all", curl.slist_free_all);
  if (!complete) return fail(no_library("it is older than 7.56 and lacks multipart bodies"));
  if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return fail(no_library("it does not start"));
  return curl;
}

}  // namespace

Result<const CurlLibrary*> curl_library() {
  static const Result<CurlLibrary> loaded = load();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

}  // namespace pinwheel::host
