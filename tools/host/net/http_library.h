#pragma once
// Private to http.cc and http_library.cc, the only users of libcurl.
#include <curl/curl.h>

#include "base/result.h"

namespace pinwheel::host {

// curl.h wraps these in type-checking macros, which hide the functions.
#undef curl_easy_setopt
#undef curl_easy_getinfo

/// The functions of libcurl that pinwheel calls, without `curl_`: `each(NAME)` for every one.
// clang-format off
#define PINWHEEL_CURL_FUNCTIONS(each) \
  each(global_init) each(easy_init) each(easy_setopt) each(easy_perform) each(easy_getinfo) each(easy_reset) \
  each(easy_cleanup) each(easy_strerror) each(mime_init) each(mime_free) each(mime_addpart) \
  each(mime_name) each(mime_data) each(mime_data_cb) each(mime_filename) each(mime_type) \
  each(slist_append) each(slist_free_all)
// clang-format on

/// These functions. Unless libcurl is linked into the program (PINWHEEL_STATIC), they are looked up
/// at the first request, because loading libcurl and its thirty dependencies would add about 4 ms
/// to every start of the program, and `plan` needs none of them.
struct CurlLibrary {
// A name cannot stand in parentheses. NOLINTNEXTLINE(bugprone-macro-parentheses)
#define PINWHEEL_MEMBER(name) decltype(&curl_##name) name = nullptr;
  PINWHEEL_CURL_FUNCTIONS(PINWHEEL_MEMBER)
#undef PINWHEEL_MEMBER
};

/// libcurl, loaded and initialized once per process; thread-safe. Kind `environment` if it is not
/// installed.
Result<const CurlLibrary*> curl_library();

}  // namespace pinwheel::host
