#include "host/wheels/leaked_secret.h"

#include "unit/catch.h"
#include "unit/host/scratch.h"
#include "unit/wheel/make_wheel.h"
#include "wheel/deflate.h"
#include "wheel/tar.h"

namespace pinwheel::host {
namespace {

const std::map<std::string, Secret> kValues = {{"LICENSE_TOKEN", Secret("s3cr3t-value")},
                                               {"OTHER", Secret("another-value")}};

/// The message about a wheel with one more member; empty if it may be kept.
std::string verdict_on(const std::string& member, const std::string& contents,
                       const std::vector<std::string>& names = {"LICENSE_TOKEN"}) {
  const Scratch scratch;
  wheel::Contents members = wheel::built_members();
  members.emplace_back(member, contents);
  const std::filesystem::path path =
      scratch.write(wheel::kBuiltName,
                    wheel::make_zip(wheel::with_record(members, "demo_kit-1.0.dist-info/RECORD")));
  const Done checked = check_wheel_for_secrets(path, names, kValues);
  if (checked) return {};
  CHECK(checked.error().kind == ErrorKind::check);
  CHECK(checked.error().hint.find("discarded") != std::string::npos);
  return checked.error().message;
}

TEST_CASE("a wheel with a secret in a member is refused, whatever its spelling") {
  const std::string refused =
      "`demo_kit/x.py` of `" + wheel::kBuiltName + "` contains the secret `LICENSE_TOKEN`";
  CHECK(verdict_on("demo_kit/x.py", "KEY = 's3cr3t-value'\n") == refused);
  CHECK(verdict_on("demo_kit/x.py", "czNjcjN0LXZhbHVl") == refused);
  CHECK(verdict_on("demo_kit/x.py", std::string(3 << 20, 'x') + "s3cr3t-value") == refused);
  CHECK(verdict_on("demo_kit/x.py", std::string((1 << 20) - 5, 'x') + "s3cr3t-value") == refused);
  CHECK(verdict_on("demo_kit/s3cr3t-value.py", "") ==
        "`demo_kit/***.py` of `" + wheel::kBuiltName + "` contains the secret `LICENSE_TOKEN`");
}

TEST_CASE("a wheel without the secrets of its step is kept") {
  CHECK(verdict_on("demo_kit/x.py", "KEY = 's3cr3t'\n").empty());
  CHECK(verdict_on("demo_kit/x.py", "another-value").empty());
  CHECK(verdict_on("demo_kit/x.py", "s3cr3t-value", {}).empty());
  CHECK(verdict_on("demo_kit/x.py", "another-value", {"LICENSE_TOKEN", "OTHER"})
            .ends_with("contains the secret `OTHER`"));
}

TEST_CASE("an sdist with a secret in a file is refused") {
  const Scratch scratch;
  const auto verdict = [&](const std::string& contents) {
    const std::string tar = wheel::write_tar({{.name = "a-1", .kind = wheel::TarKind::directory},
                                              {.name = "a-1/PKG-INFO", .contents = "x"},
                                              {.name = "a-1/setup.cfg", .contents = contents}},
                                             0);
    const auto path = scratch.write("a-1.tar.gz", wheel::gzip(tar));
    return check_sdist_for_secrets(path, {"LICENSE_TOKEN"}, kValues);
  };
  CHECK(verdict("index = https://h/"));
  const Done refused = verdict("index = https://me:s3cr3t-value@h/");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message ==
        "`setup.cfg` of `a-1.tar.gz` contains the secret `LICENSE_TOKEN`");
}

}  // namespace
}  // namespace pinwheel::host
