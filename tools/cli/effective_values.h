#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// One option as it holds for this call, and where it comes from.
struct EffectiveValue {
  std::string option;  ///< "--jobs"
  std::string value;
  std::string origin;  ///< "command line", "PINWHEEL_JOBS", "default"
};

/// The options of a parsed command and of the program that have a value, in the order of the help.
/// `arguments` is argv as it was parsed.
std::vector<EffectiveValue> effective_values(const CLI::App& program, const CLI::App& command,
                                             const std::vector<std::string>& arguments);

/// One line each: "--jobs 4 (PINWHEEL_JOBS)".
std::string to_text(const std::vector<EffectiveValue>& values);

}  // namespace pinwheel::cli
