#include "plan/ninja_manifest.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

namespace pinwheel::plan {
namespace {

constexpr std::string_view kBuildStatement = "build ";
constexpr std::string_view kManifestName = "build.ninja";
constexpr std::string_view kEndsOfName = " :|\n";
constexpr std::string_view kEndsOfOption = " \t\n\"'$";

using NinjaVariables = std::map<std::string, std::string, std::less<>>;

void skip_all(std::string_view& text, std::string_view characters) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(characters)));
}

/// How many characters at the beginning of `text` are the name of a variable. After `$`, a name
/// without braces has no dots.
size_t length_of_variable(std::string_view text, bool may_have_dots) {
  size_t length = 0;
  for (; length < text.size(); ++length) {
    const char c = text[length];
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    if (!plain && !(may_have_dots && c == '.')) break;
  }
  return length;
}

/// The value of the variable that `text` names after `$`; the name is removed. Ninja takes an
/// unknown variable as empty.
std::string take_variable(std::string_view& text, const NinjaVariables& variables) {
  const bool braces = text.starts_with('{');
  if (braces) text.remove_prefix(1);
  const size_t length = length_of_variable(text, braces);
  const auto found = variables.find(text.substr(0, length));
  text.remove_prefix(length);
  if (braces && text.starts_with('}')) text.remove_prefix(1);
  return found == variables.end() ? std::string() : found->second;
}

/// The text before one of the characters, without escapes; it is removed. Without `variables`,
/// names of variables remain as they are.
std::string take_unescaped(std::string_view& text, std::string_view ends,
                           const NinjaVariables* variables) {
  std::string taken;
  while (!text.empty() && ends.find(text.front()) == std::string_view::npos) {
    const char c = text.front();
    const char next = c == '$' && text.size() > 1 ? text[1] : '\0';
    if (next == '\n') {
      text.remove_prefix(2);
      skip_all(text, " ");
    } else if (next == ' ' || next == ':' || next == '$') {
      taken += next;
      text.remove_prefix(2);
    } else {
      text.remove_prefix(1);
      if (next != '\0' && variables != nullptr) {
        taken += take_variable(text, *variables);
      } else {
        taken += c;
      }
    }
  }
  return taken;
}

/// The names up to `:` or the end of the line, which are removed.
std::vector<std::string> take_names(std::string_view& text, const NinjaVariables* variables) {
  std::vector<std::string> names;
  while (!text.empty() && text.front() != ':' && text.front() != '\n') {
    std::string name = take_unescaped(text, kEndsOfName, variables);
    if (!name.empty()) names.push_back(std::move(name));
    skip_all(text, " |");
  }
  return names;
}

/// Adds the variable that a line defines, if it defines one.
void add_variable(std::string_view line, NinjaVariables& variables) {
  const std::string_view name = line.substr(0, length_of_variable(line, true));
  line.remove_prefix(name.size());
  skip_all(line, " ");
  if (name.empty() || !line.starts_with('=')) return;
  line.remove_prefix(1);
  skip_all(line, " ");
  variables[std::string(name)] = take_unescaped(line, "\n", &variables);
}

void remove_line(std::string_view& manifest) {
  const size_t end = manifest.find('\n');
  manifest.remove_prefix(end == std::string_view::npos ? manifest.size() : end + 1);
}

/// A name as ninja writes it to its log.
std::string canonical(const std::string& name) {
  return std::filesystem::path(name).lexically_normal().string();
}

/// The values of an option like `-l` in commands, in order.
std::vector<std::string> options_in(std::string_view manifest, std::string_view option) {
  std::vector<std::string> values;
  for (size_t at = manifest.find(option); at != std::string_view::npos;
       at = manifest.find(option, at + option.size())) {
    const bool begins = at == 0 || kEndsOfOption.find(manifest[at - 1]) != std::string_view::npos;
    if (!begins) continue;
    const std::string_view rest = manifest.substr(at + option.size());
    const std::string_view value =
        rest.substr(0, std::min(rest.size(), rest.find_first_of(kEndsOfOption)));
    if (!value.empty()) values.emplace_back(value);
  }
  return values;
}

}  // namespace

std::set<std::string> ninja_outputs(std::string_view manifest) {
  std::set<std::string> outputs;
  for (; !manifest.empty(); remove_line(manifest)) {
    if (!manifest.starts_with(kBuildStatement)) continue;
    std::string_view text = manifest.substr(kBuildStatement.size());
    for (std::string& name : take_names(text, nullptr)) {
      if (name.find("${") == std::string::npos) outputs.insert(std::move(name));
    }
  }
  return outputs;
}

NinjaReads ninja_reads(std::string_view manifest, const std::set<std::string>& outputs) {
  NinjaReads reads;
  for (std::string& name : options_in(manifest, "-l")) reads.libraries.insert(std::move(name));
  for (std::string& name : options_in(manifest, "-L")) {
    std::vector<std::string>& known = reads.library_directories;
    if (std::ranges::find(known, name) == known.end()) known.push_back(std::move(name));
  }
  NinjaVariables variables;
  for (; !manifest.empty(); remove_line(manifest)) {
    if (!manifest.starts_with(kBuildStatement)) {
      add_variable(manifest, variables);
      continue;
    }
    std::string_view text = manifest.substr(kBuildStatement.size());
    const std::vector<std::string> made = take_names(text, &variables);
    if (text.starts_with(':')) text.remove_prefix(1);
    const std::vector<std::string> names = take_names(text, &variables);
    if (names.empty()) continue;
    const bool counts =
        names.front() == "phony" || std::ranges::any_of(made, [&outputs](const std::string& name) {
          const std::string known = canonical(name);
          return known == kManifestName || outputs.contains(known);
        });
    if (!counts) continue;
    for (size_t i = 1; i < names.size(); ++i) reads.files.insert(canonical(names[i]));
  }
  return reads;
}

}  // namespace pinwheel::plan
