#include "host/index/fetch_release.h"

#include "base/digest.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"
#include "unit/host/scripted_http.h"

using namespace pinwheel;

namespace {

constexpr const char* kReleasePage = "https://a.example/simple/demo-ops/";
constexpr const char* kWheelUrl = "https://a.example/files/demo_ops-1.0-py3-none-any.whl";
constexpr const char* kWheelFile = "demo_ops-1.0-py3-none-any.whl";

/// One wheel of one release, on an index on a server.
struct FetchBench {
  Scratch scratch = {};
  ScriptedHttp http = {};
  publish::ReleaseRecord record{"demo-ops", "1.0", {}, {}, {{kWheelFile, 5, sha256_hex("bytes")}}};
  publish::ReleaseSource source =
      publish::release_source("https://me:canary-0123@a.example/simple");
  std::vector<std::string> masked = {};
  host::FetchProgress last = {};

  FetchBench() {
    serve("bytes");
    http.replies[kReleasePage] = {200,
                                  "OK",
                                  {{"content-type", "text/html"}},
                                  "<a href=../../files/demo_ops-1.0-py3-none-any.whl>x</a>"};
  }
  void serve(const std::string& bytes) { http.replies[kWheelUrl] = {200, "OK", {}, bytes}; }
  Result<std::vector<std::filesystem::path>> fetch() {
    return host::fetch_release(
        http,
        {record, source, scratch.path(),
         [this](const Secret& secret) { masked.push_back(secret.reveal()); }},
        [this](const host::FetchProgress& progress) { last = progress; });
  }
  bool is_empty() const { return std::filesystem::is_empty(scratch.path()); }
};

}  // namespace

TEST_CASE("a release is received completely, with the credentials of its index") {
  FetchBench bench;
  const auto paths = bench.fetch();
  REQUIRE(paths);
  REQUIRE(paths->size() == 1);
  CHECK(bench.scratch.read(kWheelFile) == "bytes");
  CHECK(bench.masked == std::vector<std::string>{"canary-0123"});
  REQUIRE(bench.http.asked.size() == 2);
  CHECK(bench.http.asked.back().credentials);
  CHECK(bench.http.asked.back().sink_limit.most == 5 + 65536);
  CHECK(bench.last.files == 1);
  CHECK(bench.last.bytes == 5);
  CHECK(bench.last.all_bytes == 5);
}

TEST_CASE("a file that an earlier call completed is not received again") {
  FetchBench bench;
  REQUIRE(bench.fetch());
  bench.http.asked.clear();
  REQUIRE(bench.fetch());
  CHECK(bench.http.urls() == std::vector<std::string>{kReleasePage});
  bench.scratch.write(kWheelFile, "other");
  REQUIRE(bench.fetch());
  CHECK(bench.scratch.read(kWheelFile) == "bytes");
}

TEST_CASE("other bytes than the recorded ones are not left behind") {
  FetchBench bench;
  for (const char* const bytes : {"other", "byte", "bytes and more"}) {
    bench.serve(bytes);
    const auto paths = bench.fetch();
    REQUIRE_FALSE(paths);
    CHECK(paths.error().kind == ErrorKind::check);
    CHECK(paths.error().message.starts_with("`demo_ops-1.0-py3-none-any.whl` has the sha256 "));
    CHECK(bench.is_empty());
  }
}

TEST_CASE("a file that its server does not have leaves nothing behind") {
  FetchBench bench;
  bench.http.replies.erase(kWheelUrl);
  const auto paths = bench.fetch();
  REQUIRE_FALSE(paths);
  CHECK(paths.error().kind == ErrorKind::config);
  CHECK(bench.is_empty());
}

TEST_CASE("an index that does not know the project has none of its files") {
  FetchBench bench;
  bench.http.replies.clear();
  const auto paths = bench.fetch();
  REQUIRE_FALSE(paths);
  CHECK(paths.error().kind == ErrorKind::check);
  REQUIRE(paths.error().causes.size() == 1);
  CHECK(paths.error().causes.front().message.starts_with("`demo_ops-1.0-py3-none-any.whl` is not"));
}

TEST_CASE("a file is not received without the encryption of its page") {
  FetchBench bench;
  bench.http.replies[kReleasePage].body =
      "<a href=http://a.example/demo_ops-1.0-py3-none-any.whl>x</a>";
  const auto paths = bench.fetch();
  REQUIRE_FALSE(paths);
  CHECK(paths.error().kind == ErrorKind::check);
  CHECK(bench.http.urls() == std::vector<std::string>{kReleasePage});
}

TEST_CASE("files in a directory stay where they are") {
  FetchBench bench;
  bench.scratch.write(kWheelFile, "bytes");
  bench.source = publish::release_source(bench.scratch.path().string());
  const auto paths = bench.fetch();
  REQUIRE(paths);
  CHECK(paths->front() == bench.scratch.path() / kWheelFile);
  bench.scratch.write("demo_ops-1.0.tar.gz", "sdist");
  REQUIRE_FALSE(bench.fetch());
  CHECK(bench.http.asked.empty());
}

TEST_CASE("the sub-indexes of a directory index have files of the release") {
  FetchBench bench;
  bench.record.files.front().filename = "demo_ops-1.0+cpu-py3-none-any.whl";
  bench.scratch.write("index.html", "<a href=demo-ops/>demo-ops</a>");
  bench.scratch.write("demo-ops/index.html", "<!DOCTYPE html>");
  bench.scratch.write("cpu/index.html", "<a href=demo-ops/>demo-ops</a>");
  bench.scratch.write("cpu/demo-ops/index.html",
                      "<a href=demo_ops-1.0%2Bcpu-py3-none-any.whl>x</a>");
  bench.source = publish::release_source(bench.scratch.path().string());
  const auto paths = bench.fetch();
  INFO((paths ? std::string() : render(paths.error())));
  REQUIRE(paths);
  CHECK(paths->front() == bench.scratch.path() / "cpu/demo-ops/demo_ops-1.0+cpu-py3-none-any.whl");
}
