#include "plan/origin.h"

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>

#include "base/json.h"

namespace pinwheel::plan {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct CommandOf {
  StepCommand& command;

  void operator()(const BuildWheel& action) const {
    command.argv = action.settings.build.command;
    command.variables = action.variables;
    command.variables["SOURCE_DATE_EPOCH"] = std::to_string(action.source_date_epoch);
    command.variables["PINWHEEL_VERSION"] = action.version;
  }
  void operator()(const CompileDeviceCode& action) const { (*this)(action.build); }
  void operator()(const TestWheel& action) const {
    command.argv = action.settings.command;
    command.variables = action.variables;
  }
  template <class Other>
  void operator()(const Other& /*action*/) const {}
};

}  // namespace

std::string to_json(const RunOrigin& origin) {
  OrderedJson json = {{"pinwheel", origin.pinwheel},   {"matrix", origin.matrix},
                      {"commit", origin.commit},       {"dirty", origin.dirty},
                      {"variables", origin.variables}, {"toolchain", origin.toolchain}};
  json["steps"] = OrderedJson::array();
  for (const StepCommand& step : origin.steps) {
    json["steps"].push_back({{"id", step.id}, {"argv", step.argv}, {"variables", step.variables}});
  }
  json["plan"] = own_json(to_json(origin.plan));
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace);
}

Result<RunOrigin> parse_origin(std::string_view text) {
  try {
    const nlohmann::json json = parse_json(text);
    RunOrigin origin;
    json.at("pinwheel").get_to(origin.pinwheel);
    json.at("matrix").get_to(origin.matrix);
    json.at("commit").get_to(origin.commit);
    json.at("dirty").get_to(origin.dirty);
    json.at("variables").get_to(origin.variables);
    json.at("toolchain").get_to(origin.toolchain);
    for (const nlohmann::json& step : json.at("steps")) {
      origin.steps.push_back({step.at("id").get<std::string>(),
                              step.at("argv").get<std::vector<std::string>>(),
                              step.at("variables").get<std::map<std::string, std::string>>()});
    }
    TRY(origin.plan, parse_frozen_plan(json.at("plan").dump(), "the report"));
    return origin;
  } catch (const std::exception& thrown) {
    return fail(ErrorKind::config,
                fmt::format("the report lacks the inputs of its run: {}", thrown.what()));
  }
}

StepCommand command_of(const Step& step) {
  StepCommand command{step.id, {}, {}};
  std::visit(CommandOf{command}, step.action);
  return command;
}

}  // namespace pinwheel::plan
