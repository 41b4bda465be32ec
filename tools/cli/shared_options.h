#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/options.h"

namespace pinwheel::cli {

/// An option that takes one of several words; another word is an error that names them all.
template <class T, class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value,
                        const std::map<std::string, T>& choices, const std::string& help) {
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const auto& [text, each] : choices) names.push_back(text);
  return app
      .add_option_function<std::string>(
          name,
          [&value, choices, name, names](const std::string& text) {
            const auto found = choices.find(text);
            if (found == choices.end()) {
              throw CLI::ValidationError(fmt::format("`{}` cannot be `{}`; expected one of {}",
                                                     name, text, quoted_list(names)));
            }
            value = found->second;
          },
          help)
      ->type_name(fmt::format("{{{}}}", join(names, "|")));
}

/// What every command takes.
void add_globals(CLI::App& app, GlobalOptions& global);
/// Which matrix, and which part of it.
void add_selection(CLI::App& app, SelectionOptions& selection);
/// What the two levels of environments are made of.
void add_levels(CLI::App& app, LevelOptions& levels);
/// What `build`, `test` and `release` share.
void add_run(CLI::App& app, RunOptions& run);

}  // namespace pinwheel::cli
