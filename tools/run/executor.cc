#include "run/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "base/digest.h"

namespace pinwheel::run {

std::string_view to_string(StepJobState state) {
  switch (state) {
    case StepJobState::pending:
      return "pending";
    case StepJobState::running:
      return "running";
    case StepJobState::succeeded:
      return "succeeded";
    case StepJobState::unfinished:
      return "unfinished";
    case StepJobState::failed:
      return "failed";
    case StepJobState::canceled:
      return "canceled";
    case StepJobState::node_failure:
      return "node-failure";
    case StepJobState::preempted:
      return "preempted";
    case StepJobState::time_limit:
      return "time-limit";
    case StepJobState::out_of_memory:
      return "out-of-memory";
    case StepJobState::lost:
      return "lost";
    case StepJobState::dependency_failed:
      return "dependency-failed";
  }
  return "lost";
}

std::string job_token(std::string_view plan_digest, std::string_view step, int number) {
  constexpr size_t kTokenDigits = 32;
  // No name of a step contains a newline.
  return sha256_hex(fmt::format("{}\n{}\n{}", plan_digest, step, number)).substr(0, kTokenDigits);
}

void set_duration(const Success& success, std::chrono::milliseconds attempt,
                  plan::StepOutcome& outcome) {
  // The checkpoint may be of an earlier attempt in this run, whose time the outcome has already.
  outcome.elapsed = std::max(outcome.elapsed, success.earlier + attempt);
  outcome.installing = std::min(success.installing, outcome.elapsed);
  outcome.elapsed -= outcome.installing;
}

void adopt_record(const plan::StepOutcome& record, plan::StepOutcome& outcome) {
  // A job that ended without a result has no record of its time.
  if (record.elapsed.count() > 0) {
    outcome.elapsed = record.elapsed;
    outcome.installing = record.installing;
  }
  if (!record.log.empty()) outcome.log = record.log;
  if (record.trace.empty() || outcome.trace.empty()) return;
  const plan::AttemptTrace own = std::move(outcome.trace.back());
  outcome.trace.pop_back();
  const size_t first = outcome.trace.size();
  outcome.trace.insert(outcome.trace.end(), record.trace.begin(), record.trace.end());
  plan::AttemptTrace& waited = outcome.trace[first];
  waited.queued = own.queued;
  waited.waits.insert(waited.waits.begin(), own.waits.begin(), own.waits.end());
}

namespace {

std::string stem_of(const std::string& id) {
  std::string stem = id;
  for (char& c : stem) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ||
                       c == '+' || c == '-';
    if (!plain) c = '-';
  }
  return stem;
}

}  // namespace

std::vector<std::string> file_stems(const plan::Plan& plan) {
  std::vector<std::string> stems;
  std::set<std::string> used;
  for (const plan::Step& step : plan.steps) {
    const std::string base = stem_of(step.id);
    std::string stem = base;
    for (int i = 2; !used.insert(stem).second; ++i) stem = base + "+" + std::to_string(i);
    stems.push_back(std::move(stem));
  }
  return stems;
}

}  // namespace pinwheel::run
