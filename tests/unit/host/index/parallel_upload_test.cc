#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "host/index/upload.h"
#include "host/index/upload_session.h"
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

/// Uploads that wait for each other: each one is sent when all uploads of its group have begun. A
/// group is given by the number of uploads that have begun when its last one has.
class MeetingHttp final : public ports::Http {
 public:
  MeetingHttp(ports::Http& inner, std::vector<size_t> groups)
      : inner_(inner), groups_(std::move(groups)) {}

  tl::expected<ports::HttpResponse, ports::HttpFailure> send(
      const ports::HttpRequest& request) override {
    if (request.method != "POST") return inner_.send(request);
    {
      std::unique_lock lock(mutex_);
      ++now_;
      begun.push_back({filename_in(request), now_});
      changed_.notify_all();
      const auto group = std::ranges::lower_bound(groups_, begun.size());
      // A test of a group that never meets fails instead of hanging.
      changed_.wait_for(lock, std::chrono::seconds(60),
                        [&] { return group == groups_.end() || begun.size() >= *group; });
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
  const std::vector<size_t> groups_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t now_ = 0;
};

struct ParallelBench : UploadBench {
  explicit ParallelBench(size_t most) {
    at_once = most;
    watched = [this](ports::Http& inner) -> ports::Http& {
      http = std::make_unique<MeetingHttp>(inner, groups);
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

  std::vector<size_t> groups = {};  ///< of the next upload
  std::unique_ptr<MeetingHttp> http;
};

/// An index without pages, whose replies to uploads a test chooses. Tokens are numbered; they are
/// fresh for 10 minutes of a clock that the test advances.
class ScriptedIndex final : public ports::Http {
 public:
  struct Upload {
    char file;          ///< the number of the file: `wheels` counts from 0
    std::string token;  ///< with which it is sent
  };
  using Answer = std::function<int(const Upload& upload, size_t attempt)>;

  explicit ScriptedIndex(Answer answer) : answer_(std::move(answer)) {}

  tl::expected<ports::HttpResponse, ports::HttpFailure> send(
      const ports::HttpRequest& request) override {
    if (request.method != "POST") {
      if (happened("refused")) happens("looked");
      return ports::HttpResponse{404};
    }
    const std::string name = filename_in(request);
    const Upload upload{name.at(name.find("-py3") + 4), request.credentials->password.reveal()};
    size_t attempt = 0;
    {
      const std::lock_guard lock(mutex_);
      uploads_.push_back(upload);
      attempt = std::count_if(uploads_.begin(), uploads_.end(),
                              [&](const Upload& each) { return each.file == upload.file; });
    }
    happens(fmt::format("{} with {}", upload.file, upload.token));
    happens(upload.token);
    const int status = answer_(upload, attempt);
    if (status == 400) happens("refused");
    return ports::HttpResponse{happened("revoked " + upload.token) ? 403 : status};
  }
  void wait(std::chrono::milliseconds) override {}

  Result<std::vector<host::FileOutcome>> upload(const std::vector<Artifact>& files) {
    host::UploadTarget target{"local", *publish::endpoint("https://index.example/legacy/")};
    target.credentials = [this]() -> Result<host::ExchangedCredentials> {
      const std::string token = fmt::format("token-{}", ++exchanged);
      host::ExchangedCredentials made{{"__token__", Secret(token)}};
      made.fresh_for = std::chrono::minutes(10);
      made.revoke = [this, token]() -> Done {
        happens("revoked " + token);
        return {};
      };
      return made;
    };
    host::UploadOptions options;
    options.attempts = 3;
    options.confirm = host::Confirm::none;
    options.at_once = 2;
    host::UploadHooks hooks;
    hooks.sleep = [this](std::chrono::milliseconds) {
      happens("slept");
      return true;
    };
    hooks.now = [this] { return std::chrono::system_clock::time_point(minutes_.load()); };
    hooks.event = [this](const publish::UploadEvent& event) {
      if (event.stage == publish::UploadStage::sending) ++announced;
    };
    return host::upload_release(files, target, options, *this, hooks);
  }

  void let_tokens_age() { minutes_ = minutes_.load() + std::chrono::minutes(10); }
  void happens(const std::string& what) {
    const std::lock_guard lock(mutex_);
    happened_.insert(what);
    changed_.notify_all();
  }
  bool happened(const std::string& what) {
    const std::lock_guard lock(mutex_);
    return happened_.count(what) > 0;
  }
  /// Waits, but not forever, so that a test fails instead of hanging.
  void await(const std::string& what) {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, std::chrono::seconds(60),
                                        [&] { return happened_.count(what) > 0; });
    if (!came) missed.push_back(what);
  }
  /// The tokens with which a file was sent.
  std::vector<std::string> tokens_of(char file) const {
    std::vector<std::string> tokens;
    for (const Upload& each : uploads_) {
      if (each.file == file) tokens.push_back(each.token);
    }
    return tokens;
  }
  size_t uploads() const { return uploads_.size(); }

  int exchanged = 0;
  size_t announced = 0;
  std::vector<std::string> missed;  ///< what `await` did not see; read it after the upload

 private:
  Answer answer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> happened_;
  std::vector<Upload> uploads_;
  std::atomic<std::chrono::minutes> minutes_{std::chrono::minutes(30'000'000)};
};

using Tokens = std::vector<std::string>;

/// Long enough for the other thread to arrive where it waits for its turn.
void let_the_other_wait() {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace

TEST_CASE("wheels are sent at the same time, after the one that creates the project") {
  ParallelBench bench(3);
  bench.groups = {1, 4, 6, 7};
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
  bench.groups = {4, 7};
  REQUIRE(bench.upload(files));
  std::vector<size_t> others;
  for (const auto& [name, count] : bench.http->begun) others.push_back(count);
  CHECK(others == std::vector<size_t>{1, 2, 3, 4, 1, 2, 3});
  for (size_t i = 4; i < 7; ++i) CHECK(bench.http->begun[i].first.starts_with("demo_zero"));
}

TEST_CASE("an index that is busy gets one file at a time from then on") {
  const ParallelBench bench(2);
  std::atomic<size_t> now = 0;
  std::atomic<size_t> most_later = 0;
  ScriptedIndex index([&](const ScriptedIndex::Upload& upload, size_t attempt) {
    const size_t with_this = ++now;
    int status = 200;
    if (upload.file == '1' && attempt == 1) {
      index.await("2 with token-1");
      status = 503;
    } else if (upload.file == '2') {
      index.await("slept");
    } else if (index.happened("slept")) {
      let_the_other_wait();
      most_later = std::max({most_later.load(), with_this, now.load()});
    }
    --now;
    return status;
  });
  REQUIRE(index.upload(bench.wheels(7)));
  CHECK(index.missed.empty());
  CHECK(index.uploads() == 8);
  CHECK(most_later == 1);
}

TEST_CASE("no file starts after one that the index refuses, and none is retried") {
  const ParallelBench bench(2);
  ScriptedIndex index([&](const ScriptedIndex::Upload& upload, size_t) {
    if (upload.file == '1') {
      index.await("2 with token-1");
      return 400;
    }
    if (upload.file == '2') index.await("looked");
    return 200;
  });
  const auto refused = index.upload(bench.wheels(8));
  CHECK(index.missed.empty());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::publish);
  CHECK(index.uploads() == 3);
}

TEST_CASE("an upload's token is revoked when no file is sent with it any more") {
  const ParallelBench bench(2);
  ScriptedIndex index([&](const ScriptedIndex::Upload& upload, size_t) {
    if (upload.file == '1') {
      index.let_tokens_age();
      index.happens("aged");
      index.await("token-2");
      if (index.happened("revoked token-1")) index.happens("revoked while in use");
    }
    if (upload.file == '2') index.await("aged");
    return 200;
  });
  REQUIRE(index.upload(bench.wheels(5)));
  CHECK(index.missed.empty());
  CHECK(index.uploads() == 5);
  CHECK(index.tokens_of('1') == Tokens{"token-1"});
  CHECK(index.tokens_of('4') == Tokens{"token-2"});
  CHECK_FALSE(index.happened("revoked while in use"));
  CHECK(index.happened("revoked token-1"));
  CHECK(index.happened("revoked token-2"));
  CHECK(index.exchanged == 2);
}

TEST_CASE("an upload that the index refuses is sent again with a token that is newer meanwhile") {
  const ParallelBench bench(2);
  ScriptedIndex index([&](const ScriptedIndex::Upload& upload, size_t attempt) {
    if (upload.file == '1' && attempt == 1) return 403;
    if (upload.file == '1' && attempt == 2) {
      index.let_tokens_age();
      index.happens("aged");
      index.await("token-3");
      return 403;
    }
    if (upload.file == '2') index.await("aged");
    return 200;
  });
  REQUIRE(index.upload(bench.wheels(5)));
  CHECK(index.missed.empty());
  CHECK(index.tokens_of('1') == Tokens{"token-1", "token-2", "token-3"});
  CHECK(index.exchanged == 3);
}

TEST_CASE("an upload that waits for its turn uses the token of the time when it is sent") {
  const ParallelBench bench(2);
  ScriptedIndex index([&](const ScriptedIndex::Upload& upload, size_t attempt) {
    if (upload.file == '1' && attempt == 1) {
      index.await("2 with token-1");
      return 503;
    }
    if (upload.file == '2') {
      index.await("slept");
      let_the_other_wait();
      index.let_tokens_age();
    }
    return 200;
  });
  REQUIRE(index.upload(bench.wheels(3)));
  CHECK(index.missed.empty());
  CHECK(index.tokens_of('1') == Tokens{"token-1", "token-2"});
}

TEST_CASE("an upload that waits for its turn is not sent after a file that the index refuses") {
  const ParallelBench bench(2);
  ScriptedIndex index([&](const ScriptedIndex::Upload& upload, size_t) {
    if (upload.file == '1') {
      index.await("2 with token-1");
      return 503;
    }
    if (upload.file == '2') {
      index.await("slept");
      let_the_other_wait();
      return 400;
    }
    return 200;
  });
  const auto refused = index.upload(bench.wheels(6));
  CHECK(index.missed.empty());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::publish);
  CHECK(refused.error().message.find("demo_ops-1.0-py32-none-any.whl") != std::string::npos);
  CHECK(index.uploads() == 3);
  CHECK(index.announced == 3);
}

TEST_CASE("an upload's token is not replaced after a file that the index refuses") {
  const ParallelBench bench(2);
  ScriptedIndex index([&](const ScriptedIndex::Upload& upload, size_t) {
    if (upload.file == '2') {
      index.await("1 with token-1");
      return 400;
    }
    if (upload.file == '0') return 200;
    index.await("looked");
    return 403;
  });
  const auto refused = index.upload(bench.wheels(6));
  CHECK(index.missed.empty());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("demo_ops-1.0-py32-none-any.whl") != std::string::npos);
  CHECK(index.exchanged == 1);
  CHECK(index.uploads() == 3);
}

TEST_CASE("upload turns end with an exception, and the first error is that of all later ones") {
  host::UploadTurns turns(1);
  const host::UploadTurns::Lock lock = turns.lock();
  const auto throwing = [&]() -> Done {
    TRY(const host::UploadTurns::Turn turn, turns.begin());
    return turns.waiting([]() -> Done { throw std::runtime_error("no memory"); });
  };
  CHECK_THROWS_AS(throwing(), std::runtime_error);
  CHECK_THROWS_AS(throwing(), std::runtime_error);
  REQUIRE(turns.go_on());
  turns.give_up(Error{ErrorKind::publish, "refused"});
  turns.give_up(Error{ErrorKind::transient, "busy"});
  CHECK(turns.go_on().error().message == "refused");
  CHECK(turns.begin().error().message == "refused");
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
