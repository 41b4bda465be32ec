#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/options.h"

namespace pinwheel::cli {

/// An option that accepts one of several words; any other word is an error that lists them.
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
              throw CLI::ValidationError(fmt::format("{} cannot be {}; expected one of {}",
                                                     quoted(name), quoted(text),
                                                     quoted_list(names)));
            }
            value = found->second;
          },
          help)
      ->type_name(fmt::format("{{{}}}", join(names, "|")));
}

/// Accepts a whole number from 1 on.
CLI::Validator positive_integer();

/// The heading of the help for options that are added while it exists.
class OptionGroup {
 public:
  OptionGroup(CLI::App& app, const std::string& name)
      : app_(app), before_(app.option_defaults()->get_group()) {
    app_.option_defaults()->group(name);
  }
  ~OptionGroup() { app_.option_defaults()->group(before_); }
  OptionGroup(const OptionGroup&) = delete;
  OptionGroup& operator=(const OptionGroup&) = delete;

 private:
  CLI::App& app_;
  std::string before_;
};

/// Options of every command.
void add_globals(CLI::App& app, prepare::GlobalOptions& global);
/// The matrix, and the selected part of it.
void add_selection(CLI::App& app, prepare::SelectionOptions& selection);
/// The engine and the Python source of environments.
void add_levels(CLI::App& app, prepare::LevelOptions& levels);
/// A build number of wheels, a whole number from 1 on.
CLI::Option* add_build_number(CLI::App& app, uint64_t& build, const std::string& help);
/// The build number of the wheels of a run.
void add_run_build_number(CLI::App& app, prepare::SelectionOptions& selection);
/// The bounds of transfers to an index.
void add_transfer(CLI::App& app, prepare::TransferOptions& transfer);
/// How many files are sent to an index at the same time.
void add_uploads(CLI::App& app, prepare::TransferOptions& transfer);
/// The places of a store, without its domain, which matters only to results that are looked up or
/// written; `description` begins the help text.
void add_places(CLI::App& app, prepare::StoreOptions& store, const std::string& description);
/// Where results are stored for other runs and machines; `description` begins the help text.
void add_store(CLI::App& app, prepare::StoreOptions& store, const std::string& description);
/// Options shared by `build`, `test` and `release`.
void add_run(CLI::App& app, prepare::RunOptions& run);
/// `--changed-since`, for `plan` and for runs that publish nothing; after their other options.
void add_changed_since(CLI::App& app, std::string& revision, const std::string& help);
/// `--profile`, for runs that publish nothing; after `add_run`.
void add_profile(CLI::App& app, prepare::RunOptions& run);

}  // namespace pinwheel::cli
