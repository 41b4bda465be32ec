#pragma once
#include <chrono>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "plan/outcome.h"

namespace pinwheel::tests {

inline const plan::TraceTime kBegin = *plan::parse_trace_time("2026-01-02T03:04:05.000Z");

inline plan::AttemptTrace attempt(const std::string& worker, std::chrono::milliseconds from,
                                  std::chrono::milliseconds to) {
  plan::AttemptTrace trace;
  trace.worker = worker;
  trace.ran = plan::TraceSpan{kBegin + from, kBegin + to};
  return trace;
}

inline plan::StepOutcome executed(const std::string& id, std::vector<std::string> needs,
                                  std::vector<plan::AttemptTrace> attempts) {
  plan::StepOutcome outcome;
  outcome.id = id;
  outcome.attempts = static_cast<int>(attempts.size());
  outcome.needs = std::move(needs);
  outcome.trace = std::move(attempts);
  return outcome;
}

/// Outcomes of machines whose clocks differ; each step needs some of the earlier ones.
inline std::vector<plan::StepOutcome> random_run(std::mt19937_64& random) {
  using std::chrono::milliseconds;
  const auto below = [&random](int limit) {
    return std::uniform_int_distribution<int>(0, limit - 1)(random);
  };
  std::vector<plan::StepOutcome> outcomes;
  const int count = below(40);
  for (int i = 0; i < count; ++i) {
    std::vector<std::string> needs;
    for (int earlier = 0; earlier < i; ++earlier) {
      if (below(8) == 0) needs.push_back(outcomes[static_cast<size_t>(earlier)].id);
    }
    std::vector<plan::AttemptTrace> attempts;
    milliseconds time(below(1000));
    for (int k = below(3); k >= 0; --k) {
      const milliseconds end = time + milliseconds(below(200));
      attempts.push_back(attempt("m" + std::to_string(below(3)), time, end));
      plan::AttemptTrace& trace = attempts.back();
      trace.phases = {
          {plan::StepPhase::input_fetch, {kBegin + time, kBegin + time + (end - time) / 3}},
          {plan::StepPhase::execution, {kBegin + time + (end - time) / 3, kBegin + end}}};
      trace.queued = kBegin + time - milliseconds(below(300));
      trace.waits = {{plan::WaitCause::dependency, "build:x", milliseconds(below(100))},
                     {static_cast<plan::WaitCause>(below(6)), "", milliseconds(below(200))}};
      for (int command = below(4); command > 0; --command) {
        const plan::TraceTime from = kBegin + time + milliseconds(below(200));
        trace.commands.push_back({"x.o",
                                  static_cast<plan::CommandKind>(below(5)),
                                  {from, from + milliseconds(below(100))}});
      }
      time = end;
    }
    static constexpr const char* kKinds[] = {"env:", "build:", "test:"};
    outcomes.push_back(executed(kKinds[i % 3] + std::to_string(i), needs, attempts));
  }
  return outcomes;
}

}  // namespace pinwheel::tests
