#include "run/history.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::run;

namespace {

using store::Domain;

plan::StepOutcome outcome(const std::string& id, const std::string& key, plan::StepState state) {
  plan::StepOutcome out;
  out.id = id;
  out.key = key;
  out.state = state;
  out.outputs = {{id + ".whl", "sha of " + id, 3}};
  return out;
}

std::vector<JournalRecord> some_records() {
  return {Started{"env", "k1", 1, "2026-01-02T03:04:05Z"},
          Finished{outcome("env", "k1", plan::StepState::done), "2026-01-02T03:04:06Z"},
          Started{"build", "k2", 1, "2026-01-02T03:04:07Z"},
          Finished{outcome("build", "k2", plan::StepState::failed), "2026-01-02T03:04:08Z"},
          Started{"build", "k2", 2, "2026-01-02T03:04:09Z"},
          Finished{outcome("build", "k2", plan::StepState::done), "2026-01-02T03:04:10Z",
                   Domain::release},
          Started{"test", "k3", 1, "2026-01-02T03:04:11Z"}};
}

std::string text_of(const std::vector<JournalRecord>& records) {
  std::string text = header_line();
  for (const JournalRecord& record : records) text += to_line(record);
  return text;
}

/// The whole history as text.
std::string summary(const History& history) {
  std::string text;
  for (const auto& [key, one] : history.finished) {
    text += key.first + "@" + key.second + "=" + std::string(to_string(one.state)) + " ";
  }
  for (const auto& [key, attempt] : history.unfinished) {
    text += key.first + "@" + key.second + "#" + std::to_string(attempt) + " ";
  }
  return text;
}

}  // namespace

TEST_CASE("records round-trip through their line") {
  for (const JournalRecord& record : some_records()) {
    const std::string line = to_line(record);
    const Result<JournalRecord> back =
        parse_line(std::string_view(line).substr(0, line.size() - 1));
    REQUIRE(back);
    CHECK(to_line(*back) == line);
  }
}

TEST_CASE("the last record of a step and key counts") {
  const Result<History> history = read_history(text_of(some_records()), Domain::branch);
  REQUIRE(history);
  CHECK(summary(*history) == "build@k2=done env@k1=done test@k3#1 ");
}

TEST_CASE("a run gets the records of its own domain and those above") {
  std::string text = header_line();
  for (const Domain domain : {Domain::release, Domain::branch, Domain::pull_request}) {
    const std::string name(to_string(domain));
    text += to_line(Started{name, "k", 1, "2026-01-02T03:04:05Z"});
    text += to_line(
        Finished{outcome(name, "k", plan::StepState::done), "2026-01-02T03:04:06Z", domain});
  }
  const auto given = [&text](Domain own) { return summary(*read_history(text, own)); };
  CHECK(given(Domain::pull_request) == "branch@k=done pull-request@k=done release@k=done ");
  CHECK(given(Domain::branch) == "branch@k=done release@k=done ");
  CHECK(given(Domain::release) == "release@k=done ");
  // All earlier runs are shown.
  CHECK(read_history(text, Domain::release)->latest.size() == 3);
}

TEST_CASE("a later record of a lower domain does not replace a usable one") {
  plan::StepOutcome other = outcome("build", "k", plan::StepState::done);
  other.outputs[0].sha256 = "another";
  const std::string text =
      header_line() +
      to_line(Finished{outcome("build", "k", plan::StepState::done), "", Domain::branch}) +
      to_line(Finished{other, "", Domain::pull_request});
  const History::StepAndKey build = {"build", "k"};
  const auto sha_for = [&](Domain own) {
    return read_history(text, own)->finished.at(build).outputs.at(0).sha256;
  };
  CHECK(sha_for(Domain::branch) == "sha of build");
  CHECK(sha_for(Domain::pull_request) == "another");
}

TEST_CASE("a record of an older pinwheel, which names no domain, is for no release") {
  const std::string text = header_line() +
                           R"({"finished":{"id":"build","key":"k","state":"done","attempts":1,)"
                           R"("elapsed_ms":0},"at":"2026-01-02T03:04:05Z"})"
                           "\n";
  CHECK(summary(*read_history(text, Domain::branch)) == "build@k=done ");
  CHECK(summary(*read_history(text, Domain::release)).empty());
  CHECK_FALSE(parse_line(R"({"finished":{"id":"build","key":"k","state":"done","attempts":1,)"
                         R"("elapsed_ms":0},"at":"","domain":"everybody"})"));
}

TEST_CASE("durations are those of successes, and of skips only while the step is skipped") {
  History history;
  plan::StepOutcome one = outcome("build", "k1", plan::StepState::done);
  one.attempts = 1;
  one.elapsed = std::chrono::seconds(40);
  history.add(Finished{one, "2026-01-02T03:04:06Z"});
  one.key = "k2";
  one.elapsed = std::chrono::seconds(30);
  history.add(Finished{one, "2026-01-03T03:04:06Z"});
  one.state = plan::StepState::failed;
  one.elapsed = std::chrono::seconds(2);
  history.add(Finished{one, "2026-01-04T03:04:06Z"});
  plan::StepOutcome skipped = outcome("test", "k3", plan::StepState::skipped);
  skipped.attempts = 1;
  skipped.elapsed = std::chrono::milliseconds(100);
  history.add(Finished{skipped, "2026-01-04T03:04:07Z"});
  using std::chrono::milliseconds;
  CHECK(history.took.steps ==
        std::map<std::string, plan::Samples>{{"build", {milliseconds(40000), milliseconds(30000)}},
                                             {"test", {milliseconds(100)}}});
  CHECK(history.took.kinds.empty());
  skipped.state = plan::StepState::done;
  skipped.elapsed = milliseconds(7000);
  history.add(Finished{skipped, "2026-01-04T03:04:08Z"});
  CHECK(history.took.steps.at("test") == plan::Samples{milliseconds(7000)});
  skipped.state = plan::StepState::skipped;
  skipped.elapsed = milliseconds(90);
  history.add(Finished{skipped, "2026-01-04T03:04:09Z"});
  CHECK(history.took.steps.at("test") == plan::Samples{milliseconds(90)});
}

TEST_CASE(
    "the last ten durations of a step and of its kind are known, and no reused result counts") {
  History history;
  plan::StepOutcome one = outcome("build:a", "k", plan::StepState::done);
  one.parts = {{"compute", "\"cuda/13.0\""}, {"version", "\"1.0\""}};
  one.attempts = 1;
  for (int i = 1; i <= 12; ++i) {
    one.id = i % 2 == 0 ? "build:a" : "build:b";
    one.elapsed = std::chrono::seconds(i);
    history.add(Finished{one, "2026-01-02T03:04:06Z"});
  }
  one.state = plan::StepState::reused;
  one.attempts = 0;
  history.add(Finished{one, "2026-01-02T03:04:06Z"});
  CHECK(history.took.steps.at("build:a").size() == 6);
  REQUIRE(history.took.kinds.size() == 1);
  const plan::Samples& kind = history.took.kinds.begin()->second;
  REQUIRE(kind.size() == plan::kMostSamples);
  CHECK(kind.front() == std::chrono::seconds(3));
  CHECK(kind.back() == std::chrono::seconds(12));
}

TEST_CASE("a journal cut at any byte keeps every complete record and invents none") {
  const std::vector<JournalRecord> records = some_records();
  const std::string text = text_of(records);
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    CAPTURE(cut);
    const Result<History> history =
        read_history(std::string_view(text).substr(0, cut), Domain::branch);
    REQUIRE(history);
    History expected;
    size_t end = header_line().size();
    size_t intact = cut >= end ? end : 0;
    for (const JournalRecord& record : records) {
      end += to_line(record).size();
      if (end > cut) break;
      expected.add(record);
      intact = end;
    }
    CHECK(summary(*history) == summary(expected));
    CHECK(history->intact_bytes == intact);
  }
}

TEST_CASE("an unknown version is rejected with a hint") {
  const Result<History> history = read_history("{\"journal\":2}\n", Domain::branch);
  REQUIRE_FALSE(history);
  CHECK(history.error().kind == ErrorKind::config);
  CHECK(history.error().message == "the journal has version 2, this pinwheel reads version 1");
  CHECK_FALSE(history.error().hint.empty());
  CHECK_FALSE(read_history("hello\n", Domain::branch));
}

TEST_CASE("damage before the last line is rejected with its line number") {
  const Result<History> history =
      read_history(header_line() + "{\"star\n" + header_line(), Domain::branch);
  REQUIRE_FALSE(history);
  CHECK(history.error().message == "line 2 of the journal is damaged");
}
