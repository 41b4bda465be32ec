#include "plan/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "matrix/axis_value.h"

namespace pinwheel::plan {
namespace {

// Guesses of the time of builds, with some four compilers at once.
constexpr double kBuildSeconds = 60;
constexpr double kSecondsPerArchitecture = 30;
constexpr double kSecondsPerFile = 3;
constexpr double kSecondsPerDeviceFile = 6;  ///< and architecture
/// A file of this size counts twice: the rest of its time is that of the headers it includes.
constexpr double kTypicalBytes = 32768;

/// How the measured steps with one word compare with their guesses.
struct GuessErrors {
  double guessed = 0;
  double took = 0;
  std::vector<double> ratios = {};  ///< of each duration to the guess for its step
};

std::string word_of(const std::string& id) {
  return id.substr(0, id.find(':'));
}

double in_seconds(std::chrono::milliseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

/// The value at a percentile of sorted values: the nearest rank.
template <typename T>
T nearest_rank(const std::vector<T>& sorted, double percentile) {
  const double rank = std::ceil(percentile / 100 * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

bool ends_with_any(std::string_view name, const auto& endings) {
  return std::ranges::any_of(endings, [name](std::string_view end) { return name.ends_with(end); });
}

bool is_device_source(std::string_view name) {
  return ends_with_any(name, std::array<std::string_view, 2>{".cu", ".hip"});
}

bool is_compiled_source(std::string_view name) {
  return ends_with_any(name, std::array<std::string_view, 8>{".c", ".cc", ".cpp", ".cxx", ".pyx",
                                                             ".rs", ".f90", ".f"});
}

std::map<std::string, GuessErrors> errors_of_guesses(const Plan& plan, const Durations& durations) {
  std::map<std::string, GuessErrors> errors;
  for (const Step& step : plan.steps) {
    const auto known = durations.steps.find(step.id);
    if (known == durations.steps.end() || known->second.empty()) continue;
    GuessErrors& error = errors[word_of(step.id)];
    error.guessed += step.predicted_seconds;
    error.took += spread_of(known->second).p50;
    if (step.predicted_seconds <= 0) continue;
    for (const std::chrono::milliseconds took : known->second) {
      error.ratios.push_back(in_seconds(took) / step.predicted_seconds);
    }
  }
  for (auto& [word, error] : errors) std::sort(error.ratios.begin(), error.ratios.end());
  return errors;
}

void predict_from(Step& step, const Samples& samples, Prediction prediction) {
  const Spread spread = spread_of(samples);
  step.predicted_seconds = spread.p50;
  step.predicted_p90 = spread.p90;
  step.predicted_runs = samples.size();
  step.prediction = prediction;
}

void scale(Step& step, const GuessErrors& error) {
  if (error.ratios.empty() || error.guessed <= 0) return;
  const double factor = error.took / error.guessed;
  step.predicted_p90 = step.predicted_seconds * std::max(factor, nearest_rank(error.ratios, 90));
  step.predicted_seconds *= factor;
  step.predicted_runs = error.ratios.size();
  step.prediction = Prediction::scaled;
}

const Samples* samples_at(const std::map<std::string, Samples>& all, const std::string& name) {
  const auto found = all.find(name);
  return found == all.end() || found->second.empty() ? nullptr : &found->second;
}

}  // namespace

std::string_view to_string(Prediction prediction) {
  switch (prediction) {
    case Prediction::guessed:
      return "guessed";
    case Prediction::scaled:
      return "scaled";
    case Prediction::similar:
      return "similar";
    case Prediction::measured:
      return "measured";
  }
  return {};
}

void add_sample(Samples& samples, std::chrono::milliseconds duration) {
  if (samples.size() >= kMostSamples) samples.erase(samples.begin());
  samples.push_back(duration);
}

std::string prediction_kind(const std::string& id, const KeyParts& parts) {
  constexpr std::array<std::string_view, 11> kDeciding = {
      "arch-list", "command", "compute",      "environment.requirements",
      "hardware",  "image",   "kind",         "name",
      "package",   "target",  "request.torch"};
  if (parts.empty()) return {};
  std::string kind = word_of(id);
  for (const std::string_view name : kDeciding) {
    const auto part = parts.find(std::string(name));
    if (part != parts.end()) kind += fmt::format("\n{} {}", name, part->second);
  }
  return kind;
}

Spread spread_of(const Samples& samples) {
  Samples sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  const size_t middle = sorted.size() / 2;
  const double upper = in_seconds(sorted[middle]);
  const double p50 = sorted.size() % 2 == 1 ? upper : (in_seconds(sorted[middle - 1]) + upper) / 2;
  return {p50, std::max(p50, in_seconds(nearest_rank(sorted, 90)))};
}

double guess_build(const BuildWheel& action) {
  const auto architectures =
      static_cast<double>(std::max<size_t>(1, action.settings.build.arch_list.size()));
  if (action.source.files == nullptr) {
    return kBuildSeconds + kSecondsPerArchitecture * architectures;
  }
  const std::string family = matrix::split_compute(action.compute).family;
  const bool for_device = family != "cpu";
  double seconds = kBuildSeconds;
  for (const auto& [name, bytes] : action.source.files->sizes) {
    const double weight = 1 + static_cast<double>(bytes) / kTypicalBytes;
    if (is_device_source(name) && for_device) {
      seconds += kSecondsPerDeviceFile * architectures * weight;
    }
    if (is_compiled_source(name)) seconds += kSecondsPerFile * weight;
  }
  return seconds;
}

Plan with_durations(Plan plan, const Durations& durations) {
  if (durations.steps.empty() && durations.kinds.empty()) return plan;
  const std::map<std::string, GuessErrors> errors = errors_of_guesses(plan, durations);
  for (Step& step : plan.steps) {
    if (const Samples* const own = samples_at(durations.steps, step.id)) {
      predict_from(step, *own, Prediction::measured);
    } else if (const Samples* const similar =
                   samples_at(durations.kinds, prediction_kind(step.id, step.parts))) {
      predict_from(step, *similar, Prediction::similar);
    } else if (const auto error = errors.find(word_of(step.id)); error != errors.end()) {
      scale(step, error->second);
    }
  }
  return plan;
}

}  // namespace pinwheel::plan
