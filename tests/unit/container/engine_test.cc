#include "container/engine.h"

#include "unit/catch.h"

using namespace pinwheel::container;

TEST_CASE("an engine is read by the name that it is told by") {
  for (const Engine engine : kEngines) CHECK(parse_engine(to_string(engine)) == engine);
  CHECK_FALSE(parse_engine("slurm"));
  CHECK_FALSE(parse_engine(""));
}

TEST_CASE("what uses containers has a client of its own name, and nothing else has one") {
  for (const Engine engine : kEngines) {
    const auto client = client_of(engine);
    REQUIRE(client.has_value() == uses_containers(engine));
    if (!client) continue;
    CHECK(client->program == to_string(engine));
    CHECK_FALSE(client->package.empty());
    CHECK_FALSE(client->version_format.empty());
    CHECK_FALSE(client->info_format.empty());
    CHECK_FALSE(client->start.empty());
    CHECK(client->start_hint.find(client->start) != std::string_view::npos);
    CHECK(client->parse_info != nullptr);
  }
}
