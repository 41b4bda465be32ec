#include "host/index/upload_hooks.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("a wait of an upload ends at its time, or at once when a stop is requested") {
  std::stop_source stop;
  const host::UploadHooks hooks = host::waiting_hooks(stop.get_token());
  CHECK(hooks.sleep(std::chrono::milliseconds(1)));
  stop.request_stop();
  CHECK_FALSE(hooks.sleep(std::chrono::hours(1)));
  const double jitter = hooks.jitter();
  CHECK(jitter >= 0);
  CHECK(jitter < 1);
}
