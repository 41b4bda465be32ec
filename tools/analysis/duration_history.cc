#include "analysis/duration_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "plan/predict.h"

namespace pinwheel::analysis {
namespace {

constexpr std::string_view kDurationsSchema = "pinwheel-durations/1";

void add_result(TimedResult result, std::vector<TimedResult>& results) {
  if (std::ranges::find(results, result) != results.end()) return;
  results.push_back(std::move(result));
  if (results.size() <= plan::kMostSamples) return;
  results.erase(results.begin(), results.end() - static_cast<std::ptrdiff_t>(plan::kMostSamples));
}

std::vector<TimedResult> read_results(const nlohmann::json& json) {
  std::vector<TimedResult> results;
  for (const nlohmann::json& one : json) {
    if (!one.at("ms").is_number_integer()) throw std::invalid_argument("no duration");
    add_result(
        {one.at("key").get<std::string>(), std::chrono::milliseconds(one.at("ms").get<int64_t>())},
        results);
  }
  return results;
}

}  // namespace

void add_run(const std::vector<plan::StepOutcome>& outcomes, DurationHistory& history) {
  DurationHistory next;
  for (const plan::StepOutcome& outcome : outcomes) {
    std::vector<TimedResult>& results = next[outcome.id];
    if (const auto found = history.find(outcome.id); results.empty() && found != history.end()) {
      results = found->second;
    }
    if (outcome.state == plan::StepState::done) {
      add_result({outcome.key, outcome.elapsed}, results);
    }
  }
  history = std::move(next);
}

EarlierDurations durations_of(const DurationHistory& history) {
  EarlierDurations out;
  for (const auto& [step, results] : history) {
    plan::Samples& samples = out[step];
    samples.reserve(results.size());
    for (const TimedResult& result : results) samples.push_back(result.took);
  }
  return out;
}

std::string history_json(const DurationHistory& history) {
  nlohmann::json steps = nlohmann::json::object();
  for (const auto& [step, results] : history) {
    nlohmann::json list = nlohmann::json::array();
    for (const TimedResult& result : results) {
      list.push_back({{"key", result.key}, {"ms", result.took.count()}});
    }
    steps[step] = std::move(list);
  }
  const nlohmann::json json = {{"schema", kDurationsSchema}, {"steps", std::move(steps)}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<DurationHistory> parse_durations(std::string_view text, const std::string& file) {
  try {
    const nlohmann::json json = parse_json(text);
    if (json.at("schema").get<std::string>() == kDurationsSchema) {
      DurationHistory history;
      const nlohmann::json& steps = json.at("steps");
      for (const auto& [step, results] : steps.items()) history[step] = read_results(results);
      return history;
    }
  } catch (const std::exception&) {
    // The error below says what the file should be.
  }
  return fail(ErrorKind::config, fmt::format("{} has no durations of earlier runs", quoted(file)),
              "name a file that `pinwheel report --update-history` wrote");
}

}  // namespace pinwheel::analysis
