#include "plan/predict.h"

namespace pinwheel::plan {
namespace {

struct KindTotal {
  double guessed = 0;
  double took = 0;
};

std::string kind_of(const std::string& id) {
  return id.substr(0, id.find(':'));
}

double in_seconds(std::chrono::milliseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Plan with_durations(Plan plan, const Durations& durations) {
  std::map<std::string, KindTotal> kinds;
  for (const Step& step : plan.steps) {
    const auto known = durations.find(step.id);
    if (known == durations.end()) continue;
    KindTotal& total = kinds[kind_of(step.id)];
    total.guessed += step.predicted_seconds;
    total.took += in_seconds(known->second);
  }
  for (Step& step : plan.steps) {
    if (const auto known = durations.find(step.id); known != durations.end()) {
      step.predicted_seconds = in_seconds(known->second);
      step.prediction = Prediction::measured;
    } else if (const auto kind = kinds.find(kind_of(step.id)); kind != kinds.end()) {
      if (kind->second.guessed > 0) {
        step.predicted_seconds *= kind->second.took / kind->second.guessed;
      }
    }
  }
  return plan;
}

}  // namespace pinwheel::plan
