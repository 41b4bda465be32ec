#include "host/net/http_library.h"

#include <fmt/format.h>

#include "host/system/loaded_library.h"

namespace pinwheel::host {

namespace {

Error no_curl(std::string_view why) {
  return Error{ErrorKind::environment,
               fmt::format("libcurl cannot be loaded: {}", why),
               std::nullopt,
               "install it: apt install libcurl4",
               {}};
}

Result<CurlLibrary> load_curl() {
  CurlLibrary curl;
#ifdef PINWHEEL_STATIC
#define PINWHEEL_TAKE(name) curl.name = &curl_##name;
  PINWHEEL_CURL_FUNCTIONS(PINWHEEL_TAKE)
#undef PINWHEEL_TAKE
#else
  void* handle = nullptr;
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
    if (handle == nullptr) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == nullptr) {
    const char* why = dlerror();
    return fail(no_curl(why == nullptr ? "no reason given" : why));
  }
#define PINWHEEL_FIND(name) &&find_function(handle, "curl_" #name, curl.name)
  const bool complete = true PINWHEEL_CURL_FUNCTIONS(PINWHEEL_FIND);
#undef PINWHEEL_FIND
  if (!complete) return fail(no_curl("it is older than 7.56 and lacks multipart bodies"));
#endif
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
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
