#include "cli/usage_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace pinwheel::cli {
namespace {

/// "pinwheel" for the program, "env list" for a command.
std::string name_of(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  if (parent == nullptr) return "pinwheel";
  const std::string& name = command.get_name();
  return parent->get_parent() == nullptr ? name : name_of(*parent) + " " + name;
}

/// How a command is called: "pinwheel", "pinwheel env list".
std::string words_of(const CLI::App& command) {
  return command.get_parent() == nullptr ? "pinwheel" : "pinwheel " + name_of(command);
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* const option : at->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands({})) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

/// Arguments that CLI11 could not parse: a misspelled flag or command.
Error unknown_argument(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App& command = deepest_command(app);
  const std::vector<std::string> left = app.remaining(true);
  const std::string word = left.empty() ? std::string() : left.front();
  if (word.starts_with("-")) {
    const std::string flag = word.substr(0, word.find('='));
    return Error{ErrorKind::usage,
                 fmt::format("{} has no option {}", quoted(name_of(command)), quoted(flag))}
        .with_hint(nearest(flag, flag_names(command))
                       ? suggest(flag, flag_names(command))
                       : fmt::format("{} lists them",
                                     quoted(fmt::format("{} --help", words_of(command)))));
  }
  if (!word.empty() && &command == &app) {
    return Error{ErrorKind::usage, fmt::format("unknown command {}", quoted(word))}.with_hint(
        suggest(word, command_names(app)));
  }
  if (arguments.empty() || word.empty()) {
    return Error{ErrorKind::usage, "a command is missing"}.with_hint(
        "`pinwheel --help` lists them");
  }
  return Error{ErrorKind::usage,
               fmt::format("{} takes no argument {}", quoted(name_of(command)), quoted(word))};
}

}  // namespace

const CLI::App& deepest_command(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error,
                  const std::vector<std::string>& arguments) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return unknown_argument(app, arguments);
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && app.get_subcommands().empty()) {
    return unknown_argument(app, arguments);
  }
  return Error{ErrorKind::usage, error.what()}.with_hint(fmt::format(
      "{} shows the usage", quoted(fmt::format("{} --help", words_of(deepest_command(app))))));
}

Done refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (option->get_positional() || option->count() == 0) continue;
    if (std::find(values.begin(), values.end(), "") == values.end()) continue;
    return fail(ErrorKind::usage, fmt::format("{} has an empty value", quoted(option->get_name())),
                "give it a value, or leave it out");
  }
  for (const CLI::App* const below : command.get_subcommands()) {
    TRY_DONE(refuse_empty_values(*below));
  }
  return {};
}

}  // namespace pinwheel::cli
