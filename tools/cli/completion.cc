#include "cli/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "prepare/load.h"
#include "report/documentation.h"
#include "report/shipped_documents.h"

namespace pinwheel::cli {
namespace {

/// A command and its words, read from the parser once.
struct Command {
  std::string path;  ///< "env rm"; "" for the program itself
  std::string help;
  std::vector<const CLI::Option*> options;
  std::vector<std::string> children;
  std::vector<std::string> arguments;  ///< positionals, "[MATRIX.yaml] [GLOB]"
};

void collect(const CLI::App& app, const std::string& path, std::vector<Command>& out) {
  Command command{path, app.get_description(), {}, {}, {}};
  for (const CLI::Option* const option : app.get_options()) {
    if (!option->get_lnames().empty()) {
      command.options.push_back(option);
    } else if (option->get_positional()) {
      command.arguments.push_back(option->get_type_name());
    }
  }
  const auto shown = [](const CLI::App* child) { return !child->get_group().empty(); };
  for (const CLI::App* const child : app.get_subcommands(shown)) {
    command.children.push_back(child->get_name());
  }
  out.push_back(command);
  for (const CLI::App* const child : app.get_subcommands(shown)) {
    collect(*child, path.empty() ? child->get_name() : path + " " + child->get_name(), out);
  }
}

/// bash splits words at `=` and `:`, and replaces only the text after the last of them.
constexpr const char* kBashScript = R"(_pinwheel() {
  local line=${COMP_LINE:0:COMP_POINT} word before
  word=${line##* }
  mapfile -t COMPREPLY < <(pinwheel complete "$line" 2>/dev/null)
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
  before=${word%"${word##*[=:]}"}
  COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
complete -o default -F _pinwheel pinwheel
)";

constexpr const char* kZshScript = R"(#compdef pinwheel
_pinwheel() {
  local -a found
  found=("${(@f)$(pinwheel complete "${words[1,CURRENT]}" 2>/dev/null)}")
  found=(${found:#})
  if (( ${#found} )); then compadd -Q -- $found; else _files; fi
}
compdef _pinwheel pinwheel
)";

std::string fish_script(const std::vector<Command>& commands) {
  std::string out = "complete -c pinwheel -f\n";
  for (const Command& command : commands) {
    const std::string condition =
        command.path.empty() ? "__fish_use_subcommand"
                             : "__fish_seen_subcommand_from " + split(command.path, ' ').back();
    for (const std::string& child : command.children) {
      out += fmt::format("complete -c pinwheel -n {} -a {}\n", shell_quote(condition), child);
    }
    for (const CLI::Option* const option : command.options) {
      out += fmt::format("complete -c pinwheel {}-l {} -d {}\n",
                         command.path.empty() ? "" : fmt::format("-n {} ", shell_quote(condition)),
                         option->get_lnames()[0], shell_quote(option->get_description()));
    }
  }
  return out +
         "complete -c pinwheel -a '(pinwheel complete (commandline -cp) 2>/dev/null)'\n"
         "complete -c pinwheel -a '(__fish_complete_suffix .yaml)'\n";
}

std::string roff(std::string text) {
  text = replace_all(std::move(text), "\\", "\\e");
  return replace_all(std::move(text), "-", "\\-");
}

/// "-s, --select AXIS=VALUE".
std::string usage_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  const std::string text = join(names, ", ");
  return option.get_expected_min() == 0 ? text : text + " " + option.get_type_name();
}

std::string man_options(const Command& command) {
  std::string out;
  for (const CLI::Option* const option : command.options) {
    const std::string variable = option->get_envname();
    out +=
        fmt::format(".TP\n.B {}\n{}{}\n", roff(usage_of(*option)), roff(option->get_description()),
                    variable.empty() ? "" : roff(fmt::format(" [{}]", variable)));
  }
  return out;
}

/// The keys of the matrix file.
std::string man_keys() {
  std::string out = ".SH MATRIX FILE\n";
  for (const report::DocumentedKey& key :
       report::documented_keys(report::matrix_page(report::shipped_documents()))) {
    const std::string otherwise =
        key.otherwise.empty() ? "" : fmt::format("; default: {}", key.otherwise);
    out += fmt::format(".TP\n.B {}\n{}{}{}\n", roff(key.name), roff(key.type), roff(otherwise),
                       key.meaning.empty() ? "" : ": " + roff(key.meaning));
  }
  return out;
}

std::string man_page(const std::vector<Command>& commands) {
  std::string out =
      ".TH PINWHEEL 1\n.SH NAME\npinwheel \\- " + roff(commands[0].help) +
      "\n.SH SYNOPSIS\n.B pinwheel\nCOMMAND [MATRIX.yaml] [GLOB...] [options]\n.SH COMMANDS\n";
  for (const Command& command : commands) {
    if (command.path.empty()) continue;
    std::vector<std::string> usage = command.arguments;
    usage.insert(usage.begin(), command.path);
    out += fmt::format(".SS {}\n{}\n", roff(join(usage, " ")), roff(command.help));
    out += man_options(command);
  }
  return out + ".SH OPTIONS\n" + man_options(commands[0]) +
         ".SH EXIT STATUS\n0 success; 1 a step failed; 2 usage or matrix; 3 nothing selected; 4 "
         "environment; 5 a check failed; 6 publishing failed; 7 out of date; 8 a build is "
         "unfinished; 70 a bug; 130, 143 "
         "interrupted\n" +
         man_keys();
}

}  // namespace

Result<std::string> make_completion(const CLI::App& app, const std::string& shell) {
  std::vector<Command> commands;
  collect(app, "", commands);
  if (shell == "bash") return kBashScript;
  if (shell == "zsh") return kZshScript;
  if (shell == "fish") return fish_script(commands);
  if (shell == "man") return man_page(commands);
  return fail(ErrorKind::usage, fmt::format("no completion for {}", quoted(shell)),
              suggest(shell, {"bash", "zsh", "fish", "man"}));
}

namespace {

using Kinds = std::map<std::string, Completing>;

Kinds option_kinds() {
  return {{"select", Completing::selector},  {"skip", Completing::id},
          {"only", Completing::id},          {"channel", Completing::channel},
          {"target", Completing::target},    {"variant", Completing::id},
          {"step", Completing::planned_step}};
}

Kinds argument_kinds() {
  return {{"plan", Completing::id_or_matrix},        {"build", Completing::id_or_matrix},
          {"test", Completing::id_or_matrix},        {"release", Completing::id_or_matrix},
          {"status", Completing::id_or_matrix},      {"env lock", Completing::id_or_matrix},
          {"explain", Completing::explained},        {"env shell", Completing::id_or_matrix},
          {"env export", Completing::id_or_matrix},  {"reproduce", Completing::step_or_matrix},
          {"store why", Completing::step_or_matrix}, {"logs", Completing::step},
          {"ci explain", Completing::job_or_matrix}, {"docs", Completing::subject}};
}

/// The command in the words so far, and its name: "env lock".
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

/// The option whose value follows this word; null if there is none.
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

/// The request for a command or an argument of one.
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
