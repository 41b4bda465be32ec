#include "run/executor.h"

#include <fmt/format.h>

#include <cctype>
#include <set>
#include <utility>

#include "base/digest.h"

namespace pinwheel::run {

std::string_view to_string(JobState state) {
  switch (state) {
    case JobState::pending:
      return "pending";
    case JobState::running:
      return "running";
    case JobState::succeeded:
      return "succeeded";
    case JobState::failed:
      return "failed";
    case JobState::canceled:
      return "canceled";
    case JobState::node_failure:
      return "node-failure";
    case JobState::preempted:
      return "preempted";
    case JobState::time_limit:
      return "time-limit";
    case JobState::out_of_memory:
      return "out-of-memory";
    case JobState::lost:
      return "lost";
    case JobState::dependency_failed:
      return "dependency-failed";
  }
  return "lost";
}

std::string job_token(std::string_view plan_digest, std::string_view step, int number) {
  constexpr size_t kTokenDigits = 32;
  // No name of a step contains a newline.
  return sha256_hex(fmt::format("{}\n{}\n{}", plan_digest, step, number)).substr(0, kTokenDigits);
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
