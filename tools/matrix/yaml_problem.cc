#include "matrix/yaml_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "matrix/config_error.h"

namespace pinwheel::matrix {
namespace {

class FlowScanner {
 public:
  /// Reads one line up to `end`.
  void read(std::string_view line, int number, size_t end) {
    starts_token_ = true;
    for (size_t i = 0; i < std::min(end, line.size()); ++i) {
      const Opening here{line[i], number, static_cast<int>(i)};
      if (quote_) {
        i += in_quote(line, i);
      } else if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
        return;
      } else {
        outside(here);
      }
    }
  }

  OpenAt result() const {
    OpenAt open{std::nullopt, quote_};
    if (!brackets_.empty()) open.bracket = brackets_.back();
    return open;
  }

 private:
  /// Returns how many characters to skip: an escaped quote does not end the text.
  size_t in_quote(std::string_view line, size_t i) {
    const char quote = quote_->character;
    const char next = i + 1 < line.size() ? line[i + 1] : '\0';
    if (quote == '"' && line[i] == '\\') return 1;
    if (line[i] != quote) return 0;
    if (quote == '\'' && next == quote) return 1;
    quote_.reset();
    return 0;
  }

  void outside(const Opening& here) {
    const char c = here.character;
    if (c == ' ' || c == '\t') return;
    const bool may_open = starts_token_ || !brackets_.empty();
    if ((c == '"' || c == '\'') && starts_token_) {
      quote_ = here;
    } else if ((c == '[' || c == '{') && may_open) {
      brackets_.push_back(here);
    } else if ((c == ']' || c == '}') && !brackets_.empty()) {
      brackets_.pop_back();
    }
    // A quote or bracket within a plain word is part of it.
    starts_token_ = std::string_view("[{,:-?").find(c) != std::string_view::npos;
  }

  std::vector<Opening> brackets_;
  std::optional<Opening> quote_;
  bool starts_token_ = true;
};

/// Reads only brackets, quotes and comments, so it works on text that a parser rejects; text in
/// block scalars counts too.
OpenAt open_before(const SourceLines& lines, int line, int column) {
  FlowScanner scanner;
  for (int number = 0; number <= line; ++number) {
    const std::string_view text = lines.line(static_cast<size_t>(number));
    scanner.read(text, number, number == line ? static_cast<size_t>(column) : text.size());
  }
  return scanner.result();
}

namespace message = YAML::ErrorMsg;

constexpr std::string_view kSameIndentation =
    "indent the keys of one mapping, or the entries of one list, by the same number of spaces";

/// Where the parser failed.
struct Fault {
  const std::string& words;  ///< the parser's, one of `YAML::ErrorMsg`
  const SourceLines& lines;
  int line;
  int column;

  bool is(const char* one) const { return words == one; }
  std::string_view text() const { return lines.line(static_cast<size_t>(std::max(line, 0))); }
  std::string_view at() const {
    const auto from = static_cast<size_t>(std::max(column, 0));
    return from < text().size() ? text().substr(from) : std::string_view();
  }
  Error error(const std::string& what, std::string_view hint) const {
    return config_error(what, lines.place(line, column), std::string(hint));
  }
};

int indentation(std::string_view line) {
  return static_cast<int>(std::min(line.find_first_not_of(' '), line.size()));
}

bool is_content(std::string_view line) {
  const std::string_view text = trim(line);
  return !text.empty() && text.front() != '#';
}

/// The number of the last line with content above `line`; -1 without one.
int content_above(const SourceLines& lines, int line) {
  int above = line - 1;
  while (above >= 0 && !is_content(lines.line(static_cast<size_t>(above)))) --above;
  return above;
}

std::optional<Error> tab(const Fault& fault) {
  const size_t end = fault.text().find_first_not_of(" \t-");
  const size_t at = fault.text().substr(0, end).find('\t');
  if (at == std::string_view::npos) return std::nullopt;
  return config_error("a tab indents this line, and YAML indents by spaces",
                      fault.lines.place(fault.line, static_cast<int>(at)),
                      "replace the tab by spaces, as in the lines around it");
}

char ending_of(char opening) {
  if (opening == '[') return ']';
  return opening == '{' ? '}' : opening;
}

Error unclosed(const Fault& fault, const Opening& opening) {
  return unclosed_at(opening.character, fault.lines.place(opening.line, opening.column));
}

std::optional<Error> not_closed(const Fault& fault) {
  const bool flow = fault.is(message::END_OF_MAP_FLOW) || fault.is(message::END_OF_SEQ_FLOW);
  if (!flow && !fault.is(message::EOF_IN_SCALAR)) return std::nullopt;
  const OpenAt open = open_before(fault.lines, fault.line, fault.column);
  const std::optional<Opening> opening = open.quote ? open.quote : open.bracket;
  if (!opening) return std::nullopt;
  const bool inside = !open.quote && opening->line == fault.line && !trim(fault.at()).empty();
  if (inside) {
    return fault.error(fmt::format("a comma or the closing {} is missing before this",
                                   quoted(std::string(1, ending_of(opening->character)))),
                       "check the quotes of this line, too");
  }
  return unclosed(fault, *opening);
}

/// The error for a line above that is a word where a key is expected: "package", "name a",
/// "name:a".
std::optional<Error> colon(const Fault& fault) {
  const int number = content_above(fault.lines, fault.line);
  if (number < 0) return std::nullopt;
  const std::string_view line = fault.lines.line(static_cast<size_t>(number));
  const std::string_view text = trim(line);
  if (text.ends_with(':') || text.find(": ") != std::string_view::npos) return std::nullopt;
  const int from = static_cast<int>(text.data() - line.data());
  const size_t inner = text.find(':');
  if (inner == std::string_view::npos) {
    return config_error(fmt::format("a colon is missing in {}", quoted(text)),
                        fault.lines.place(number, from), "write `key: value`");
  }
  const std::string fixed = fmt::format("{}: {}", text.substr(0, inner), text.substr(inner + 1));
  return config_error("a space is missing after the colon",
                      fault.lines.place(number, from + static_cast<int>(inner)),
                      fmt::format("write {}", quoted(fixed)));
}

std::optional<Error> map_value(const Fault& fault) {
  if (!fault.is(message::MAP_VALUE)) return std::nullopt;
  if (std::optional<Error> missing = colon(fault)) return missing;
  const auto before = static_cast<size_t>(std::max(fault.column, 0));
  if (fault.text().substr(0, before).find(": ") != std::string_view::npos) {
    return fault.error("a second colon in one line", "quote the value if the colon belongs to it");
  }
  const int column = indentation(fault.text());
  return config_error("this line is indented deeper than the line above, which has its value",
                      fault.lines.place(fault.line, column), std::string(kSameIndentation));
}

std::optional<Error> wrong_indentation(const Fault& fault) {
  if (!fault.is(message::END_OF_MAP) && !fault.is(message::END_OF_SEQ)) return std::nullopt;
  const bool entry = fault.at().starts_with("- ");
  for (int above = fault.line - 1; above >= 0; --above) {
    const std::string_view line = fault.lines.line(static_cast<size_t>(above));
    if (!is_content(line) || indentation(line) > fault.column) continue;
    const bool same = indentation(line) == fault.column;
    if (same && entry != line.substr(indentation(line)).starts_with('-')) {
      return fault.error(entry ? "a list entry is not allowed among the keys of a mapping"
                               : "a key is not allowed among the entries of a list",
                         kSameIndentation);
    }
    break;
  }
  return fault.error("the indentation of this line fits none of the lines above", kSameIndentation);
}

std::optional<Error> misplaced(const Fault& fault) {
  if (fault.is(message::FLOW_END)) {
    const OpenAt open = open_before(fault.lines, fault.line, fault.column);
    if (open.bracket) return unclosed(fault, *open.bracket);
    return fault.error(fmt::format("this {} closes nothing", quoted(fault.at().substr(0, 1))),
                       "remove it, or quote the value if it belongs to it");
  }
  if (fault.is(message::BLOCK_ENTRY)) {
    return fault.error("a list entry is not allowed here", "begin the list on a line of its own");
  }
  if (fault.is(message::UNKNOWN_TOKEN)) {
    return fault.error(fmt::format("a value cannot begin with {}", quoted(fault.at().substr(0, 1))),
                       "quote the value");
  }
  return std::nullopt;
}

std::optional<Error> alias(const Fault& fault) {
  const bool known = fault.is(message::UNKNOWN_ANCHOR) || fault.is(message::ALIAS_NOT_FOUND) ||
                     fault.is(message::CHAR_IN_ALIAS);
  if (!known) return std::nullopt;
  return fault.error("`*` refers to an anchor, and there is no such anchor above",
                     "quote the value if the `*` is a glob: \"*\"");
}

std::optional<Error> escape(const Fault& fault) {
  if (!fault.words.starts_with(message::INVALID_ESCAPE)) return std::nullopt;
  return fault.error(fmt::format("{} means nothing in double quotes",
                                 quoted(fmt::format("\\{}", fault.words.back()))),
                     "use single quotes, or write the backslash twice");
}

}  // namespace

Error unclosed_at(char opening, Location at) {
  return config_error(
      fmt::format("this {} is not closed", quoted(std::string(1, opening))), std::move(at),
      fmt::format("add the {} that ends it", quoted(std::string(1, ending_of(opening)))));
}

Error yaml_problem(const YAML::Exception& error, const SourceLines& lines) {
  const Fault fault{error.msg, lines, error.mark.line, error.mark.column};
  if (fault.line >= 0) {
    for (const auto explain :
         {tab, not_closed, map_value, wrong_indentation, misplaced, alias, escape}) {
      if (std::optional<Error> problem = explain(fault)) return *std::move(problem);
    }
  }
  return config_error(fmt::format("this is not valid YAML: {}", error.msg),
                      lines.place(fault.line, fault.column));
}

}  // namespace pinwheel::matrix
