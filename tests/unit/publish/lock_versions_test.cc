#include "publish/lock_versions.h"

#include "unit/catch.h"

using namespace pinwheel;

namespace {

std::vector<std::string> locked_versions(std::string_view text, const std::string& file) {
  const auto lock = publish::parse_lock_versions(text, file);
  REQUIRE(lock);
  std::vector<std::string> out;
  for (const publish::PinnedVersion& pinned : lock->versions) out.push_back(to_string(pinned));
  return out;
}

}  // namespace

TEST_CASE("uv.lock names its packages, and no source tree") {
  CHECK(locked_versions(R"(version = 1
[[package]]
name = "Demo_Ops"
version = "1.0.dev3+cu130"
source = { registry = "https://example.org/simple" }
[[package]]
name = "mine"
source = { editable = "." }
)",
                        "uv.lock") == std::vector<std::string>{"demo-ops==1.0.dev3+cu130"});
}

TEST_CASE("pylock.toml names its packages, also by their wheels") {
  CHECK(locked_versions(R"(lock-version = "1.0"
[[packages]]
name = "demo-ops"
version = "1.0"
[[packages]]
name = "other"
[[packages.wheels]]
url = "https://example.org/other-2.0%2Bcu130-py3-none-any.whl"
)",
                        "locks/pylock.dev.toml") ==
        std::vector<std::string>{"demo-ops==1.0", "other==2.0+cu130"});
}

TEST_CASE("a requirements file names what it pins") {
  const std::string text = R"(# made by pip-compile
--index-url https://example.org/simple
-r base.txt
--constraint=limits/c.txt
demo-ops[cuda]==1.0.dev3 ; python_version >= "3.10" \
    --hash=sha256:00 \
    --hash=sha256:11
    # via mine
other===2.0  # a comment
ranged>=1.0
wild==1.*
both>=1,==1.5
direct @ https://example.org/direct-3.0%2Bcu130-py3-none-any.whl#sha256=00
https://example.org/plain-4.0-py3-none-any.whl
./dist/local-5.0.tar.gz
not a requirement
last==1)";
  CHECK(locked_versions(text, "requirements.txt") ==
        std::vector<std::string>{"demo-ops==1.0.dev3", "other==2.0", "both==1.5",
                                 "direct==3.0+cu130", "plain==4.0", "local==5.0", "last==1"});
  CHECK(publish::parse_lock_versions(text, "requirements.txt")->includes ==
        std::vector<std::string>{"base.txt", "limits/c.txt"});
}

TEST_CASE("a file that is no lock is an error that names it") {
  for (const char* text : {"[[package", "name = 1\n", "[package]\nname = 'a'\n"}) {
    const auto lock = publish::parse_lock_versions(text, "uv.lock");
    REQUIRE_FALSE(lock);
    CHECK(lock.error().kind == ErrorKind::config);
    CHECK(lock.error().message.starts_with("`uv.lock` is not a lock: "));
  }
}
