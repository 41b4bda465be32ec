#include "plan/plan_builder.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "base/digest.h"
#include "base/text.h"
#include "env/toolkit.h"
#include "plan/environments.h"
#include "plan/key.h"
#include "plan/predict.h"
#include "plan/step_id.h"
#include "toolkits/made_toolkit.h"

namespace pinwheel::plan {
namespace {

/// A guess for steps without a recorded run; earlier runs correct it (plan/predict.h).
constexpr double kEnvironmentSeconds = 60;

/// Environments and publications are few.
size_t with_others(size_t count) {
  return count + count / 4;
}

}  // namespace

PlanBuilder::PlanBuilder(const StepInputs& in, size_t count)
    : in_(in), places_(with_others(count)) {
  if (is_whole()) {
    plan_.steps.reserve(with_others(count));
  } else {
    timed_.reserve(with_others(count));
  }
}

Done PlanBuilder::add(Step&& step) {
  if (is_whole()) return add_whole(std::move(step));
  TimedStep timed{std::move(step.id), {}, std::move(step.resources), step.predicted_seconds};
  timed.needs.reserve(step.needs.size());
  for (const std::string& need : step.needs) timed.needs.push_back(place_of(need));
  return add_timed(std::move(timed));
}

Done PlanBuilder::add_like(size_t earlier, std::string id, std::optional<size_t> last_need) {
  const TimedStep& like = timed_.at(earlier);
  TimedStep timed{std::move(id), like.needs, like.resources, like.predicted_seconds};
  if (last_need) timed.needs.back() = *last_need;
  return add_timed(std::move(timed));
}

Result<std::string> PlanBuilder::environment(const env::Request& request, const Step& user) {
  const std::string& digest = in_.digests.of(request);
  std::string id = environment_step_id(digest);
  if (find(id)) return id;
  env::Request packages = request;
  // The toolkit is separate from the environment: builds and tests share the packages.
  packages.toolkit.clear();
  packages.toolkit_from = matrix::ToolkitFrom::automatic;
  packages.toolkit_packages = {};
  packages.toolkit_conda = {};
  Step step{id, {}, CreateEnvironment{packages, {}}};
  const auto resolution = in_.facts.resolutions.find(digest);
  if (resolution != in_.facts.resolutions.end()) {
    std::get<CreateEnvironment>(step.action).resolution = resolution->second;
  }
  std::get<CreateEnvironment>(step.action).image = image_key(in_.facts, request);
  if (const auto* test = std::get_if<TestWheel>(&user.action)) {
    std::get<CreateEnvironment>(step.action).only_tests = test->compute;
  }
  step.retry = user.retry;
  step.predicted_seconds = kEnvironmentSeconds;
  step.resources.pools["install"] = 1;
  TRY_DONE(add(std::move(step)));
  return id;
}

Result<std::string> PlanBuilder::toolkit(const env::Request& request, const Step& user) {
  if (request.toolkit.empty()) return std::string();
  const std::string digest = env::toolkit_digest(request);
  const auto known = in_.facts.toolkits.find(digest);
  const bool is_known = known != in_.facts.toolkits.end();
  const bool made =
      is_known ? known->second.origin == ToolkitOrigin::made : toolkits::asks_for_packages(request);
  if (!made) return std::string();
  std::string id = toolkit_step_id(request);
  if (find(id)) return id;
  MakeToolkit action{request, is_known ? known->second.exact : std::string(),
                     image_key(in_.facts, request)};
  Step step{id, {}, std::move(action)};
  step.retry = user.retry;
  step.predicted_seconds = kEnvironmentSeconds;
  step.resources.pools["install"] = 1;
  TRY_DONE(add(std::move(step)));
  return id;
}

Plan PlanBuilder::finish() && {
  std::string all;
  for (const Step& step : plan_.steps) all.append(step.id).append(" ").append(step.key) += '\n';
  plan_.digest = sha256_hex(all);
  return with_durations(std::move(plan_), in_.facts.durations);
}

Done PlanBuilder::add_whole(Step&& step) {
  Products products;
  products.reserve(step.needs.size());
  for (const std::string& need : step.needs) {
    products.emplace_back(need, plan_.steps[place_of(need)].key);
  }
  step.parts = key_parts(step.action);
  step.key = key_of(step.parts, std::move(products));
  TRY_DONE(index_next(step.id));
  plan_.steps.push_back(std::move(step));
  return {};
}

Done PlanBuilder::add_timed(TimedStep&& step) {
  TRY_DONE(index_next(step.id));
  timed_.push_back(std::move(step));
  return {};
}

std::optional<size_t> PlanBuilder::find(std::string_view id) const {
  return places_.find(id, [this](size_t place) -> const std::string& { return id_at(place); });
}

Done PlanBuilder::index_next(const std::string& id) {
  const size_t next = count();
  const size_t known =
      places_.add(id, next, [this](size_t place) -> const std::string& { return id_at(place); });
  if (known == next) return {};
  // The executor could not tell the two apart and would wait forever.
  return fail(ErrorKind::config, fmt::format("two steps of the plan are called {}", quoted(id)));
}

const std::string& PlanBuilder::id_at(size_t place) const {
  return is_whole() ? plan_.steps[place].id : timed_[place].id;
}

}  // namespace pinwheel::plan
