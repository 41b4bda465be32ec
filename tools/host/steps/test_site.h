#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/provision/env_overlay.h"
#include "host/steps/build_site.h"
#include "host/steps/step_context.h"
#include "run/attempt.h"

namespace pinwheel::host {

/// The success of a step that could not run here: the wheel was only inspected.
run::Success skipped_here(std::string reason);

/// Why the Python of an environment cannot import the wheel: it is for the other C library.
std::optional<std::string> other_libc(const BaseEnvironment& base,
                                      const std::filesystem::path& wheel);

/// The inputs of the commands of a test.
struct TestSetting {
  const std::map<std::string, std::string>& variables;  ///< of the matrix
  const std::string& compute;
  std::vector<std::string> secrets = {};  ///< names of variables
};

/// The variables of every command of a test in an overlay.
std::map<std::string, std::string> test_variables(const StepContext& context,
                                                  const TestSetting& setting,
                                                  const Overlay& overlay);

/// The directories for the commands of a test: `work`, `home` and `tmp` below the attempt's
/// scratch.
Done make_test_directories(const StepContext& context);

/// Runs a command of the test, with output to the log. A failing test is a failed step, regardless
/// of its output; time limits, kills and cancellation are distinguished by the exit alone. The
/// output explains the failure.
Done run_test(const StepContext& context, std::vector<std::string> argv,
              const std::map<std::string, std::string>& variables, const std::string& what);

/// Imports modules with the Python of an overlay.
Done import_modules(const StepContext& context, const Overlay& overlay,
                    const std::vector<std::string>& modules,
                    const std::map<std::string, std::string>& variables);

/// Replaces the GPU's libraries by stubs for all commands of the test.
Done add_stubs(const StepContext& context, const BaseEnvironment& base,
               std::map<std::string, std::string>& variables);

}  // namespace pinwheel::host
