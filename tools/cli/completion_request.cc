#include "cli/completion_request.h"

#include <CLI/CLI.hpp>
#include <map>
#include <utility>

#include "base/text.h"
#include "prepare/load.h"

namespace pinwheel::cli {
namespace {

using Kinds = std::map<std::string, Completing>;

Kinds option_kinds() {
  return {{"select", Completing::selector},  {"skip", Completing::id},
          {"only", Completing::id},          {"channel", Completing::channel},
          {"target", Completing::target},    {"variant", Completing::id},
          {"step", Completing::planned_step}};
}

Kinds argument_kinds() {
  return {{"plan", Completing::id_or_matrix},
          {"build", Completing::id_or_matrix},
          {"test", Completing::id_or_matrix},
          {"release", Completing::id_or_matrix},
          {"env lock", Completing::id_or_matrix},
          {"explain", Completing::id_or_matrix},
          {"env shell", Completing::id_or_matrix},
          {"env export", Completing::id_or_matrix},
          {"reproduce", Completing::step_or_matrix},
          {"store why", Completing::step_or_matrix},
          {"logs", Completing::step},
          {"ci explain", Completing::job_or_matrix},
          {"docs", Completing::subject}};
}

/// The command that the words name so far, and its name: "env lock".
struct CommandPlace {
  const CLI::App* app;
  std::string path;
};

CommandPlace command_place_of(const CLI::App& program, const std::vector<std::string>& words) {
  CommandPlace place{&program, ""};
  for (const std::string& word : words) {
    for (const CLI::App* const command : place.app->get_subcommands({})) {
      if (command->get_name() != word) continue;
      place = {command, place.path.empty() ? word : place.path + " " + word};
      break;
    }
  }
  return place;
}

/// The option whose value comes after this word; null if none does.
const CLI::Option* option_before(const CLI::App& app, const CLI::App& program,
                                 const std::string& word) {
  if (!word.starts_with('-')) return nullptr;
  const CLI::Option* option = app.get_option_no_throw(word);
  if (option == nullptr) option = program.get_option_no_throw(word);
  return option != nullptr && option->get_expected_min() > 0 ? option : nullptr;
}

/// The words of "{always|auto|never}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (!type.starts_with('{') || !type.ends_with('}')) return {};
  return split(type.substr(1, type.size() - 2), '|');
}

void add_names(const CLI::App& app, std::vector<std::string>& words) {
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
}

CompletionRequest value_for(const CLI::Option& option) {
  const Kinds kinds = option_kinds();
  const auto kind = kinds.find(option.get_lnames().empty() ? "" : option.get_lnames().front());
  if (kind != kinds.end()) return {kind->second};
  std::vector<std::string> words = choices_of(option);
  if (words.empty()) return {Completing::files};
  return {Completing::words, std::move(words)};
}

/// The value of `--state-dir` on the line.
std::string state_dir_of(const std::vector<std::string>& words) {
  constexpr std::string_view kOption = "--state-dir";
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == kOption && i + 1 < words.size()) return words[i + 1];
    if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with('=')) {
      return std::string(word.substr(kOption.size() + 1));
    }
  }
  return {};
}

/// A command or an argument of one.
CompletionRequest argument_at(const CommandPlace& place) {
  if (place.path == "completion") return {Completing::words, {"bash", "zsh", "fish", "man"}};
  const Kinds kinds = argument_kinds();
  const auto kind = kinds.find(place.path);
  if (kind != kinds.end()) return {kind->second};
  CompletionRequest request;
  for (const CLI::App* const command : place.app->get_subcommands({})) {
    if (!command->get_group().empty()) request.words.push_back(command->get_name());
  }
  if (request.words.empty()) request.what = Completing::files;
  return request;
}

}  // namespace

CompletionRequest request_of(const CLI::App& program, const std::string& line) {
  std::vector<std::string> words = split(line, ' ');
  const std::string current = words.back();
  words.pop_back();
  std::erase(words, "");
  const CommandPlace place = command_place_of(program, words);
  CompletionRequest request;
  if (const CLI::Option* const option =
          option_before(*place.app, program, words.empty() ? "" : words.back())) {
    request = value_for(*option);
  } else if (current.starts_with('-')) {
    add_names(*place.app, request.words);
    if (place.app != &program) add_names(program, request.words);
  } else {
    request = argument_at(place);
  }
  request.current = current;
  request.state_dir = state_dir_of(words);
  for (const std::string& word : words) {
    if (prepare::is_matrix_name(word)) request.matrix = word;
  }
  return request;
}

}  // namespace pinwheel::cli
