#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pinwheel::cli {

/// The effective value of an option, and its origin.
struct EffectiveValue {
  std::string option;  ///< "--jobs"
  std::string value;
  std::string origin;  ///< "command line", "PINWHEEL_JOBS", "default"
};

/// The options of a parsed command and of the program that have a value, in the order of the help.
/// `arguments` is the parsed argv.
std::vector<EffectiveValue> effective_values(const CLI::App& program, const CLI::App& command,
                                             const std::vector<std::string>& arguments);

/// One line each: "--jobs 4 (PINWHEEL_JOBS)". Secrets are masked as in `mask_arguments`.
std::string to_text(const std::vector<EffectiveValue>& values);

}  // namespace pinwheel::cli
