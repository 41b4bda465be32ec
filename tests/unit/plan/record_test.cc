#include "plan/record.h"

#include "unit/catch.h"

using namespace pinwheel::plan;

TEST_CASE("a record has class, variants, build and commit, the same text each time") {
  const BuildRecord record{{"cu13", {"a", "b"}, "a"}, "2.10", "cuda/13.0", {"9.0a"}, "c0ffee"};
  CHECK(record_json(record) ==
        "{\n"
        "  \"architectures\": [\n"
        "    \"9.0a\"\n"
        "  ],\n"
        "  \"built-with\": {\n"
        "    \"compute\": \"cuda/13.0\",\n"
        "    \"torch\": \"2.10\",\n"
        "    \"variant\": \"a\"\n"
        "  },\n"
        "  \"class\": \"cu13\",\n"
        "  \"commit\": \"c0ffee\",\n"
        "  \"schema\": \"pinwheel-wheel/1\",\n"
        "  \"variants\": [\n"
        "    \"a\",\n"
        "    \"b\"\n"
        "  ]\n"
        "}\n");
  CHECK(with_recipe(record_json(record), "abc").find("\"recipe\": \"abc\"") != std::string::npos);
}
