#include "report/plan_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/text.h"
#include "matrix/status_name.h"
#include "matrix/variant_index.h"
#include "plan/step_id.h"
#include "report/github_row.h"

namespace pinwheel::report {
namespace {

// Ordered: rows show the axes in the order of the matrix.
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
    names.push_back({{"distribution", naming.distribution},
                     {"version", naming.version},
                     {"targets", naming.targets}});
  }
  return names;
}

std::unordered_map<std::string, std::string> builds_by_variant(const plan::Outline& outline) {
  std::unordered_map<std::string, std::string> build_of;
  for (const plan::BuildGroup& group : outline.builds) {
    for (const std::string& test : group.tests) build_of[test] = plan::build_id(group.cls.id);
  }
  return build_of;
}

Result<std::string> include_line(const Json& rows) {
  if (rows.size() > kGitHubRowLimit) {
    return fail(ErrorKind::usage,
                fmt::format("the matrix has {} rows, but GitHub Actions accepts at most {}",
                            rows.size(), kGitHubRowLimit),
                fmt::format("split it: {}, and `--shard ${{{{ matrix.shard }}}}` in the job",
                            quoted(fmt::format("--shards {}", (rows.size() + kGitHubRowLimit - 1) /
                                                                  kGitHubRowLimit))));
  }
  return Json{{"include", rows}}.dump() + "\n";
}

Json forecast_json(const TimedForecast& forecast) {
  Json steps = Json::array();
  for (const journal::Forecast& step : forecast.steps) {
    const bool measured = step.prediction == plan::Prediction::measured;
    steps.push_back({{"id", step.id},
                     {"would", journal::to_string(step.expected)},
                     {"because", step.because},
                     {"seconds", step.seconds},
                     {"from", measured ? "measured" : "guessed"}});
  }
  return {{"seconds", std::chrono::duration<double>(forecast.total).count()},
          {"cores", forecast.cores},
          {"steps", std::move(steps)}};
}

}  // namespace

std::string outline_json(const plan::Outline& outline, const plan::Namings& namings,
                         const std::string& version, const std::vector<plan::ImageTest>& images,
                         const std::optional<TimedForecast>& forecast) {
  const std::unordered_map<std::string, std::string> build_of = builds_by_variant(outline);
  Json out = {{"schema", "pinwheel-plan/1"}, {"version", version}};
  out["variants"] = Json::array();
  for (const matrix::Variant& variant : outline.variants) {
    Json one = variant_json(variant, build_of.at(variant.id));
    const std::vector<std::string> tested_on = plan::images_of(images, variant.id);
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
  if (forecast) out["forecast"] = forecast_json(*forecast);
  return out.dump(2) + "\n";
}

Result<std::string> github_rows(const plan::Outline& outline,
                                const std::vector<matrix::Variant>& variants, Rows rows) {
  Json all = Json::array();
  if (rows == Rows::tests) {
    const std::unordered_map<std::string, std::string> build_of = builds_by_variant(outline);
    for (const matrix::Variant& variant : outline.variants) {
      all.push_back(github_row(variant, build_of.at(variant.id)));
    }
    return include_line(all);
  }
  const matrix::VariantIndex index(variants);
  for (const plan::BuildGroup& group : outline.builds) {
    TRY(const matrix::Variant* const builder, index.find(group.cls.representative));
    all.push_back(github_row(*builder, plan::build_id(group.cls.id)));
  }
  return include_line(all);
}

Result<std::string> github_shards(const std::vector<plan::Outline>& shards) {
  Json all = Json::array();
  for (size_t i = 0; i < shards.size(); ++i) {
    if (shards[i].builds.empty()) continue;
    std::vector<std::string> builds;
    std::vector<std::string> variants;
    for (const plan::BuildGroup& group : shards[i].builds) builds.push_back(group.cls.id);
    for (const matrix::Variant& variant : shards[i].variants) variants.push_back(variant.id);
    all.push_back({{"shard", fmt::format("{}/{}", i + 1, shards.size())},
                   {"builds", join(builds, " ")},
                   {"variants", join(variants, " ")}});
  }
  return include_line(all);
}

}  // namespace pinwheel::report
