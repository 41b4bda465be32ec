#include "host/steps/run_with_torch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/terminal_text.h"
#include "base/text.h"
#include "compat/open_order.h"
#include "env/classify.h"
#include "env/environment_marker.h"
#include "env/gpu_packages.h"
#include "host/machine/gpu.h"
#include "host/machine/machine_name.h"
#include "host/provision/env_overlay.h"
#include "host/provision/env_resolve.h"
#include "host/provision/interpreters.h"
#include "host/provision/stub_libraries.h"
#include "host/provision/torch_view.h"
#include "host/steps/build_command.h"
#include "host/system/log_tail.h"
#include "host/system/scratch_directory.h"
#include "host/torch/torch_wheel.h"
#include "host/wheels/importable_names.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

enum class HasGpu { no, yes };

/// The first of these Pythons that is available.
Result<std::pair<std::string, env::Interpreter>> python_here(
    const EnvMachine& machine, const std::vector<std::string>& pythons) {
  Error none{ErrorKind::environment, "no Python of the wheel is known"};
  for (const std::string& python : pythons) {
    Result<env::Interpreter> found = interpreter_for(machine, python);
    if (found) return std::pair(python, *std::move(found));
    none = std::move(found).error();
  }
  return fail(std::move(none));
}

/// The torch of an existing environment, as the base of an overlay; the other packages and the
/// programs of that environment are not visible.
BaseEnvironment installed_base(const compat::RunTarget& target, const exports::Build& build,
                               env::Interpreter interpreter) {
  BaseEnvironment base;
  base.site_packages = target.site_packages;
  base.interpreter = std::move(interpreter);
  base.resolution.packages = {{"torch", build.version, {}, {}}};
  base.purpose = env::Purpose::test;
  return base;
}

/// The environment with the requested build, from the user's index.
Result<BaseEnvironment> made_base(const EnvMachine& machine, const Trial& trial,
                                  const exports::Build& build, const std::string& python,
                                  const env::Interpreter& interpreter, HasGpu has_gpu) {
  env::Request request;
  request.python = python;
  request.torch.spec = "torch==" + build.version;
  request.purpose = env::Purpose::test;
  trial.note(fmt::format("resolving torch {} for Python {}", build.version, python));
  TRY(const Resolved resolved, resolve(machine, request));
  const env::Resolution resolution = has_gpu == HasGpu::yes
                                         ? resolved.resolution
                                         : env::without_gpu_packages(resolved.resolution, request);
  TRY(const bool there, has_environment(machine, resolution, interpreter, request.purpose));
  const env::PipPackage* const torch = resolution.find("torch");
  if (torch == nullptr) return fail(ErrorKind::internal, "torch was resolved without torch");
  trial.note(fmt::format(
      "{} torch {} and {} for Python {}{}", there ? "using the environment of" : "downloading",
      torch->version, plural(resolution.packages.size() - 1, "package"), python,
      there ? ""
            : fmt::format(", which may take {} on disk", format_bytes(bytes_needed(resolution)))));
  return create_environment(machine, request, resolution);
}

/// The shared state of a trial's commands.
struct TrialSite {
  const EnvMachine& machine;
  const Trial& trial;
  const Overlay& overlay;
  HasGpu has_gpu;
  fs::path scratch;
  std::map<std::string, std::string> variables;
};

/// Runs a command to completion. An error means that it was interrupted or could not be started.
Result<compat::Ended> run_one(const TrialSite& site, std::vector<std::string> argv,
                              std::string what, const std::string& log_name) {
  constexpr uint64_t kShown = 16384;
  const fs::path log = site.scratch / (log_name + ".log");
  site.trial.note(what);
  TRY(const ports::Exit exit,
      site.machine.process.log(
          {std::move(argv), site.scratch / "work", site.variables, site.trial.limit}, log));
  if (exit.canceled) return fail(ErrorKind::interrupted, what + " was interrupted");
  if (exit.ok()) return compat::Ended{std::move(what)};
  return compat::Ended{std::move(what), env::ending(exit), log_tail(log, kShown)};
}

/// Creates the commands' directories, and stub libraries for a CUDA build if there is no GPU.
Result<compat::Gpu> prepare(TrialSite& site, const BaseEnvironment& base) {
  for (const char* const name : {"work", "home", "tmp"}) {
    TRY_DONE(site.machine.files.make_directories(site.scratch / name));
  }
  const BuildSpace space(site.scratch, PathMode::real, {});
  site.variables = clean_variables({space, site.machine.variables, {}});
  site.variables["PATH"] = site.overlay.path();
  if (site.has_gpu == HasGpu::yes) return compat::Gpu::as_is;
  const fs::path directory = site.scratch / "stubs";
  TRY(const StubLibraries stubs, write_stub_libraries(site.machine, base.site_packages, directory));
  if (stubs.names.empty()) return compat::Gpu::as_is;
  site.trial.note(fmt::format("no GPU here: made {}", plural(stubs.names.size(), "stub library")));
  site.variables["LD_LIBRARY_PATH"] = directory.string();
  return compat::Gpu::stubs;
}

/// The modules of a wheel; empty if it installs nothing importable.
std::vector<std::string> modules_of(const fs::path& wheel) {
  return importable_names(wheel).value_or(std::vector<std::string>());
}

compat::OpenRequest request_for(const Trial& trial) {
  compat::OpenRequest request{{"torch"}, compat::open_orders(trial.facts)};
  for (const fs::path& wheel : trial.with) {
    for (std::string& name : modules_of(wheel)) request.imports.push_back(std::move(name));
  }
  request.modules = compat::modules_to_import(modules_of(trial.wheel), trial.facts);
  return request;
}

/// Opens the libraries and imports the modules. Anything that aborts this is the wheel's fault,
/// unless the imports before it fail.
Done load(const TrialSite& site, const std::string& site_packages, compat::RunSeen& seen) {
  const compat::OpenRequest request = request_for(site.trial);
  const fs::path question = site.scratch / "open.json";
  const fs::path answer = site.scratch / "opened.json";
  TRY_DONE(site.machine.files.write(question, compat::to_json(request)));
  std::vector<std::string> doing = {"importing " + quoted_list(request.imports)};
  if (!request.orders.empty())
    doing.push_back("opening " + plural(request.orders.size(), "library"));
  if (!request.modules.empty()) doing.push_back("importing " + quoted_list(request.modules));
  TRY(compat::Ended ended, run_one(site,
                                   compat::open_libraries(site.overlay.python(), question.string(),
                                                          site_packages, answer.string()),
                                   join(doing, ", "), "open"));
  if (ended.failure == fmt::format("exit code {}", compat::kImportsFailed)) {
    return fail(ErrorKind::environment,
                fmt::format("{} cannot be imported", quoted_list(request.imports)),
                join(last_lines(ended.output), "\n"));
  }
  const Result<std::string> text = site.machine.files.read(answer);
  if (text) {
    TRY(seen.opened, compat::parse_opened(*text));
  }
  // Without output it did not get to the wheel's modules.
  ended.what = text || doing.size() == 1 ? doing.back() : doing[1];
  const bool imported = text && !request.modules.empty();
  if (imported || !ended.failure.empty()) seen.commands.push_back(std::move(ended));
  return {};
}

/// Runs the smoke command if everything succeeded so far.
Done smoke(const TrialSite& site, compat::RunSeen& seen) {
  const bool ended_badly = !seen.commands.empty() && !seen.commands.back().failure.empty();
  if (site.trial.smoke.empty() || ended_badly) return {};
  TRY(compat::Ended ended,
      run_one(site, {"sh", "-c", site.trial.smoke}, pinwheel::quoted(site.trial.smoke), "smoke"));
  seen.commands.push_back(std::move(ended));
  seen.smoke = true;
  return {};
}

/// The verdict of the symbols on the installed torch, which may differ from the requested one.
/// nullopt if it is not for the wheel's Pythons.
Result<std::optional<compat::BuildVerdict>> predicted_on(const EnvMachine& machine,
                                                         const Trial& trial,
                                                         const BaseEnvironment& base) {
  TRY(const exports::Snapshot snapshot, read_torch_directory(base.site_packages, machine.files));
  compat::TorchVerdicts verdicts =
      compat::evaluate(trial.facts, exports::Table::of(snapshot), trial.companions);
  if (verdicts.builds.empty()) return std::nullopt;
  return std::move(verdicts.builds.front());
}

Done install_wheel(const TrialSite& site) {
  std::vector<std::string> wheels;
  for (const fs::path& other : site.trial.with) wheels.push_back(fs::absolute(other).string());
  wheels.push_back(fs::absolute(site.trial.wheel).string());
  site.trial.note("installing " + site.trial.facts.file_name);
  TRY_DONE(site.overlay.install(wheels, env::Dependencies::left_out));
  const std::vector<std::string> others = compat::other_requirements(site.trial.facts);
  if (others.empty()) return {};
  site.trial.note("installing its missing dependencies: " + join(others, ", "));
  return site.overlay.install(others);
}

/// The index may have a different kind of that release than PyPI.
Done same_kind(const compat::BuildVerdict& asked,
               const std::optional<compat::BuildVerdict>& installed) {
  if (!installed || !lacks_library(*installed) || lacks_library(asked)) return {};
  return fail(ErrorKind::environment,
              fmt::format("the installed torch is {}, which has no {}", installed->build.version,
                          pinwheel::quoted(installed->needed_unresolved.front().soname)),
              "set `PIP_INDEX_URL` to an index that has the build for this wheel");
}

Result<compat::RunResult> try_on(const EnvMachine& machine, const Trial& trial,
                                 BaseEnvironment base, HasGpu has_gpu,
                                 const std::optional<compat::BuildVerdict>& predicted) {
  compat::RunSeen seen;
  seen.torch = base.resolution.find("torch")->version;
  seen.python = env::full_version(base.interpreter);
  TRY(const ScratchDirectory scratch,
      ScratchDirectory::make(machine.files,
                             machine.cache / "scratch" / fmt::format("compat-{}", ::getpid())));
  if (base.directory.empty()) {
    TRY(const fs::path torch,
        link_torch(base.site_packages, base.interpreter, scratch.path() / "torch"));
    base.site_packages = torch.string();
  }
  TRY(const Overlay overlay, Overlay::create(machine, base, scratch.path() / "overlay"));
  TrialSite site{machine, trial, overlay, has_gpu, scratch.path(), {}};
  TRY_DONE(install_wheel(site));
  TRY(seen.gpu, prepare(site, base));
  TRY_DONE(load(site, env::site_packages(overlay.directory().string(), base.interpreter), seen));
  TRY_DONE(smoke(site, seen));
  return compat::judge_run(seen, predicted);
}

}  // namespace

Result<compat::RunResult> run_with_torch(const EnvMachine& machine, const Trial& trial,
                                         const compat::RunTarget& target,
                                         const compat::BuildVerdict& verdict) {
  const exports::Build& build = verdict.build;
  if (build.arch != machine_name()) {
    return fail(ErrorKind::environment, fmt::format("no {} machine here", build.arch));
  }
  TRY(auto python, python_here(machine, target.pythons));
  const HasGpu has_gpu = has_hardware(machine, "cuda") ? HasGpu::yes : HasGpu::no;
  if (!target.site_packages.empty()) {
    return try_on(machine, trial, installed_base(target, build, std::move(python.second)), has_gpu,
                  verdict);
  }
  TRY(const BaseEnvironment base,
      made_base(machine, trial, build, python.first, python.second, has_gpu));
  TRY(const auto predicted, predicted_on(machine, trial, base));
  TRY_DONE(same_kind(verdict, predicted));
  return try_on(machine, trial, base, has_gpu, predicted);
}

}  // namespace pinwheel::host
