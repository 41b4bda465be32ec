#include "base/limits.h"
#include "publish/catalog.h"
#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("a page that clients could not read is an error before anything is written") {
  const uint64_t most = limits::kSimplePage.most;
  CHECK(publish::check_pages({{"index.json", "{}"}, {"demo/index.json", std::string(1000, ' ')}}));
  const Done done =
      publish::check_pages({{"index.json", "{}"}, {"demo/index.json", std::string(most, ' ')}});
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::publish);
  CHECK(done.error().message.starts_with("the page `demo/index.json` is larger than the limit"));
  CHECK(done.error().hint == "remove old versions with `pinwheel index prune`");
}
