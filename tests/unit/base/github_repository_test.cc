#include "base/github_repository.h"

#include "unit/catch.h"

namespace pinwheel {
namespace {

TEST_CASE("a repository on GitHub has an owner and a name") {
  for (const char* const text : {"acme/ops", "a/b", "acme/.github", "acme/my_ops-1.0"}) {
    INFO(text);
    CHECK(is_owner_and_name(text));
  }
  for (const char* const text :
       {"", "/", "acme", "acme/", "/ops", "acme//ops", "acme/ops/", "/acme/ops", "acme/ops/more"}) {
    INFO(text);
    CHECK_FALSE(is_owner_and_name(text));
  }
}

}  // namespace
}  // namespace pinwheel
