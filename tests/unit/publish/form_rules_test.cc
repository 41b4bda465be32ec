#include "publish/preflight.h"

#include "unit/catch.h"

using namespace pinwheel;

namespace {

std::vector<std::string> messages(std::vector<ports::FormField> fields) {
  publish::Artifact file;
  file.filename = "a.whl";
  file.fields = std::move(fields);
  std::vector<std::string> out;
  for (const Error& error : publish::form_findings(file)) {
    CHECK(error.kind == ErrorKind::check);
    out.push_back(error.message);
  }
  return out;
}

using Messages = std::vector<std::string>;

}  // namespace

TEST_CASE("a form that PyPI accepts has no findings") {
  CHECK(messages({{"metadata_version", "2.4"},
                  {"summary", std::string(512, 'x')},
                  {"license_expression", "Apache-2.0"},
                  {"requires_dist", "torch[opt]>=2.10; python_version < '3.14'"},
                  {"requires_python", ">=3.10"},
                  {"project_urls", std::string(32, 'l') + ", https://a.example/"}})
            .empty());
  std::string umlauts;
  for (int i = 0; i < 512; ++i) umlauts += "\xc3\xa4";
  CHECK(messages({{"summary", umlauts}}).empty());
}

TEST_CASE("each field that PyPI rejects is named") {
  CHECK(messages({{"metadata_version", "2.0"}}) ==
        Messages{"`a.whl` has Metadata-Version `2.0`, which PyPI does not support"});
  CHECK(messages({{"summary", "a\nb"}}) == Messages{"`a.whl` has a multi-line Summary"});
  CHECK(messages({{"summary", std::string(513, 'x')}}) ==
        Messages{"`a.whl` has a Summary of more than 512 characters"});
  CHECK(messages({{"license", "MIT"}, {"license_expression", "MIT"}}) ==
        Messages{"`a.whl` has both License and License-Expression"});
  CHECK(messages({{"requires_dist", "x @ https://a.example/x.whl"}}) ==
        Messages{"`a.whl` requires `x` from a URL, which PyPI rejects"});
  CHECK(messages({{"requires_dist", "x >>= 1"}}) ==
        Messages{"`a.whl` has a malformed Requires-Dist `x >>= 1`"});
  CHECK(messages({{"requires_python", "three"}}) ==
        Messages{"`a.whl` has a malformed Requires-Python `three`"});
  CHECK(messages({{"project_urls", std::string(33, 'l') + ", https://a.example/"}}).size() == 1);
}
