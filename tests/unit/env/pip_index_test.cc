#include "env/pip_index.h"

#include "unit/catch.h"

using pinwheel::env::configured_index;

TEST_CASE("pip's index comes from its variable, or the most specific section of its files") {
  CHECK_FALSE(configured_index(""));
  CHECK_FALSE(configured_index("global.cert='/c'\nglobal.extra-index-url='https://x/'\n"));
  CHECK(configured_index("global.index-url='https://a.example/simple'\n") ==
        "https://a.example/simple");
  CHECK(configured_index("global.index-url='https://a/'\ninstall.index-url='https://b/'\n") ==
        "https://b/");
  CHECK(configured_index(":env:.index-url='https://c/'\ninstall.index-url='https://b/'\n") ==
        "https://c/");
}

using pinwheel::env::configured_indexes;
using pinwheel::env::PipIndexes;

TEST_CASE("all places of pip's configuration are read") {
  CHECK(configured_indexes("") == PipIndexes{});
  CHECK(configured_indexes(":env:.cert='/c.pem'\n"
                           "global.extra-index-url='https://a/ file:///b/simple'\n"
                           "global.find-links='\\n/w\\n/v'\n"
                           "global.index-url='https://i/'\nglobal.no-index='True'\n") ==
        PipIndexes{.index = "https://i/",
                   .extra = {"https://a/", "file:///b/simple"},
                   .find_links = {"/w", "/v"},
                   .certificates = "/c.pem",
                   .no_index = true});
}
