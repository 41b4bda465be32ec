#include "host/run/journal_file.h"

#include <unistd.h>

#include "fakes/fake_clock.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

plan::Step build_step() {
  plan::Step step;
  step.id = "build";
  return step;
}

run::Attempt attempt_of(const plan::Step& step) {
  run::Attempt attempt;
  attempt.step = &step;
  attempt.key = "k";
  attempt.log = "build.log";
  return attempt;
}

plan::StepOutcome build_done() {
  plan::StepOutcome outcome;
  outcome.id = "build";
  outcome.key = "k";
  return outcome;
}

const std::string kText =
    "{\"journal\":1}\n"
    "{\"started\":{\"id\":\"build\",\"key\":\"k\",\"attempt\":1,\"log\":\"build.log\"},\"at\":"
    "\"2026-01-02T03:04:05Z\"}\n"
    "{\"finished\":{\"id\":\"build\",\"key\":\"k\",\"state\":\"done\",\"attempts\":0,"
    "\"elapsed_ms\":0},\"at\":\"2026-01-02T03:04:05Z\",\"domain\":\"branch\"}\n";

constexpr store::Domain kOwn = store::Domain::branch;

}  // namespace

TEST_CASE("records are read back when the journal is opened again") {
  const Scratch scratch;
  const fakes::FakeClock clock;
  {
    auto journal = host::JournalFile::open(scratch.path(), clock, kOwn);
    REQUIRE(journal);
    CHECK((*journal)->history().finished.empty());
    const plan::Step step = build_step();
    REQUIRE((*journal)->started(attempt_of(step)));
    REQUIRE((*journal)->finished(build_done()));
  }
  CHECK(scratch.read("journal.jsonl") == kText);
  auto again = host::JournalFile::open(scratch.path(), clock, kOwn);
  REQUIRE(again);
  CHECK((*again)->history().finished.contains({"build", "k"}));
  const auto read = host::read_journal(scratch.path(), kOwn);
  REQUIRE(read);
  CHECK(read->finished.size() == 1);
}

TEST_CASE("a torn journal is repaired when it is opened, wherever it was cut") {
  const fakes::FakeClock clock;
  for (size_t cut = 0; cut <= kText.size(); ++cut) {
    CAPTURE(cut);
    const Scratch scratch;
    scratch.write("journal.jsonl", kText.substr(0, cut));
    size_t records = 0;
    {
      auto journal = host::JournalFile::open(scratch.path(), clock, kOwn);
      REQUIRE(journal);
      records = (*journal)->history().finished.size();
      CHECK(records == (cut == kText.size() ? 1 : 0));
      REQUIRE((*journal)->finished(build_done()));
    }
    const auto read = host::read_journal(scratch.path(), kOwn);
    REQUIRE(read);
    CHECK(read->finished.size() == 1);
    CHECK(read->intact_bytes == scratch.read("journal.jsonl").size());
  }
}

TEST_CASE("a second run in one state directory is rejected with the id of the first") {
  const Scratch scratch;
  const fakes::FakeClock clock;
  auto first = host::JournalFile::open(scratch.path(), clock, kOwn);
  REQUIRE(first);
  const auto second = host::JournalFile::open(scratch.path(), clock, kOwn);
  REQUIRE_FALSE(second);
  CHECK(second.error().kind == ErrorKind::environment);
  CHECK(second.error().message.find("process " + std::to_string(getpid())) != std::string::npos);
  first->reset();
  CHECK(host::JournalFile::open(scratch.path(), clock, kOwn));
}

TEST_CASE("a journal of an unknown version is rejected and left unchanged") {
  const Scratch scratch;
  const fakes::FakeClock clock;
  scratch.write("journal.jsonl", "{\"journal\":9}\n");
  const auto journal = host::JournalFile::open(scratch.path(), clock, kOwn);
  REQUIRE_FALSE(journal);
  CHECK(journal.error().kind == ErrorKind::config);
  CHECK(scratch.read("journal.jsonl") == "{\"journal\":9}\n");
}

TEST_CASE("a state directory without a journal has no history") {
  const Scratch scratch;
  const auto read = host::read_journal(scratch.path(), kOwn);
  REQUIRE(read);
  CHECK(read->finished.empty());
}

TEST_CASE("what a pull request recorded is for no run above it, and is shown") {
  const Scratch scratch;
  const fakes::FakeClock clock;
  {
    auto journal = host::JournalFile::open(scratch.path(), clock, store::Domain::pull_request);
    REQUIRE(journal);
    REQUIRE((*journal)->finished(build_done()));
  }
  const auto above = host::JournalFile::open(scratch.path(), clock, kOwn);
  REQUIRE(above);
  CHECK((*above)->history().finished.empty());
  CHECK(host::read_journal(scratch.path(), store::Domain::release)->finished.empty());
  CHECK(host::read_journal(scratch.path(), store::Domain::pull_request)->finished.size() == 1);
  CHECK(host::read_whole_journal(scratch.path())->finished.size() == 1);
}
