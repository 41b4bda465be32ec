#include "plan/ninja_manifest.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "base/limits.h"

namespace pinwheel::plan {
namespace {

constexpr std::string_view kManifestName = "build.ninja";
constexpr std::string_view kSubject = "`build.ninja`";
constexpr std::string_view kEndsOfName = " :|";
/// What a name needs in memory in addition to its characters.
constexpr size_t kNameCost = 64;
constexpr std::string_view kEndsOfWord = " \t\n\"'";
constexpr std::string_view kEndsOfOption = " \t\n\"'$";

using NinjaVariables = std::map<std::string, std::string, std::less<>>;

/// The words in a rule's variables that begin with `-l` or `-L`, with references to variables.
using NinjaRule = std::vector<std::string>;

/// What the statements of a file see. An included file has the scope of the file that includes it.
struct NinjaScope {
  const NinjaScope* parent = nullptr;  ///< of the file with the `subninja`
  NinjaVariables variables = {};
  std::map<std::string, NinjaRule, std::less<>> rules = {};
};

/// Where a statement finds its variables: its own ones come first.
struct NinjaPlace {
  const NinjaScope* scope = nullptr;
  NinjaVariables own = {};
};

void skip_all(std::string_view& text, std::string_view characters) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(characters)));
}

/// Removes spaces, and ends of lines after `$`.
void skip_space(std::string_view& text) {
  for (;;) {
    skip_all(text, " ");
    if (!text.starts_with("$\n")) return;
    text.remove_prefix(2);
  }
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

/// The name that a text begins with; it is removed.
std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, length_of_variable(text, true));
  text.remove_prefix(word.size());
  skip_space(text);
  return word;
}

/// The name of the variable after `$`; it is removed.
std::string_view take_reference(std::string_view& text) {
  const bool braces = text.starts_with('{');
  if (braces) text.remove_prefix(1);
  const std::string_view name = text.substr(0, length_of_variable(text, braces));
  text.remove_prefix(name.size());
  if (braces && text.starts_with('}')) text.remove_prefix(1);
  return name;
}

/// Removes and returns the next line, with the lines that continue it after `$`, without the last
/// end of a line.
std::string_view take_statement(std::string_view& text) {
  const size_t first = text.find_first_not_of(' ');
  const bool comment = first != std::string_view::npos && text[first] == '#';
  size_t length = 0;
  while (length < text.size() && text[length] != '\n') {
    length += text[length] == '$' && !comment ? 2 : 1;
  }
  const std::string_view line = text.substr(0, length);
  text.remove_prefix(std::min(text.size(), length + 1));
  return line;
}

/// Removes and returns the indented lines of a statement, with the comments between them.
std::vector<std::string_view> take_indented(std::string_view& text) {
  std::vector<std::string_view> lines;
  while (text.starts_with(' ') || text.starts_with('#')) lines.push_back(take_statement(text));
  return lines;
}

/// The variable that a line defines, and its text; without a name if it defines none.
std::pair<std::string_view, std::string_view> definition_in(std::string_view line) {
  skip_space(line);
  const std::string_view name = take_word(line);
  if (!line.starts_with('=')) return {};
  line.remove_prefix(1);
  skip_space(line);
  return {name, line};
}

/// nullptr: there is none.
template <class Value>
const Value* find_in(const std::map<std::string, Value, std::less<>>& map, std::string_view name) {
  const auto found = map.find(name);
  return found == map.end() ? nullptr : &found->second;
}

/// A name as ninja writes it to its log.
std::string canonical(const std::string& name) {
  std::string normal = std::filesystem::path(name).lexically_normal().string();
  if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

/// The values of an option like `-l` in a text, in order.
std::vector<std::string> options_in(std::string_view text, std::string_view option,
                                    std::string_view ends) {
  std::vector<std::string> values;
  for (size_t at = text.find(option); at != std::string_view::npos;
       at = text.find(option, at + option.size())) {
    const bool begins = at == 0 || ends.find(text[at - 1]) != std::string_view::npos;
    if (!begins) continue;
    const std::string_view rest = text.substr(at + option.size());
    const std::string_view value = rest.substr(0, std::min(rest.size(), rest.find_first_of(ends)));
    if (!value.empty()) values.emplace_back(value);
  }
  return values;
}

/// Parses one `build.ninja`. After an error, variables are empty, and no more statements are read.
class NinjaManifestParser {
 public:
  explicit NinjaManifestParser(const ReadNinjaFile& read) : read_(read) {}

  Result<NinjaManifest> parse(std::string_view text) {
    add_text(text, scopes_.emplace_back());
    // Ninja evaluates commands when it has read everything.
    for (const auto& [rule, place] : commands_) {
      for (const std::string& word : *rule) {
        if (failed_) return fail(*failed_);
        std::string_view rest = word;
        use(word.size());
        add_options(take_text(rest, {}, place));
      }
    }
    if (failed_) return fail(*failed_);
    return std::move(manifest_);
  }

 private:
  void fail_with(Error error) {
    if (!failed_) failed_ = std::move(error);
  }

  /// Counts bytes that need memory or time.
  void use(size_t bytes) {
    used_ += bytes;
    if (used_ > limits::kNinjaManifest.most) fail_with(too_large(kSubject, limits::kNinjaManifest));
  }

  /// Ninja takes an unknown variable as empty.
  std::string value_of(std::string_view name, const NinjaPlace& place) {
    if (failed_) return {};
    const std::string* value = find_in(place.own, name);
    for (const NinjaScope* scope = place.scope; value == nullptr && scope != nullptr;
         scope = scope->parent) {
      value = find_in(scope->variables, name);
    }
    if (value == nullptr) return {};
    use(value->size());
    return *value;
  }

  /// The text before one of the characters, with the values of variables; it is removed.
  std::string take_text(std::string_view& text, std::string_view ends, const NinjaPlace& place) {
    std::string taken;
    while (!text.empty() && ends.find(text.front()) == std::string_view::npos) {
      const char c = text.front();
      const char next = c == '$' && text.size() > 1 ? text[1] : '\0';
      text.remove_prefix(1);
      if (next == '\n') {
        text.remove_prefix(1);
        skip_all(text, " ");
      } else if (next == ' ' || next == ':' || next == '$') {
        taken += next;
        text.remove_prefix(1);
      } else if (next != '\0') {
        taken += value_of(take_reference(text), place);
      } else {
        taken += c;
      }
    }
    use(kNameCost);
    return taken;
  }

  /// The names up to `:` or the end, which are removed.
  std::vector<std::string> take_names(std::string_view& text, const NinjaPlace& place) {
    std::vector<std::string> names;
    while (!text.empty() && text.front() != ':') {
      const std::string name = take_text(text, kEndsOfName, place);
      if (!name.empty()) names.push_back(canonical(name));
      skip_all(text, " |");
    }
    return names;
  }

  void add_options(std::string_view text) {
    for (std::string& name : options_in(text, "-l", kEndsOfOption)) {
      use(kNameCost);
      manifest_.always.libraries.insert(std::move(name));
    }
    for (std::string& name : options_in(text, "-L", kEndsOfOption)) {
      use(kNameCost);
      if (!library_directories_.insert(name).second) continue;
      manifest_.always.library_directories.push_back(std::move(name));
    }
  }

  /// The variables that lines define in a scope. They do not see each other.
  NinjaVariables variables_in(const std::vector<std::string_view>& lines, const NinjaScope& scope) {
    NinjaVariables variables;
    for (const std::string_view line : lines) {
      auto [name, text] = definition_in(line);
      if (name.empty()) continue;
      std::string& value = variables[std::string(name)];
      value = take_text(text, {}, {&scope});
      add_options(value);
    }
    return variables;
  }

  void add_text(std::string_view text, NinjaScope& scope) {
    use(text.size());
    while (!text.empty() && !failed_) {
      const std::string_view line = take_statement(text);
      const std::vector<std::string_view> indented = take_indented(text);
      std::string_view rest = line;
      const std::string_view word = take_word(rest);
      if (word == "build") {
        add_statement(rest, {&scope, variables_in(indented, scope)});
      } else if (word == "rule") {
        scope.rules[std::string(take_word(rest))] = rule_of(indented);
      } else if (word == "include") {
        add_file(rest, scope, scope);
      } else if (word == "subninja") {
        add_file(rest, scope, scopes_.emplace_back(NinjaScope{&scope}));
      } else {
        for (auto& [name, value] : variables_in({line}, scope)) scope.variables[name] = value;
      }
    }
  }

  void add_statement(std::string_view text, NinjaPlace place) {
    NinjaStatement statement;
    statement.outputs = take_names(text, place);
    if (text.starts_with(':')) text.remove_prefix(1);
    skip_space(text);
    statement.rule = std::string(take_word(text));
    statement.inputs = take_names(text, place);
    use(sizeof(NinjaStatement));
    const NinjaRule* rule = rule_named(statement.rule, place.scope);
    if (rule != nullptr && !rule->empty()) commands_.emplace_back(rule, std::move(place));
    manifest_.statements.push_back(std::move(statement));
  }

  /// A rule has only variables that ninja knows, such as `command`.
  NinjaRule rule_of(const std::vector<std::string_view>& lines) {
    NinjaRule words;
    for (const std::string_view line : lines) {
      const std::string_view text = definition_in(line).second;
      for (const char* const option : {"-l", "-L"}) {
        for (const std::string& value : options_in(text, option, kEndsOfWord)) {
          use(kNameCost);
          words.push_back(option + value);
        }
      }
    }
    return words;
  }

  static const NinjaRule* rule_named(std::string_view name, const NinjaScope* scope) {
    const NinjaRule* rule = nullptr;
    for (; rule == nullptr && scope != nullptr; scope = scope->parent) {
      rule = find_in(scope->rules, name);
    }
    return rule;
  }

  /// Reads a file that a statement in `around` names; `scope`: the file's own.
  void add_file(std::string_view name, const NinjaScope& around, NinjaScope& scope) {
    const std::string path = take_text(name, kEndsOfName, {&around});
    if (++files_ > limits::kNinjaFiles.most) fail_with(too_many(kSubject, limits::kNinjaFiles));
    if (level_ == limits::kNinjaLevels.most) fail_with(too_many(kSubject, limits::kNinjaLevels));
    if (failed_) return;
    const Result<std::string> text = read_(path);
    if (!text) return fail_with(text.error());
    manifest_.always.files.insert(canonical(path));
    ++level_;
    add_text(*text, scope);
    --level_;
  }

  const ReadNinjaFile& read_;
  NinjaManifest manifest_ = {};
  std::deque<NinjaScope> scopes_ = {};  ///< others have pointers to them
  std::vector<std::pair<const NinjaRule*, NinjaPlace>> commands_ = {};  ///< with options
  std::set<std::string> library_directories_ = {};
  uint64_t used_ = 0;
  uint64_t files_ = 0;
  uint64_t level_ = 0;
  std::optional<Error> failed_ = std::nullopt;
};

}  // namespace

Result<NinjaManifest> parse_ninja_manifest(std::string_view text, const ReadNinjaFile& read) {
  return NinjaManifestParser(read).parse(text);
}

std::set<std::string> ninja_outputs(const NinjaManifest& manifest) {
  std::set<std::string> outputs;
  for (const NinjaStatement& statement : manifest.statements) {
    outputs.insert(statement.outputs.begin(), statement.outputs.end());
  }
  return outputs;
}

NinjaReads ninja_reads(const NinjaManifest& manifest, const std::set<std::string>& outputs) {
  NinjaReads reads = manifest.always;
  for (const NinjaStatement& statement : manifest.statements) {
    const bool counts = statement.rule == "phony" ||
                        std::ranges::any_of(statement.outputs, [&](const std::string& name) {
                          return name == kManifestName || outputs.contains(name);
                        });
    if (counts) reads.files.insert(statement.inputs.begin(), statement.inputs.end());
  }
  return reads;
}

}  // namespace pinwheel::plan
