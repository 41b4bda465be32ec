#include <fmt/format.h>

#include "base/text.h"
#include "compat/load_check.h"
#include "env/classify.h"
#include "host/git/source_tree.h"
#include "host/machine/gpu.h"
#include "host/machine/machine_name.h"
#include "host/provision/env_checks.h"
#include "host/provision/env_overlay.h"
#include "host/provision/stub_libraries.h"
#include "host/steps/build_site.h"
#include "host/steps/image_checks.h"
#include "host/steps/perform.h"
#include "host/steps/test_environment.h"
#include "host/steps/test_import.h"
#include "host/steps/visit.h"
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
      clean_variables({space, bench.machine.variables, {}, bench.attempt.cores});
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
  tell_exit(bench, exit);
  if (exit.ok()) return {};
  return fail(to_error(env::diagnose(exit, {}, {}), what, exit));
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

/// `argv` of the matrix with its places filled.
std::vector<std::string> filled(const Bench& bench, const std::vector<std::string>& command,
                                const fs::path& wheel) {
  const std::string source = (bench.attempt.scratch / kSourceName).string();
  const std::map<std::string, std::string> places = {
      {"package", source}, {"project", source}, {"wheel", wheel.string()}};
  std::vector<std::string> argv;
  argv.reserve(command.size());
  for (const std::string& argument : command) {
    argv.push_back(matrix::fill_template(argument, places));
  }
  return argv;
}

/// What a test works with once the wheel is installed.
struct Ready {
  const Overlay& overlay;
  fs::path wheel;
  std::vector<std::string> modules;
  std::map<std::string, std::string> variables;
};

/// Puts stub libraries in the place of the GPU's, for all that the test runs.
Done add_stubs(const Bench& bench, const BaseEnvironment& base,
               std::map<std::string, std::string>& variables) {
  const fs::path directory = bench.attempt.scratch / "stubs";
  TRY(const StubLibraries stubs,
      write_stub_libraries(bench.machine, base.site_packages, directory));
  append_log(bench,
             fmt::format("no GPU here: {} stub libraries, {} symbols, {} bytes: {}\n",
                         stubs.names.size(), stubs.symbols, stubs.bytes, join(stubs.names, " ")));
  std::string& path = variables["LD_LIBRARY_PATH"];
  path = path.empty() ? directory.string() : directory.string() + ":" + path;
  return {};
}

/// Beside stub libraries a wheel proves that it loads, never that it runs, whatever passes.
Result<run::Success> load_only(const Bench& bench, const plan::TestWheel& action,
                               const Ready& ready) {
  run::Success success;
  success.evidence = plan::Evidence::loaded;
  std::vector<std::string> did = {"installed", "imported"};
  if (!action.operators.empty()) {
    const std::string what = fmt::format("asking for {}", quoted_list(action.operators));
    TRY_DONE(run_test(bench,
                      compat::load_check(ready.overlay.python(), ready.modules, action.operators),
                      ready.variables, what));
    did.emplace_back("asked for its operators");
  }
  const bool cpu = action.settings.hardware != matrix::Hardware::gpu;
  const std::vector<std::string>& command =
      cpu ? action.settings.command : action.settings.without_gpu;
  if (!command.empty()) {
    TRY_DONE(run_test(bench, filled(bench, command, ready.wheel), ready.variables,
                      fmt::format("the tests of `{}` without a GPU", action.variant_id)));
    did.emplace_back("tested on the CPU");
  }
  const std::string last = did.back();
  did.pop_back();
  success.skipped = fmt::format("no GPU here; the wheel was {} and {} beside stub libraries",
                                join(did, ", "), last);
  return success;
}

/// The whole test, on a machine that has what it needs.
Result<run::Success> run_whole(const Bench& bench, const plan::TestWheel& action,
                               const Ready& ready) {
  run::Success success;
  success.evidence = plan::Evidence::loaded;
  if (action.settings.hardware == matrix::Hardware::gpu && !has_gpu(bench)) {
    success.skipped = "no GPU here; the wheel was installed and imported";
    return success;
  }
  if (action.settings.command.empty()) return success;
  TRY_DONE(run_test(bench, filled(bench, action.settings.command, ready.wheel), ready.variables,
                    fmt::format("the tests of `{}`", action.variant_id)));
  success.evidence = plan::Evidence::ran;
  return success;
}

}  // namespace

Result<run::Success> perform_test(const Bench& bench, const plan::TestWheel& action) {
  if (!action.skip.empty()) {
    run::Success skipped;
    skipped.skipped = action.skip;
    return skipped;
  }
  TRY(const fs::path wheel, wheel_of(bench, action));
  if (!action.arch.empty() && running_arch(bench.machine) != action.arch) {
    run::Success elsewhere;
    elsewhere.skipped = fmt::format("no {} machine here", action.arch);
    elsewhere.evidence = plan::Evidence::inspected;
    return elsewhere;
  }
  TRY(const BaseEnvironment base, test_environment(bench, action.environment, action.compute));
  if (!action.image.empty()) {
    TRY_DONE(check_glibc(bench.machine, base.interpreter, action, wheel));
  }
  const bool has_torch = !action.environment.torch.spec.empty();
  if (has_torch) {
    run::Success skipped;
    skipped.skipped = env::skip_reason(torch_of(bench.machine, base.python), action.compute);
    skipped.evidence = plan::Evidence::inspected;
    if (skipped.skipped) return skipped;
  }
  TRY_DONE(prepare_directories(bench, action));
  TRY(const Overlay overlay,
      Overlay::create(bench.machine, base, bench.attempt.scratch / "overlay"));
  std::vector<std::string> installed = {wheel.string()};
  installed.insert(installed.end(), action.settings.pip.begin(), action.settings.pip.end());
  TRY_DONE(overlay.install(installed));
  Ready ready{overlay, wheel, {}, test_variables(bench, action, overlay)};
  const bool stubs = has_torch && loads_only(bench, action.compute);
  if (stubs) TRY_DONE(add_stubs(bench, base, ready.variables));
  TRY(ready.modules, importable_names(wheel));
  TRY_DONE(run_test(bench, {overlay.python(), "-c", "import " + join(ready.modules, ", ")},
                    ready.variables, fmt::format("importing {}", quoted_list(ready.modules))));
  return stubs ? load_only(bench, action, ready) : run_whole(bench, action, ready);
}

Result<ports::Exit> at_test(const Bench& bench, const plan::TestWheel& action, const Enter& enter) {
  TRY(const BaseEnvironment base, test_environment(bench, action.environment, action.compute));
  TRY_DONE(prepare_directories(bench, action));
  TRY(const Overlay overlay,
      Overlay::create(bench.machine, base, bench.attempt.scratch / "overlay"));
  std::vector<std::string> installed = action.settings.pip;
  const Result<fs::path> wheel = wheel_of(bench, action);
  if (wheel) installed.insert(installed.begin(), wheel->string());
  TRY_DONE(overlay.install(installed));
  std::map<std::string, std::string> variables = test_variables(bench, action, overlay);
  const bool has_torch = !action.environment.torch.spec.empty();
  if (has_torch && loads_only(bench, action.compute)) TRY_DONE(add_stubs(bench, base, variables));
  const std::vector<std::string> argv =
      filled(bench, action.settings.command, wheel ? *wheel : fs::path("WHEEL"));
  return enter({argv, bench.attempt.scratch / "work", std::move(variables), {}});
}

}  // namespace pinwheel::host
