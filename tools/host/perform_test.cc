#include <fmt/format.h>

#include "base/text.h"
#include "host/build_site.h"
#include "host/classify.h"
#include "host/env_checks.h"
#include "host/env_overlay.h"
#include "host/gpu.h"
#include "host/perform.h"
#include "host/source_tree.h"
#include "host/test_import.h"
#include "matrix/template.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The wheel that the build left; one build's namings have the same contents, so any of them will
/// do.
Result<fs::path> wheel_of(const Bench& bench, const plan::TestWheel& action) {
  for (const plan::StepOutcome& need : bench.attempt.needs) {
    if (need.id != action.build) continue;
    for (const plan::Output& output : need.outputs) {
      if (output.path.ends_with(".whl")) return fs::path(output.path);
    }
  }
  return fail(ErrorKind::internal, fmt::format("`{}` left no wheel to test", action.build));
}

std::map<std::string, std::string> test_variables(const Bench& bench, const plan::TestWheel& action,
                                                  const Overlay& overlay) {
  const BuildSpace space(bench.attempt.scratch, PathMode::real, {});
  std::map<std::string, std::string> variables =
      clean_variables({space, bench.workplace.variables, {}, bench.attempt.cores});
  for (const auto& [name, value] : action.variables) variables[name] = value;
  variables["PATH"] = overlay.path();
  variables["PINWHEEL_COMPUTE"] = action.compute;
  return variables;
}

/// Runs a command of the test, output in the log. A test that fails is a failed step, whatever it
/// printed; only how it ended tells time limits, kills and cancellation apart.
Done run_test(const Bench& bench, std::vector<std::string> argv,
              const std::map<std::string, std::string>& variables, const std::string& what) {
  append_log(bench, fmt::format("$ {}\n", shell_join(argv)));
  const ports::Command command{std::move(argv), bench.attempt.scratch / "work", variables,
                               bench.attempt.step->timeout};
  TRY(const ports::Exit exit, bench.machine.process.log(command, bench.attempt.log));
  if (exit.ok()) return {};
  return fail(to_error(diagnose(exit, {}, {}), what, exit));
}

Done prepare_directories(const Bench& bench, const plan::TestWheel& action) {
  for (const char* const name : {"work", "home", "tmp"}) {
    TRY_DONE(bench.machine.files.make_directories(bench.attempt.scratch / name));
  }
  if (action.source.directory.empty()) return {};
  return export_source(bench.git, action.source, bench.attempt.scratch / kSourceName, 0);
}

bool has_gpu(const Bench& bench) {
  return !find_gpus(bench.machine).names.empty();
}

Result<std::vector<std::string>> test_command(const Bench& bench, const plan::TestWheel& action,
                                              const fs::path& wheel) {
  const std::string source = (bench.attempt.scratch / kSourceName).string();
  const std::map<std::string, std::string> places = {
      {"package", source}, {"project", source}, {"wheel", wheel.string()}};
  std::vector<std::string> argv;
  for (const std::string& argument : action.settings.command) {
    argv.push_back(matrix::fill_template(argument, places));
  }
  return argv;
}

}  // namespace

Result<run::Success> perform_test(const Bench& bench, const plan::TestWheel& action) {
  run::Success success;
  TRY(const fs::path wheel, wheel_of(bench, action));
  TRY(const BaseEnvironment base, base_environment(bench, action.environment));
  if (!action.environment.torch.spec.empty()) {
    success.skipped = env::skip_reason(torch_of(bench.machine, base.python), action.compute);
    if (success.skipped) {
      success.evidence = plan::Evidence::inspected;
      return success;
    }
  }
  TRY_DONE(prepare_directories(bench, action));
  TRY(const Overlay overlay,
      Overlay::create(bench.machine, base, bench.attempt.scratch / "overlay"));
  std::vector<std::string> installed = {wheel.string()};
  installed.insert(installed.end(), action.settings.pip.begin(), action.settings.pip.end());
  TRY_DONE(overlay.install(installed));
  const std::map<std::string, std::string> variables = test_variables(bench, action, overlay);
  TRY(const std::vector<std::string> names, importable_names(wheel));
  TRY_DONE(run_test(bench, {overlay.python(), "-c", "import " + join(names, ", ")}, variables,
                    fmt::format("importing {}", quoted_list(names))));
  success.evidence = plan::Evidence::loaded;
  if (action.settings.hardware == matrix::Hardware::gpu && !has_gpu(bench)) {
    success.skipped = "no GPU here; the wheel was installed and imported";
    return success;
  }
  if (action.settings.command.empty()) return success;
  TRY(const std::vector<std::string> argv, test_command(bench, action, wheel));
  TRY_DONE(run_test(bench, argv, variables, fmt::format("the tests of `{}`", action.variant_id)));
  success.evidence = plan::Evidence::ran;
  return success;
}

}  // namespace pinwheel::host
