#include "host/net/http_library.h"

#include <fmt/format.h>

#include "host/system/loaded_library.h"

namespace pinwheel::host {

// curl.h wraps these in type-checking macros, which hide the functions.
#undef curl_easy_setopt
#undef curl_easy_getinfo

namespace {

Error no_curl(std::string_view why) {
  return Error{ErrorKind::environment,
               fmt::format("libcurl cannot be loaded: {}", why),
               std::nullopt,
               "install it: apt install libcurl4",
               {}};
}

Result<CurlLibrary> load_curl() {
  void* handle = nullptr;
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
    if (handle == nullptr) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == nullptr) {
    const char* why = dlerror();
    return fail(no_curl(why == nullptr ? "no reason given" : why));
  }
  CurlLibrary curl;
  decltype(&curl_global_init) global_init = nullptr;
  const bool complete = find_function(handle, "curl_global_init", global_init) &&
                        find_function(handle, "curl_easy_init", curl.easy_init) &&
                        find_function(handle, "curl_easy_setopt", curl.easy_setopt) &&
                        find_function(handle, "curl_easy_perform", curl.easy_perform) &&
                        find_function(handle, "curl_easy_getinfo", curl.easy_getinfo) &&
                        find_function(handle, "curl_easy_reset", curl.easy_reset) &&
                        find_function(handle, "curl_easy_cleanup", curl.easy_cleanup) &&
                        find_function(handle, "curl_easy_strerror", curl.easy_strerror) &&
                        find_function(handle, "curl_mime_init", curl.mime_init) &&
                        find_function(handle, "curl_mime_free", curl.mime_free) &&
                        find_function(handle, "curl_mime_addpart", curl.mime_addpart) &&
                        find_function(handle, "curl_mime_name", curl.mime_name) &&
                        find_function(handle, "curl_mime_data", curl.mime_data) &&
                        find_function(handle, "curl_mime_data_cb", curl.mime_data_cb) &&
                        find_function(handle, "curl_mime_filename", curl.mime_filename) &&
                        find_function(handle, "curl_mime_type", curl.mime_type) &&
                        find_function(handle, "curl_slist_append", curl.slist_append) &&
                        find_function(handle, "curl_slist_free_all", curl.slist_free_all);
  if (!complete) return fail(no_curl("it is older than 7.56 and lacks multipart bodies"));
  if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return fail(no_curl("it cannot be initialized"));
  return curl;
}

}  // namespace

Result<const CurlLibrary*> curl_library() {
  static const Result<CurlLibrary> loaded = load_curl();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

}  // namespace pinwheel::host
