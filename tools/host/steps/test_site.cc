#include "host/steps/test_site.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "env/classify.h"
#include "host/provision/env_checks.h"
#include "host/provision/stub_libraries.h"
#include "host/system/log_tail.h"
#include "pep/wheel_name.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kTestTail = 4 << 20;

}  // namespace

run::Success skipped_here(std::string reason) {
  run::Success success;
  success.skipped = std::move(reason);
  success.evidence = plan::Evidence::inspected;
  return success;
}

std::optional<std::string> other_libc(const BaseEnvironment& base, const fs::path& wheel) {
  const Result<pep::WheelName> name = pep::parse_wheel_name(wheel.filename().string());
  return name ? env::other_libc(base.interpreter, name->tags) : std::nullopt;
}

std::map<std::string, std::string> test_variables(const StepContext& context,
                                                  const TestSetting& setting,
                                                  const Overlay& overlay) {
  const BuildSpace space(context.attempt.scratch, PathMode::real, {});
  std::map<std::string, std::string> variables = clean_variables(
      {space, context.machine.variables, {}, context.attempt.cores, {}, context.attempt.trace});
  for (const auto& [name, value] : setting.variables) variables[name] = value;
  variables["PATH"] = overlay.path();
  variables["PINWHEEL_COMPUTE"] = setting.compute;
  return with_secrets(std::move(variables), setting.secrets, context.workplace.secrets);
}

Done make_test_directories(const StepContext& context) {
  for (const char* const name : {"work", "home", "tmp"}) {
    TRY_DONE(context.machine.files.make_directories(context.attempt.scratch / name));
  }
  return {};
}

Done run_test(const StepContext& context, std::vector<std::string> argv,
              const std::map<std::string, std::string>& variables, const std::string& what) {
  append_log(context, fmt::format("$ {}\n", shell_join(argv)));
  const ports::Command command{std::move(argv), context.attempt.scratch / "work", variables,
                               context.attempt.step->timeout};
  const uint64_t before = log_size(context.attempt.log);
  TRY(const ports::Exit exit, context.machine.process.log(command, context.attempt.log));
  report_exit(context, exit);
  if (exit.ok()) return {};
  if (exit.timed_out) return fail(past_time_limit(context, what, "test.timeout"));
  const std::string output = log_since(context.attempt.log, before, kTestTail);
  return fail(to_error(env::classify_test(exit, output), what, exit));
}

Done import_modules(const StepContext& context, const Overlay& overlay,
                    const std::vector<std::string>& modules,
                    const std::map<std::string, std::string>& variables) {
  return run_test(context, {overlay.python(), "-c", "import " + join(modules, ", ")}, variables,
                  fmt::format("importing {}", quoted_list(modules)));
}

Done add_stubs(const StepContext& context, const BaseEnvironment& base,
               std::map<std::string, std::string>& variables) {
  const fs::path directory = context.attempt.scratch / "stubs";
  TRY(const StubLibraries stubs,
      write_stub_libraries(context.machine, base.site_packages, directory));
  append_log(context,
             fmt::format("no GPU here: {} stub libraries, {} symbols, {} bytes: {}\n",
                         stubs.names.size(), stubs.symbols, stubs.bytes, join(stubs.names, " ")));
  std::string& path = variables["LD_LIBRARY_PATH"];
  path = path.empty() ? directory.string() : directory.string() + ":" + path;
  return {};
}

}  // namespace pinwheel::host
