#include "host/steps/test.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/text.h"
#include "compat/open_order.h"
#include "host/machine/gpu.h"
#include "host/machine/machine_name.h"
#include "host/provision/env_checks.h"
#include "host/provision/env_overlay.h"
#include "host/steps/build_site.h"
#include "host/steps/image_checks.h"
#include "host/steps/sibling_wheels.h"
#include "host/steps/test_site.h"
#include "host/wheels/importable_names.h"
#include "matrix/template.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

Result<TestedWheels> wheels_to_test(const StepContext& context, const plan::TestWheel& action) {
  TRY(std::optional<TestedWheels> wheels, find_wheels(context.attempt.needs, action));
  if (wheels) return *std::move(wheels);
  return fail(ErrorKind::internal, fmt::format("{} built no wheel to test", quoted(action.build)));
}

Done prepare_directories(const StepContext& context, const plan::TestWheel& action) {
  TRY_DONE(make_test_directories(context));
  if (action.source.directory.empty()) return {};
  return context.supplier.source(action.source, context.attempt.scratch / kSourceName, 0);
}

bool lacks_hardware(const StepContext& context, const plan::TestWheel& action) {
  return action.settings.hardware == matrix::Hardware::gpu &&
         !has_hardware(context.machine, action.compute, action.settings.device);
}

/// `argv` from the matrix with placeholders expanded.
std::vector<std::string> filled(const StepContext& context, const std::vector<std::string>& command,
                                const fs::path& wheel) {
  const std::string source = (context.attempt.scratch / kSourceName).string();
  const std::map<std::string, std::string> places = {
      {"package", source}, {"project", source}, {"wheel", wheel.string()}};
  std::vector<std::string> argv;
  argv.reserve(command.size());
  for (const std::string& argument : command) {
    argv.push_back(matrix::fill_template(argument, places));
  }
  return argv;
}

/// A test ready to run: its environment, and an overlay with the wheel and the packages of
/// `test.pip`.
struct PreparedTest {
  Overlay overlay;
  std::map<std::string, std::string> variables;
  bool stubs = false;  ///< stub libraries replace the GPU's
};

bool has_torch(const plan::TestWheel& action) {
  return !action.environment.torch.spec.empty();
}

/// Records what the test can import and which programs it can find, to explain its result.
Done log_visible(const StepContext& context, const plan::TestWheel& action,
                 const BaseEnvironment& base, const Overlay& overlay) {
  TRY(const std::vector<std::string> packages, overlay.visible_packages());
  const bool build = action.settings.environment == matrix::TestEnvironment::build;
  append_log(
      context,
      fmt::format("this test sees Python {}{} and {}: {}\nits PATH is {}\n",
                  env::full_version(base.interpreter), build ? ", the packages of the build" : "",
                  plural(packages.size(), "package"), join(packages, ", "), overlay.path()));
  return {};
}

/// `installed` are the arguments for pip: the wheel if there is one, its siblings, and `test.pip`.
Result<PreparedTest> prepare_test(const StepContext& context, const plan::TestWheel& action,
                                  const BaseEnvironment& base,
                                  const std::vector<std::string>& installed) {
  TRY_DONE(prepare_directories(context, action));
  TRY(Overlay overlay, Overlay::create(context.machine, base, context.attempt.scratch / "overlay"));
  TRY_DONE(overlay.install(installed));
  TRY_DONE(log_visible(context, action, base, overlay));
  std::map<std::string, std::string> variables =
      test_variables(context, {action.variables, action.compute, action.secrets}, overlay);
  const bool stubs = has_torch(action) && loads_only(context, action.compute);
  if (stubs) TRY_DONE(add_stubs(context, base, variables));
  return PreparedTest{std::move(overlay), std::move(variables), stubs};
}

/// All wheels are in one command of pip, which resolves their requirements on each other.
std::vector<std::string> to_install(const std::optional<TestedWheels>& wheels,
                                    const plan::TestWheel& action) {
  std::vector<std::string> out;
  if (wheels) {
    for (const fs::path& wheel : wheels->all()) out.push_back(wheel.string());
  }
  out.insert(out.end(), action.settings.pip.begin(), action.settings.pip.end());
  return out;
}

/// Why a wheel of the test cannot be loaded by the Python here; nullopt if all can.
std::optional<std::string> other_libc(const BaseEnvironment& base, const TestedWheels& wheels) {
  for (const fs::path& wheel : wheels.all()) {
    if (auto reason = other_libc(base, wheel)) return reason;
  }
  return std::nullopt;
}

Done check_image(const StepContext& context, const BaseEnvironment& base,
                 const plan::TestWheel& action, const TestedWheels& wheels) {
  if (action.image.empty()) return {};
  for (const fs::path& wheel : wheels.all()) {
    TRY_DONE(check_glibc(context.machine, base.interpreter, action, wheel));
  }
  return {};
}

/// With stub libraries a test only shows that the wheel loads, never that it runs.
Result<run::Success> load_only(const StepContext& context, const plan::TestWheel& action,
                               const PreparedTest& ready, const fs::path& wheel,
                               const std::vector<std::string>& modules) {
  run::Success success;
  success.evidence = plan::Evidence::loaded;
  std::vector<std::string> did = {"installed", "imported"};
  if (!action.operators.empty()) {
    const std::string what = fmt::format("checking for {}", quoted_list(action.operators));
    TRY_DONE(run_test(context,
                      compat::load_check(ready.overlay.python(), modules, action.operators),
                      ready.variables, what));
    did.emplace_back("checked for its operators");
  }
  const bool cpu = action.settings.hardware != matrix::Hardware::gpu;
  const std::vector<std::string>& command =
      cpu ? action.settings.command : action.settings.without_gpu;
  if (!command.empty()) {
    TRY_DONE(run_test(context, filled(context, command, wheel), ready.variables,
                      fmt::format("the tests of {} without a GPU", quoted(action.variant_id))));
    did.emplace_back("tested on the CPU");
  }
  const std::string last = did.back();
  did.pop_back();
  success.skipped = fmt::format("no GPU here; the wheel was {} and {} with stub libraries",
                                join(did, ", "), last);
  return success;
}

/// The full test, on a machine with everything it needs.
Result<run::Success> run_whole(const StepContext& context, const plan::TestWheel& action,
                               const PreparedTest& ready, const fs::path& wheel) {
  run::Success success;
  success.evidence = plan::Evidence::loaded;
  if (lacks_hardware(context, action)) {
    const std::string& device = action.settings.device;
    success.skipped = fmt::format("no {} here; the wheel was installed and imported",
                                  device.empty() ? "GPU" : quoted(device));
    return success;
  }
  if (action.settings.command.empty()) return success;
  TRY_DONE(run_test(context, filled(context, action.settings.command, wheel), ready.variables,
                    fmt::format("the tests of {}", quoted(action.variant_id))));
  success.evidence = plan::Evidence::ran;
  return success;
}

}  // namespace

Result<run::Success> perform_test(const StepContext& context, const plan::TestWheel& action) {
  if (!action.skip.empty()) {
    run::Success skipped;
    skipped.skipped = action.skip;
    return skipped;
  }
  TRY(const TestedWheels wheels, wheels_to_test(context, action));
  const fs::path& wheel = wheels.wheel;
  if (!action.arch.empty() && running_arch(context.machine) != action.arch) {
    return skipped_here(fmt::format("no {} machine here", action.arch));
  }
  TRY(const BaseEnvironment base, test_environment(context, action.environment, action.compute));
  if (auto reason = other_libc(base, wheels)) return skipped_here(*std::move(reason));
  TRY_DONE(check_image(context, base, action, wheels));
  if (has_torch(action)) {
    run::Success skipped;
    skipped.skipped = env::skip_reason(torch_of(context.machine, base.python), action.compute);
    skipped.evidence = plan::Evidence::inspected;
    if (skipped.skipped) return skipped;
  }
  TRY(const PreparedTest ready, prepare_test(context, action, base, to_install(wheels, action)));
  TRY(const std::vector<std::string> modules, importable_names(wheel));
  enter_phase(context, plan::StepPhase::execution);
  TRY_DONE(import_modules(context, ready.overlay, modules, ready.variables));
  return ready.stubs ? load_only(context, action, ready, wheel, modules)
                     : run_whole(context, action, ready, wheel);
}

Result<ports::Exit> enter_test(const StepContext& context, const plan::TestWheel& action,
                               const Enter& enter) {
  TRY(const BaseEnvironment base, test_environment(context, action.environment, action.compute));
  TRY(const std::optional<TestedWheels> wheels, find_wheels(context.attempt.needs, action));
  TRY(PreparedTest ready, prepare_test(context, action, base, to_install(wheels, action)));
  const fs::path wheel = wheels ? wheels->wheel : fs::path("WHEEL");
  const std::vector<std::string> argv = filled(context, action.settings.command, wheel);
  return enter({argv, context.attempt.scratch / "work", std::move(ready.variables), {}});
}

}  // namespace pinwheel::host
