#include "host/index/confirm_upload.h"

#include <utility>

#include "unit/host/index/upload_bench.h"
#include "unit/host/scripted_http.h"

using namespace pinwheel;

TEST_CASE("a file that the index accepted but does not keep is not uploaded") {
  UploadBench bench({"--plan", "ok,login,ok"});
  const auto result = bench.upload(bench.release());
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::publish);
  CHECK(result.error().message ==
        "`local` accepted 1 file but does not list it: `demo_ops-1.0-py3-none-any.whl`");
  CHECK(result.error().hint.find(bench.index.url() + "/simple/demo-ops/") != std::string::npos);
  CHECK(bench.waits.size() == 7);
  CHECK(bench.sent().size() == 3);
  CHECK(bench.journal.size() == 5);  // no `sent` of that file
}

TEST_CASE("files are listed later than they are accepted") {
  UploadBench bench({"--stale", "4"});
  REQUIRE(bench.upload(bench.release()));
  CHECK(bench.sent().size() == 3);
  CHECK(bench.waits == std::vector<std::chrono::milliseconds>{std::chrono::seconds(2)});
  CHECK(bench.journal.back().starts_with("sent "));
  CHECK(bench.journal.size() == 6);
}

TEST_CASE("an index that answers the look-ups a byte at a time is given up after a few of them") {
  const host::HttpBounds slow{.window = std::chrono::seconds(1)};
  const host::HttpBounds long_one{.min_speed = 0, .longest = std::chrono::milliseconds(1500)};
  for (const auto& [bounds, words] : {std::pair{slow, "fewer than 1.0 KB a second for 1.0s"},
                                      std::pair{long_one, "lasted longer than 1.5s"}}) {
    UploadBench bench({"--slow-after", "1"});
    bench.bounds = bounds;
    bench.looks = 3;
    const auto result = bench.upload(bench.release());
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == ErrorKind::publish);
    CHECK(result.error().message.starts_with(
        "`local` accepted 3 files but does not list them: `demo_ops-1.0"));
    CHECK(result.error().hint.find("the same command recognizes them") != std::string::npos);
    REQUIRE(result.error().causes.size() == 1);
    CHECK(result.error().causes[0].message.find(words) != std::string::npos);
    // One before the upload, and one in each of three rounds, whatever the number of files.
    CHECK(bench.pages_read() == 4);
    CHECK(bench.sent().size() == 3);
  }
}

TEST_CASE("a stale page causes a second upload, which is harmless") {
  UploadBench bench({"--plan", "lost", "--stale", "2"});
  const auto outcomes = bench.upload({bench.file("demo_ops-1.0-py3-none-any.whl")});
  REQUIRE(outcomes);
  CHECK(outcomes->front().attempts == 2);
}

TEST_CASE("an index that never answers an upload, or nothing readable, is an error of publishing") {
  for (const char* plan :
       {"429,429,429", "malformed,malformed,malformed", "headers,headers,headers"}) {
    INFO(plan);
    UploadBench bench({"--plan", plan});
    const auto result = bench.upload({bench.file("demo_ops-1.0-py3-none-any.whl")});
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == ErrorKind::publish);
    CHECK(bench.sent().size() == 3);
  }
}

TEST_CASE("an upload that arrived before a malformed answer is found by its hash") {
  UploadBench bench({"--plan", "malformed"});
  REQUIRE(bench.upload({bench.file("demo_ops-1.0-py3-none-any.whl")}));
}

TEST_CASE("an index whose pages cannot be read is an error of publishing") {
  const UploadBench bench;
  ScriptedHttp http;
  const host::UploadTarget target{"local", *publish::endpoint("https://a.example/")};
  host::UploadHooks hooks;
  hooks.sleep = [](std::chrono::milliseconds) { return true; };
  for (const ports::HttpResponse& page :
       {ports::HttpResponse{429}, ports::HttpResponse{503},
        ports::HttpResponse{200, "", {{"content-type", "application/json"}}, "not JSON"}}) {
    http.replies["https://a.example/simple/demo-ops/"] = page;
    const auto result = host::upload_release({bench.file("demo_ops-1.0-py3-none-any.whl")}, target,
                                             {}, http, hooks);
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == ErrorKind::publish);
  }
}

TEST_CASE("a file that changed since it was read is not uploaded") {
  UploadBench bench;
  Artifact wheel = bench.file("demo_ops-1.0-py3-none-any.whl");
  wheel.contents = std::make_shared<ports::MemorySource>(std::string(wheel.size, '!'));
  const auto result = bench.upload({wheel});
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::check);
  CHECK(result.error().message == "`demo_ops-1.0-py3-none-any.whl` changed after it was checked");
  CHECK(bench.log().empty());
  CHECK(bench.journal.size() == 1);
}
