#include "report/plan_json.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/text.h"
#include "matrix/status_name.h"
#include "plan/step_id.h"
#include "report/changed_since_report.h"

namespace pinwheel::report {
namespace {

// Ordered: rows list the axes in the order of the matrix.
using Json = nlohmann::ordered_json;

Json axes_json(const matrix::Variant& variant) {
  Json axes = Json::object();
  for (const auto& [name, value] : variant.axes) axes[name] = value;
  return axes;
}

Json variant_json(const matrix::Variant& variant, const std::string& build) {
  Json attributes = Json::object();
  for (const auto& [name, value] : variant.attributes) attributes[name] = value;
  return {{"id", variant.id},
          {"axes", axes_json(variant)},
          {"attributes", attributes},
          {"status", matrix::to_string(variant.status)},
          {"channels", variant.channels},
          {"build", build}};
}

Json names_json(const std::vector<wheel::Naming>& namings) {
  Json names = Json::array();
  for (const wheel::Naming& naming : namings) {
    Json name = {{"distribution", naming.distribution},
                 {"version", naming.version},
                 {"targets", naming.targets}};
    if (naming.build > 0) name["build-number"] = naming.build;
    if (!naming.pins.empty()) name["requires"] = naming.pins;
    if (!naming.variants.empty()) name["variants"] = naming.variants;
    names.push_back(std::move(name));
  }
  return names;
}

double in_seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

Json forecast_json(const TimedForecast& forecast) {
  Json steps = Json::array();
  for (const run::Forecast& step : forecast.steps) {
    Json one = {{"id", step.id}};
    if (!step.because.empty()) {
      one["would"] = run::to_string(step.expected);
      one["because"] = step.because;
    }
    one["seconds"] = step.seconds;
    one["p90"] = step.p90 > 0 ? Json(step.p90) : Json();
    one["runs"] = step.runs;
    one["from"] = plan::to_string(step.prediction);
    steps.push_back(std::move(one));
  }
  const run::LeastTime& least = forecast.run.least;
  return {{"seconds", in_seconds(forecast.run.makespan)},
          {forecast.unit == SlotUnit::cores ? "cores" : "slots", forecast.run.slots},
          {"bound", in_seconds(least.bound)},
          {"work", in_seconds(least.work)},
          {"critical-path",
           {{"seconds", in_seconds(least.path.length)}, {"steps", critical_steps(forecast)}}},
          {"steps", std::move(steps)}};
}

}  // namespace

std::string outline_json(const plan::Outline& outline, const plan::Namings& namings,
                         const std::string& version, const OutlineFacts& facts) {
  const std::unordered_map<std::string, std::string> build_of = plan::builds_by_variant(outline);
  const plan::ImageTestIndex tests_on_images(facts.images);
  Json out = {{"schema", "pinwheel-plan/1"}, {"version", version}};
  out["variants"] = Json::array();
  for (const matrix::Variant& variant : outline.variants) {
    Json one = variant_json(variant, build_of.at(variant.id));
    const std::vector<std::string> tested_on = tests_on_images.images_of(variant.id);
    if (!tested_on.empty()) one["images"] = tested_on;
    out["variants"].push_back(std::move(one));
  }
  out["builds"] = Json::array();
  for (const plan::BuildGroup& group : outline.builds) {
    const auto names = namings.find(group.cls.id);
    out["builds"].push_back(
        {{"id", plan::build_id(group.cls.id)},
         {"class", group.cls.id},
         {"representative", group.cls.representative},
         {"serves", group.cls.members},
         {"tests", group.tests},
         {"names", names == namings.end() ? Json::array() : names_json(names->second)}});
  }
  if (facts.promotion) {
    const plan::PromotionPath& path = *facts.promotion;
    out["promotion"] = {
        {"through", path.through}, {"install", path.installs}, {"targets", path.targets}};
  }
  if (facts.since) out["changed-since"] = since_json(*facts.since);
  if (facts.forecast) out["forecast"] = forecast_json(*facts.forecast);
  return out.dump(2) + "\n";
}

}  // namespace pinwheel::report
