#include "fuzz/fuzz.h"
#include "publish/pinned_version.h"
#include "publish/root_page.h"
#include "publish/simple_page.h"
#include "publish/upload_time.h"

using namespace pinwheel;

// Every page of an index, JSON or HTML, is read or rejected as an error of the index.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body = text_of(data, size);
  for (const std::string_view type : {"application/vnd.pypi.simple.v1+json", "text/html"}) {
    const auto files = publish::parse_simple_page(type, body);
    if (!files) must(files.error().kind == ErrorKind::publish);
  }
  const auto names = publish::parse_root_json(body);
  if (!names) must(names.error().kind == ErrorKind::publish);
  const auto variants = publish::parse_page_variants(body);
  if (!variants) must(variants.error().kind == ErrorKind::publish);
  static_cast<void>(publish::parse_upload_time(body));
  static_cast<void>(publish::parse_upload_day(body));
  static_cast<void>(publish::parse_pinned_version(body));
  const auto directories = publish::parse_root_html(body, "https://a.example/simple/");
  if (!directories) must(directories.error().kind == ErrorKind::publish);
  return 0;
}
