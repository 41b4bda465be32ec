#include "cli/effective_values.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/mask.h"
#include "base/text.h"

namespace pinwheel::cli {
namespace {

/// Whether argv contains the option, in any spelling.
bool is_named(const CLI::Option& option, const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [&option](const std::string& argument) {
    const std::string word = argument.substr(0, argument.find('='));
    for (const std::string& name : option.get_lnames()) {
      if (word == "--" + name) return true;
    }
    for (const std::string& name : option.get_snames()) {
      // Matches both "-j4" and "-j 4".
      if (!word.starts_with("--") && word.starts_with("-" + name)) return true;
    }
    return false;
  });
}

/// The value of an option; a flag that is given several times is counted.
std::string text_of(const CLI::Option& option) {
  const bool counted = option.get_expected_min() == 0 && option.count() > 1;
  return counted ? std::to_string(option.count()) : join(option.results(), " ");
}

void add(const CLI::App& app, const std::vector<std::string>& arguments,
         std::vector<EffectiveValue>& out) {
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_lnames().empty() || option == app.get_help_ptr()) continue;
    EffectiveValue value{"--" + option->get_lnames()[0], {}, "default"};
    if (option->count() == 0) {
      value.value = option->get_default_str();
      if (value.value.empty()) continue;
    } else {
      value.value = text_of(*option);
      value.origin = is_named(*option, arguments) ? "command line" : option->get_envname();
    }
    out.push_back(std::move(value));
  }
}

}  // namespace

std::vector<EffectiveValue> effective_values(const CLI::App& program, const CLI::App& command,
                                             const std::vector<std::string>& arguments) {
  std::vector<EffectiveValue> values;
  if (&command != &program) add(command, arguments, values);
  add(program, arguments, values);
  return values;
}

std::string to_text(const std::vector<EffectiveValue>& values) {
  std::string out;
  for (const EffectiveValue& value : values) {
    const std::string shown = mask_arguments({value.option, value.value}).back();
    out += fmt::format("{} {} ({})\n", value.option, shell_quote(shown), value.origin);
  }
  return out;
}

}  // namespace pinwheel::cli
