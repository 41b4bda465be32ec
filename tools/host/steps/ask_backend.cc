#include "host/steps/ask_backend.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "host/steps/build.h"
#include "host/steps/step_context.h"

namespace pinwheel::host {
namespace {

constexpr size_t kReportedLines = 6;

/// Hooks print: their output goes to the error stream, and only the answer to stdout. PEP 517
/// removes the working directory from the module path.
constexpr std::string_view kAsk = R"(import importlib, json, os, sys
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.path[:] = [os.path.abspath(each) for each in sys.argv[2:]] + [each for each in sys.path if each]
module, _, attributes = sys.argv[1].partition(":")
sys.argv[1:] = []
backend = importlib.import_module(module)
for name in filter(None, attributes.split(".")):
    backend = getattr(backend, name)
hook = getattr(backend, "get_requires_for_build_wheel", None)
json.dump([str(each) for each in hook({})] if hook else [], answer)
answer.close())";

Error not_answered(const project::BuildSystem& system, const ports::Captured& ran,
                   const run::Attempt& attempt) {
  Error error{ErrorKind::step, fmt::format("the backend {} does not say what a build requires",
                                           pinwheel::quoted(system.backend))};
  error.hint = fmt::format(
      "its output is in {}; to skip the question, list the packages in `environment.pip` and set "
      "`environment.build-requires: none`",
      pinwheel::quoted(attempt.log.string()));
  const std::vector<std::string> lines = last_lines(ran.err, kReportedLines);
  if (!lines.empty()) error.causes.push_back({ErrorKind::step, join(lines, "\n")});
  return error;
}

Result<std::vector<std::string>> read_answer(const project::BuildSystem& system,
                                             const ports::Captured& ran,
                                             const run::Attempt& attempt) {
  if (ran.exit.canceled) return fail(ErrorKind::interrupted, "the question was interrupted");
  if (!ran.exit.ok()) return fail(not_answered(system, ran, attempt));
  const nlohmann::json json = read_json(ran.out);
  if (!json.is_array()) return fail(not_answered(system, ran, attempt));
  std::vector<std::string> texts;
  for (const nlohmann::json& each : json) texts.push_back(each.get<std::string>());
  return texts;
}

}  // namespace

Result<std::vector<std::string>> ask_backend(const Workplace& workplace,
                                             const run::Attempt& attempt,
                                             const project::BuildSystem& system,
                                             const std::stop_token& stop) {
  const auto* const build = std::get_if<plan::BuildWheel>(&attempt.step->action);
  if (build == nullptr) {
    return fail(ErrorKind::internal, fmt::format("{} is not a build", quoted(attempt.step->id)));
  }
  TRY(const std::unique_ptr<OpenStep> step, open_step(workplace, attempt, stop));
  const StepContext context = step->context();
  ports::Captured ran;
  const Enter ask = [&](const ports::Command& own) -> Result<ports::Exit> {
    ports::Command command = own;
    command.argv = {"python", "-c", std::string(kAsk), system.backend};
    command.argv.insert(command.argv.end(), system.backend_path.begin(), system.backend_path.end());
    command.timeout = attempt.step->timeout;
    TRY(ran, context.machine.process.capture(command));
    return ran.exit;
  };
  plan::BuildWheel asked = *build;
  asked.settings.environment.compiler_cache = matrix::CompilerCache::none;  // nothing is compiled
  TRY_DONE(enter_build(context, asked, ask));
  append_log(context, ran.err);
  return read_answer(system, ran, attempt);
}

}  // namespace pinwheel::host
