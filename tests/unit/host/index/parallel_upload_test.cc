#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "host/index/upload.h"
#include "unit/host/index/upload_bench.h"

using namespace pinwheel;
using publish::Artifact;
using publish::FileKind;

namespace {

std::string filename_in(const ports::HttpRequest& request) {
  for (const ports::FormPart& part : request.form) {
    if (const auto* file = std::get_if<ports::FormFile>(&part)) return file->filename;
  }
  return {};
}

/// Uploads that wait for each other: each one starts when as many are there as can come, or after a
/// time without another.
class MeetingHttp final : public ports::Http {
 public:
  MeetingHttp(ports::Http& inner, size_t meeting) : inner_(inner), meeting_(meeting) {}

  tl::expected<ports::HttpResponse, ports::HttpFailure> send(
      const ports::HttpRequest& request) override {
    if (request.method != "POST") return inner_.send(request);
    {
      std::unique_lock lock(mutex_);
      ++now_;
      begun.push_back({filename_in(request), now_});
      changed_.notify_all();
      changed_.wait_for(lock, std::chrono::milliseconds(500), [this] { return now_ >= meeting_; });
    }
    auto reply = inner_.send(request);
    const std::lock_guard lock(mutex_);
    --now_;
    return reply;
  }
  void wait(std::chrono::milliseconds delay) override { inner_.wait(delay); }

  size_t most() const {
    size_t count = 0;
    for (const auto& [name, others] : begun) count = std::max(count, others);
    return count;
  }

  /// Each upload, and how many there were with it when it began.
  std::vector<std::pair<std::string, size_t>> begun;

 private:
  ports::Http& inner_;
  const size_t meeting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t now_ = 0;
};

struct ParallelBench : UploadBench {
  ParallelBench(size_t most, std::vector<std::string> arguments = {})
      : UploadBench(std::move(arguments)) {
    at_once = most;
    watched = [this, most](ports::Http& inner) -> ports::Http& {
      http = std::make_unique<MeetingHttp>(inner, most);
      return *http;
    };
  }

  std::vector<Artifact> wheels(size_t count, const std::string& project = "demo_ops") const {
    std::vector<Artifact> files;
    for (size_t i = 0; i < count; ++i) {
      files.push_back(file(fmt::format("{}-1.0-py3{}-none-any.whl", project, i)));
    }
    return files;
  }

  std::unique_ptr<MeetingHttp> http;
};

}  // namespace

TEST_CASE("wheels are sent at the same time, after the one that creates the project") {
  ParallelBench bench(3);
  std::vector<Artifact> files = bench.wheels(6);
  files.push_back(bench.file("demo_ops-1.0.tar.gz", FileKind::sdist));
  const auto outcomes = bench.upload(files);
  REQUIRE(outcomes);
  CHECK(bench.http->most() == 3);
  REQUIRE(bench.http->begun.size() == 7);
  CHECK(bench.http->begun[0] == std::pair<std::string, size_t>(files[0].filename, 1));
  CHECK(bench.http->begun[1].second == 1);
  CHECK(bench.http->begun[2].second == 2);
  CHECK(bench.http->begun[6] == std::pair<std::string, size_t>("demo_ops-1.0.tar.gz", 1));
  REQUIRE(outcomes->size() == 7);
  for (size_t i = 0; i < files.size(); ++i) {
    CHECK((*outcomes)[i].filename == files[i].filename);
    CHECK((*outcomes)[i].outcome == publish::Outcome::uploaded);
    const auto place = [&](const std::string& stage) {
      const std::string line = fmt::format("{} {} {}/7 1", stage, files[i].filename, i + 1);
      return std::find(bench.journal.begin(), bench.journal.end(), line);
    };
    REQUIRE(place("sent") != bench.journal.end());
    CHECK(place("sending") < place("sent"));
  }
}

TEST_CASE("a project that the index has gets all its files at once, and one of a family its own") {
  ParallelBench bench(4);
  REQUIRE(bench.upload({bench.file("demo_ops-1.0-py2-none-any.whl")}));
  REQUIRE(bench.upload({bench.file("demo_zero-1.0-py2-none-any.whl")}));
  std::vector<Artifact> files = bench.wheels(4);
  for (Artifact& each : bench.wheels(3, "demo_zero")) files.push_back(std::move(each));
  REQUIRE(bench.upload(files));
  std::vector<size_t> others;
  for (const auto& [name, count] : bench.http->begun) others.push_back(count);
  CHECK(others == std::vector<size_t>{1, 2, 3, 4, 1, 2, 3});
  for (size_t i = 4; i < 7; ++i) CHECK(bench.http->begun[i].first.starts_with("demo_zero"));
}

TEST_CASE("an index that is busy gets one file at a time from then on") {
  ParallelBench bench(3, {"--plan", "ok,503,ok,ok"});
  REQUIRE(bench.upload(bench.wheels(7)));
  CHECK(bench.http->most() == 3);
  REQUIRE(bench.http->begun.size() == 8);
  // The first two of those after the answer may have begun before it arrived.
  for (size_t i = 6; i < 8; ++i) CHECK(bench.http->begun[i].second == 1);
}

TEST_CASE("no file starts after one that the index refuses, and none is retried") {
  ParallelBench bench(2, {"--plan", "ok,400,ok"});
  const auto refused = bench.upload(bench.wheels(8));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::publish);
  CHECK(bench.http->begun.size() <= 4);
}

TEST_CASE("the number of uploads is that of the variable, else by the index") {
  const publish::Endpoint own = *publish::endpoint("https://index.example/legacy/");
  CHECK(host::uploads_at_once({}, own) == 4U);
  CHECK(host::uploads_at_once({}, publish::pypi()) == 2U);
  CHECK(host::uploads_at_once({{"PINWHEEL_UPLOADS", "1"}}, own) == 1U);
  CHECK(host::uploads_at_once({{"PINWHEEL_UPLOADS", "16"}}, publish::pypi()) == 16U);
  for (const char* text : {"0", "17", "-1", "two", "1.5"}) {
    const auto wrong = host::uploads_at_once({{"PINWHEEL_UPLOADS", text}}, own);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().kind == ErrorKind::usage);
  }
}
