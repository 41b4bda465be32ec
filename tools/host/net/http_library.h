#pragma once
// Private to http.cc and http_library.cc, the only users of libcurl.
#include <curl/curl.h>

#include "base/result.h"

namespace pinwheel::host {

/// The libcurl functions that pinwheel calls. They are looked up at the first request, because
/// loading libcurl and its thirty dependencies would add about 4 ms to every start of the program,
/// and `plan` needs none of them.
struct CurlLibrary {
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_mime_init) mime_init = nullptr;
  decltype(&curl_mime_free) mime_free = nullptr;
  decltype(&curl_mime_addpart) mime_addpart = nullptr;
  decltype(&curl_mime_name) mime_name = nullptr;
  decltype(&curl_mime_data) mime_data = nullptr;
  decltype(&curl_mime_data_cb) mime_data_cb = nullptr;
  decltype(&curl_mime_filename) mime_filename = nullptr;
  decltype(&curl_mime_type) mime_type = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
};

/// libcurl, loaded and initialized once per process; thread-safe. Kind `environment` if it is not
/// installed.
Result<const CurlLibrary*> curl_library();

}  // namespace pinwheel::host
