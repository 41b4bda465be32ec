#include "plan/attempt_trace.h"

#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "unit/catch.h"

using namespace pinwheel::plan;
using namespace std::chrono_literals;

namespace {

constexpr TraceTime kBegun{1'000'000ms};

AttemptTrace attempt_of(std::chrono::milliseconds length) {
  AttemptTrace trace;
  trace.ran = {kBegun, kBegun + length};
  return trace;
}

std::vector<TracedCommand> random_commands(std::mt19937& random, size_t count) {
  std::vector<TracedCommand> commands;
  commands.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const auto kind = static_cast<CommandKind>(random() % 5);
    const TraceTime start = kBegun + std::chrono::milliseconds(random() % 100'000);
    const std::chrono::milliseconds length(random() % 3000);
    commands.push_back({std::to_string(i) + ".o", kind, {start, start + length}});
  }
  return commands;
}

uint64_t spent_on(const std::vector<TracedCommand>& commands) {
  return std::accumulate(commands.begin(), commands.end(), uint64_t{0},
                         [](uint64_t sum, const TracedCommand& one) {
                           const auto length = one.span.completed - one.span.start;
                           return sum + static_cast<uint64_t>(length.count());
                         });
}

}  // namespace

TEST_CASE("caches of packages and environments are no compiler caches") {
  for (const char* const name : {"ccache", "sccache", "device code"}) {
    CHECK(is_compiler_cache(CacheHits{name, 1, 0}));
  }
  for (const char* const name : {"conda", "pip", "environment", ""}) {
    CHECK_FALSE(is_compiler_cache(CacheHits{name, 1, 0}));
  }
}

TEST_CASE("of too many commands the longest are listed, and the others are counted") {
  std::mt19937 random(7);
  for (const size_t count :
       {size_t{0}, size_t{3}, kMostCommands, kMostCommands + 1, size_t{5000}}) {
    const std::vector<TracedCommand> all = random_commands(random, count);
    AttemptTrace trace = attempt_of(200'000ms);
    list_commands(trace, all);
    CHECK(trace.commands.size() == std::min(count, kMostCommands));
    uint64_t others = 0;
    uint64_t spent = spent_on(trace.commands);
    for (const CommandTotal& total : trace.unlisted) {
      others += total.count;
      spent += static_cast<uint64_t>(total.spent.count());
    }
    CHECK(trace.commands.size() + others == count);
    CHECK(spent == spent_on(all));
    CHECK(std::ranges::is_sorted(trace.commands, {},
                                 [](const TracedCommand& one) { return one.span.start; }));
    CHECK(trace_from(nlohmann::json::parse(trace_object(trace).dump())) == trace);
  }
}

TEST_CASE("commands are within their attempt") {
  AttemptTrace trace = attempt_of(100ms);
  list_commands(trace, {{"early", CommandKind::compile, {kBegun - 50ms, kBegun + 10ms}},
                        {"late", CommandKind::link, {kBegun + 90ms, kBegun + 500ms}},
                        {"never", CommandKind::other, {kBegun + 900ms, kBegun + 950ms}}});
  CHECK(trace.commands == std::vector<TracedCommand>{
                              {"early", CommandKind::compile, {kBegun, kBegun + 10ms}},
                              {"late", CommandKind::link, {kBegun + 90ms, kBegun + 100ms}},
                              {"never", CommandKind::other, {kBegun + 100ms, kBegun + 100ms}}});
  AttemptTrace never_ran;
  list_commands(never_ran, {{"a", CommandKind::compile, {kBegun, kBegun + 1ms}}});
  CHECK(never_ran == AttemptTrace{});
}

TEST_CASE("a recorded trace of any content is bounded") {
  nlohmann::json json = {{"worker_start_timestamp", to_string(kBegun)},
                         {"worker_completed_timestamp", to_string(kBegun + 100ms)}};
  const nlohmann::json command = {{"output", "a"},
                                  {"kind", "of the future"},
                                  {"start_ms", -5},
                                  {"ms", std::numeric_limits<int64_t>::max()},
                                  {"parts", nlohmann::json::array()}};
  for (size_t i = 0; i < kMostCommands + 7; ++i) json["commands"].push_back(command);
  for (size_t i = 0; i < kMostCommandParts + 7; ++i) {
    json["commands"][0]["parts"].push_back({{"name", "p"}, {"ms", -1}});
  }
  for (int i = 0; i < 9; ++i) {
    json["unlisted_commands"].push_back({{"kind", "link"}, {"count", 1}, {"ms", 1}});
  }
  const AttemptTrace trace = trace_from(json);
  REQUIRE(trace.commands.size() == kMostCommands);
  CHECK(trace.commands[1] == TracedCommand{"a", CommandKind::other, {kBegun, kBegun + 100ms}});
  CHECK(trace.commands[0].parts.size() == kMostCommandParts);
  CHECK(trace.commands[0].parts[0].spent == 0ms);
  CHECK(trace.unlisted.size() == 5);
}
