#include "env/lock.h"
#include "fuzz/fuzz.h"
#include "publish/lock_versions.h"

using namespace pinwheel;

// Every text is read or rejected as drift; a lock that was read is equal after writing and reading
// it again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const char* file : {"uv.lock", "requirements.txt"}) {
    const auto versions = publish::parse_lock_versions(text_of(data, size), file);
    if (!versions) must(versions.error().kind == ErrorKind::config);
  }
  const auto lock = env::parse_pylock(text_of(data, size), "pylock.toml");
  if (!lock) {
    must(lock.error().kind == ErrorKind::drift);
    return 0;
  }
  const std::string text = env::to_pylock(*lock);
  const auto again = env::parse_pylock(text, "pylock.toml");
  must(again.has_value());
  must(again->resolution.digest() == lock->resolution.digest());
  must(env::to_pylock(*again) == text);
  return 0;
}
