#include "base/crew.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/parallel.h"
#include "unit/catch.h"

namespace pinwheel {
namespace {

using namespace std::chrono_literals;

TEST_CASE("one thread alone processes its pieces in order, when many wait and at the end") {
  Crew crew;
  std::string seen;
  size_t most = 0;
  size_t made = 0;
  Relay relay(crew, 1, [&](std::string_view piece) {
    most = std::max(most, made - seen.size());
    seen += piece;
  });
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    ++made;
    relay.push(std::string(1, letter));
  }
  CHECK(seen.size() < made);
  CHECK(most < 20);
  relay.finish();
  CHECK(seen == "abcdefghijklmnopqrstuvwxyz");
  relay.finish();
  CHECK(seen.size() == made);
}

TEST_CASE("buffers are used again") {
  Crew crew;
  Relay relay(crew, 1, [](std::string_view /*piece*/) {});
  CHECK(relay.buffer().empty());
  std::string large(100, 'x');
  const char* const place = large.data();
  relay.push(std::move(large));
  relay.finish();
  const std::string again = relay.buffer();
  CHECK(again.data() == place);
  CHECK(relay.buffer().empty());
}

TEST_CASE("the longest relay is helped first, before pieces of shorter ones") {
  Crew crew;
  std::string seen;
  const auto note = [&seen](std::string_view piece) { seen += piece; };
  Relay shorter(crew, 10, note);
  Relay longest(crew, 30, note);
  Relay middle(crew, 20, note);
  shorter.push("s");
  middle.push("m");
  longest.push("l");
  CHECK(seen.empty());
  Crew::Lock lock = crew.lock();
  CHECK_FALSE(crew.help(lock, &longest));
  CHECK(crew.help(lock, &middle));
  CHECK(seen == "l");
  CHECK_FALSE(crew.help(lock, &middle));
  lock.unlock();
  // A thread that hands over a piece helps longer relays, not its own.
  shorter.push("s");
  CHECK(seen == "lm");
  lock.lock();
  CHECK(crew.help(lock));
  CHECK(crew.help(lock));
  CHECK_FALSE(crew.help(lock));
  CHECK(seen == "lmss");
}

TEST_CASE("a thread without a job processes the pieces of one that has, in order") {
  Crew crew;
  std::vector<int> seen;
  std::atomic<bool> was_helped = false;
  const auto work = [&](size_t /*job*/) {
    const std::thread::id maker = std::this_thread::get_id();
    Relay relay(crew, 1, [&](std::string_view piece) {
      if (std::this_thread::get_id() != maker) was_helped = true;
      seen.push_back(std::stoi(std::string(piece)));
    });
    for (int i = 0; i < 2000; ++i) {
      relay.push(std::to_string(i));
      // The other thread certainly has time, but not before it has started.
      for (int wait = 0; wait < 20000 && !was_helped; ++wait) std::this_thread::sleep_for(1ms);
    }
    relay.finish();
  };
  run_jobs({1}, {2, 10}, crew, work);
  CHECK(was_helped);
  REQUIRE(seen.size() == 2000);
  CHECK(std::is_sorted(seen.begin(), seen.end()));
}

TEST_CASE("many jobs hand over pieces at once, each in its own order, on any number of threads") {
  const unsigned threads = GENERATE(1U, 2U, 3U, 8U);
  constexpr size_t kJobs = 20;
  Crew crew;
  std::vector<std::string> seen(kJobs);
  run_jobs(std::vector<uint64_t>(kJobs, 1), {threads, 4}, crew, [&](size_t job) {
    Relay relay(crew, 1, [&, job](std::string_view piece) { seen[job] += piece; });
    for (size_t i = 0; i < 200; ++i) {
      std::string piece = relay.buffer();
      piece = std::to_string(job * i) + ' ';
      relay.push(std::move(piece));
    }
    if (job % 5 != 0) relay.finish();
  });
  for (size_t job = 0; job < kJobs; ++job) {
    std::string expected;
    for (size_t i = 0; i < 200; ++i) expected += std::to_string(job * i) + ' ';
    if (job % 5 != 0) CHECK(seen[job] == expected);
    // Dropped without a finish, but never out of order.
    CHECK(expected.starts_with(seen[job]));
  }
}

TEST_CASE("jobs that wait for memory help those that run") {
  Crew crew;
  std::vector<size_t> processed(3, 0);
  run_jobs({8, 8, 8}, {3, 10}, crew, [&](size_t job) {
    Relay relay(crew, 1, [&, job](std::string_view piece) { processed[job] += piece.size(); });
    for (size_t i = 0; i < 300; ++i) relay.push(std::string(3, 'x'));
    relay.finish();
  });
  CHECK(processed == std::vector<size_t>{900, 900, 900});
}

TEST_CASE("an exception of processing reaches the job, and later pieces are dropped") {
  const unsigned threads = GENERATE(1U, 4U);
  Crew crew;
  std::atomic<int> processed = 0;
  const auto work = [&](size_t job) {
    Relay relay(crew, 1, [&, job](std::string_view /*piece*/) {
      if (job == 0) throw std::runtime_error("no memory");
      ++processed;
    });
    for (int i = 0; i < 100; ++i) relay.push("piece");
    relay.finish();
  };
  CHECK_THROWS_WITH(run_jobs({3, 2, 1}, {threads, 10}, crew, work), "no memory");
  CHECK(processed == 200);
}

TEST_CASE("a job that fails with pieces under way ends only when none is being processed") {
  Crew crew;
  std::atomic<bool> is_alive = true;
  std::atomic<bool> was_dead = false;
  const auto work = [&](size_t job) {
    if (job == 1) return;
    Relay relay(crew, 1, [&](std::string_view /*piece*/) {
      std::this_thread::sleep_for(1ms);
      if (!is_alive) was_dead = true;
    });
    for (int i = 0; i < 5; ++i) relay.push("piece");
    std::this_thread::sleep_for(2ms);
    throw std::runtime_error("corrupt");
  };
  CHECK_THROWS_WITH(run_jobs({2, 1}, {2, 10}, crew,
                             [&](size_t job) {
                               try {
                                 work(job);
                               } catch (...) {
                                 is_alive = false;
                                 throw;
                               }
                             }),
                    "corrupt");
  CHECK_FALSE(was_dead);
}

}  // namespace
}  // namespace pinwheel
