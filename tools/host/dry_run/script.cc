#include "host/dry_run/script.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "@pinwheel-";
constexpr char kEnd = '@';

/// An index or proxy URL may contain a password: the script takes it from its environment.
bool may_hold_password(std::string_view name) {
  return (name.starts_with("PIP_") && name.ends_with("_URL")) || name.ends_with("_proxy") ||
         name.ends_with("_PROXY");
}

constexpr std::string_view kMakeDirectories = "mkdir -p ";

/// Whether the last line of the text begins with these words.
bool last_line_is(std::string_view text, std::string_view words) {
  if (text.empty()) return false;
  text.remove_suffix(1);
  const size_t end = text.rfind('\n');
  return text.substr(end == std::string_view::npos ? 0 : end + 1).starts_with(words);
}

/// The paths of the set that are this one or below it.
bool erase_below(std::set<fs::path>& paths, const fs::path& path) {
  return std::erase_if(paths, [&path](const fs::path& each) {
           const fs::path below = each.lexically_relative(path);
           return !below.empty() && *below.begin() != "..";
         }) != 0;
}

}  // namespace

std::string script_variable(const std::string& name) {
  return fmt::format("{}{}{}", kBegin, name, kEnd);
}

std::string script_word(const std::string& argument) {
  std::string word = shell_quote(argument);
  if (word.find(kBegin) == std::string::npos) return word;
  if (!word.starts_with('\'')) word = "'" + word + "'";
  for (size_t at = word.find(kBegin); at != std::string::npos; at = word.find(kBegin, at)) {
    const size_t end = word.find(kEnd, at + kBegin.size());
    if (end == std::string::npos) break;
    const std::string name = word.substr(at + kBegin.size(), end - at - kBegin.size());
    const std::string outside = fmt::format("'\"${}\"'", name);
    word.replace(at, end + 1 - at, outside);
    at += outside.size();
  }
  return word;
}

std::string script_line(const ports::Command& command) {
  std::string line = "(";
  if (!command.directory.empty()) {
    line += fmt::format("cd {} && ", script_word(command.directory.string()));
  }
  line += "env -i";
  for (const auto& [name, value] : command.environment) {
    line += may_hold_password(name)
                ? fmt::format(" {0}=\"${{{0}-}}\"", name)
                : fmt::format(" {}", script_word(fmt::format("{}={}", name, value)));
  }
  for (const std::string& argument : command.argv) line += " " + script_word(argument);
  return line + ")\n";
}

void Script::move(const fs::path& from, const std::string& to) {
  const std::pair<std::string, std::string> pair(from.string(), to);
  if (std::find(moves_.begin(), moves_.end(), pair) == moves_.end()) moves_.push_back(pair);
}

bool Script::makes(std::string_view text) const {
  return std::any_of(moves_.begin(), moves_.end(), [text](const auto& move) {
    return text.find(move.first) != std::string_view::npos;
  });
}

bool Script::makes(const ports::Command& command) const {
  const auto named = [this](const auto& text) { return makes(std::string_view(text)); };
  return named(command.directory.string()) ||
         std::any_of(command.argv.begin(), command.argv.end(), named) ||
         std::any_of(command.mounts.begin(), command.mounts.end(),
                     [&named](const ports::Mount& mount) { return named(mount.from.string()); }) ||
         std::any_of(command.environment.begin(), command.environment.end(),
                     [&named](const auto& variable) { return named(variable.second); });
}

std::string Script::moved(std::string text) const {
  for (const auto& [from, to] : moves_) text = replace_all(std::move(text), from, to);
  return text;
}

ports::Command Script::moved(ports::Command command) const {
  for (std::string& argument : command.argv) argument = moved(argument);
  for (auto& [name, value] : command.environment) value = moved(value);
  command.directory = moved(command.directory.string());
  for (ports::Mount& mount : command.mounts) {
    mount = {moved(mount.from.string()), moved(mount.at.string())};
  }
  return command;
}

std::string Script::word(const std::string& text) const {
  return script_word(moved(text));
}

void Script::make_directory(const fs::path& path) {
  if (directories_.contains(path)) return;
  for (fs::path made = path; made.has_relative_path(); made = made.parent_path()) {
    directories_.insert(made);
  }
  if (last_line_is(text_, kMakeDirectories)) {
    text_.back() = ' ';
  } else {
    text_ += kMakeDirectories;
  }
  text_ += word(path.string()) + "\n";
}

void Script::write(const fs::path& path, std::string_view text) {
  make_directory(path.parent_path());
  know(path);
  const std::string file = word(path.string());
  // The shell expands nothing in the lines of a file.
  if (text.ends_with('\n') && !makes(text)) {
    text_ += fmt::format("cat > {} <<'PINWHEEL_END'\n{}PINWHEEL_END\n", file, text);
  } else {
    text_ += fmt::format("printf %s {} > {}\n", word(std::string(text)), file);
  }
}

void Script::remove(const fs::path& path) {
  const bool files = erase_below(files_, path);
  const bool directories = erase_below(directories_, path);
  if (files || directories) text_ += fmt::format("rm -rf {}\n", word(path.string()));
}

}  // namespace pinwheel::host
