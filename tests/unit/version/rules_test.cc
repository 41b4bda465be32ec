#include "version/rules.h"

#include "unit/catch.h"

namespace pinwheel::version {
namespace {

TEST_CASE("a channel reads back as it is written") {
  for (const Channel channel : {Channel::ci, Channel::nightly, Channel::test, Channel::release}) {
    CHECK(parse_channel(to_string(channel)) == channel);
  }
  CHECK_FALSE(parse_channel("stable"));
}

}  // namespace
}  // namespace pinwheel::version
