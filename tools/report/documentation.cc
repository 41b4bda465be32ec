#include "report/documentation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/fit_text.h"
#include "base/text.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

constexpr std::string_view kMatrixPage = "matrix";

/// A section of a page, from its heading to the next.
struct Section {
  std::string title;  ///< "Exit codes"
  std::string_view text;
};

/// The text without HTML comments, which are for tools.
std::string for_people(std::string_view text) {
  std::string out;
  for (size_t at = text.find("<!--"); at != std::string_view::npos; at = text.find("<!--")) {
    out += text.substr(0, at);
    const size_t end = text.find("-->", at);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 3);
    if (text.starts_with("\n")) text.remove_prefix(1);
  }
  return out.append(text);
}

std::vector<Section> sections_of(std::string_view page) {
  std::vector<Section> sections;
  size_t at = page.find("\n## ");
  while (at != std::string_view::npos) {
    const size_t next = page.find("\n## ", at + 1);
    const std::string_view text =
        page.substr(at + 1, next == std::string_view::npos ? next : next - at);
    sections.push_back({std::string(trim(text.substr(3, text.find('\n') - 3))), text});
    at = next;
  }
  return sections;
}

/// "exit-codes", "attributes-exclude-and-include": the end of the section's address on the page.
std::string slug_of(const std::string& title) {
  std::string slug;
  for (const char c : to_lower(title)) {
    if (is_alphanumeric(c) || c == '-' || c == '_') slug += c;
    if (c == ' ') slug += '-';
  }
  return slug;
}

/// The names in back-ticks of a heading, for a section about keys.
std::vector<std::string> keys_in_title(const std::string& title) {
  std::vector<std::string> names;
  const std::vector<std::string> parts = split(title, '`');
  for (size_t i = 1; i < parts.size(); i += 2) names.push_back(parts[i]);
  return names;
}

std::optional<DocumentedKey> key_in_row(std::string_view line) {
  if (!line.starts_with("| `")) return std::nullopt;
  const std::vector<std::string> cells = split(replace_all(std::string(line), "\\|", "\x01"), '|');
  if (cells.size() != 6) return std::nullopt;
  const auto cell = [&](size_t i) { return replace_all(std::string(trim(cells[i])), "\x01", "|"); };
  return DocumentedKey{replace_all(cell(1), "`", ""), cell(2), cell(3), cell(4)};
}

/// The blocks of YAML in a text.
std::vector<std::string> examples_in(std::string_view text) {
  constexpr std::string_view kBegin = "```yaml\n";
  std::vector<std::string> blocks;
  for (size_t at = text.find(kBegin); at != text.npos; at = text.find(kBegin, at)) {
    at += kBegin.size();
    blocks.emplace_back(text.substr(at, text.find("```", at) - at));
  }
  return blocks;
}

/// Whether a block of YAML has a key of that name.
bool has_key(const std::string& block, const std::string& name) {
  const std::string key = name + ":";
  for (size_t at = block.find(key); at != block.npos; at = block.find(key, at + 1)) {
    const char before = at == 0 ? '\n' : block[at - 1];
    if (!is_alphanumeric(before) && before != '-' && before != '_' && before != '.') return true;
  }
  return false;
}

/// An example of a key: from its own section if there is one, else from another. Free names have
/// the examples of their section.
std::string example_of(const std::string& key, std::string_view section, std::string_view page) {
  const std::string name(key.substr(key.rfind('.') + 1));
  const std::vector<std::string> own = examples_in(section);
  for (const std::vector<std::string>& blocks : {own, examples_in(page)}) {
    for (const std::string& block : blocks) {
      if (has_key(block, name)) return block;
    }
  }
  return own.empty() ? std::string() : own.front();
}

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : split(trim(text), '\n')) {
    out += line.empty() ? "\n" : fmt::format("    {}\n", line);
  }
  return out;
}

std::string key_text(const DocumentedKey& key, const std::string& example) {
  std::string out = fmt::format("{}\n\n  type     {}\n", key.name, key.type);
  if (!key.otherwise.empty()) out += fmt::format("  default  {}\n", key.otherwise);
  out += fmt::format("\n{}\n", key.meaning);
  return example.empty() ? out : out + "\nexample:\n\n" + indented(example);
}

/// Subjects and their texts: pages, sections, keys.
class Library {
 public:
  explicit Library(const std::vector<Document>& documents) : documents_(documents) {}

  std::optional<std::string> find(const std::string& subject) const {
    for (const Document& page : documents_) {
      if (subject == page.name) return for_people(page.text);
      for (const Section& section : sections_of(page.text)) {
        if (subject == name_of(page, section)) return for_people(section.text);
      }
    }
    return find_key(subject);
  }

  std::vector<std::string> subjects() const {
    std::vector<std::string> names;
    for (const Document& page : documents_) {
      names.push_back(page.name);
      for (const Section& section : sections_of(page.text)) names.push_back(name_of(page, section));
    }
    for (const DocumentedKey& key : documented_keys(matrix_page(documents_)))
      names.push_back(key.name);
    return names;
  }

  std::string index(size_t width) const {
    std::string out = "`pinwheel docs SUBJECT` prints one of these.\n";
    for (const Document& page : documents_) {
      std::vector<std::vector<std::string>> rows = {{page.name, title_of(page)}};
      for (const Section& section : sections_of(page.text)) {
        if (keys_in_title(section.title).empty() || page.name != kMatrixPage) {
          rows.push_back({name_of(page, section), section.title});
        }
      }
      out += "\n" + align_columns(rows, width);
    }
    std::vector<std::vector<std::string>> rows = {{"keys of the matrix file", "type"}};
    for (const DocumentedKey& key : documented_keys(matrix_page(documents_))) {
      rows.push_back({key.name, key.type});
    }
    return out + "\n" + align_columns(rows, width);
  }

 private:
  static std::string name_of(const Document& page, const Section& section) {
    return page.name + "." + slug_of(section.title);
  }
  static std::string title_of(const Document& page) {
    return std::string(trim(page.text.substr(1, page.text.find('\n') - 1)));
  }

  std::optional<std::string> find_key(const std::string& subject) const {
    const std::string first = subject.substr(0, subject.find('.'));
    std::string_view section;
    for (const Section& each : sections_of(matrix_page(documents_))) {
      const std::vector<std::string> names = keys_in_title(each.title);
      if (std::find(names.begin(), names.end(), first) != names.end()) section = each.text;
    }
    if (!section.empty() && subject == first) return for_people(section);
    for (const DocumentedKey& key : documented_keys(matrix_page(documents_))) {
      if (key.name == subject)
        return key_text(key, example_of(subject, section, matrix_page(documents_)));
    }
    return std::nullopt;
  }

  const std::vector<Document>& documents_;
};

}  // namespace

std::string_view matrix_page(const std::vector<Document>& documents) {
  for (const Document& page : documents) {
    if (page.name == kMatrixPage) return page.text;
  }
  return {};
}

std::vector<DocumentedKey> documented_keys(std::string_view matrix_page) {
  std::vector<DocumentedKey> keys;
  for (const std::string& line : split(matrix_page, '\n')) {
    if (line.starts_with("## ")) {
      for (const std::string& name : keys_in_title(line)) keys.push_back({name, "section", "", ""});
    }
    std::optional<DocumentedKey> key = key_in_row(line);
    if (!key || key->name == "key") continue;
    // A section with a row of its own, such as `exclude`, is listed once.
    const auto known = std::find_if(keys.begin(), keys.end(), [&](const DocumentedKey& other) {
      return other.name == key->name;
    });
    if (known == keys.end()) {
      keys.push_back(*std::move(key));
    } else {
      *known = *std::move(key);
    }
  }
  return keys;
}

std::vector<std::string> documented_subjects(const std::vector<Document>& documents) {
  return Library(documents).subjects();
}

Result<std::string> documentation(const std::vector<Document>& documents,
                                  const std::string& subject, size_t width) {
  const Library library(documents);
  if (subject.empty()) return library.index(width);
  if (std::optional<std::string> found = library.find(subject)) return *std::move(found);
  const std::optional<std::string> close = nearest(subject, library.subjects());
  return fail(ErrorKind::usage, fmt::format("there is no documentation of {}", quoted(subject)),
              close ? fmt::format("did you mean {}?", quoted(*close))
                    : "`pinwheel docs` lists the subjects");
}

namespace {

using MarkdownRow = std::vector<std::string>;

/// The cells of "| a | b |"; `\|` is a character of a cell.
MarkdownRow cells_of(std::string_view line) {
  line.remove_prefix(1);
  MarkdownRow cells(1);
  for (size_t at = 0; at < line.size(); ++at) {
    if (line.substr(at, 2) == "\\|") {
      cells.back() += line[++at];
    } else if (line[at] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[at];
    }
  }
  if (trim(cells.back()).empty()) cells.pop_back();
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

bool is_rule(std::string_view line) {
  return line.find_first_not_of("|-: ") == std::string_view::npos;
}

}  // namespace

std::string fit_markdown(std::string_view text, size_t width) {
  if (width == 0) return std::string(text);
  std::string out;
  std::vector<MarkdownRow> table;
  bool code = false;
  std::vector<std::string> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  lines.emplace_back();  // ends a table
  for (const std::string& line : lines) {
    if (line.starts_with("```")) code = !code;
    if (!code && line.starts_with('|')) {
      if (!is_rule(line)) table.push_back(cells_of(line));
      continue;
    }
    if (!table.empty()) out += align_columns(table, width);
    table.clear();
    const bool as_it_is =
        code || line.starts_with("    ") || line.starts_with("```") || columns_of(line) <= width;
    const bool point = line.starts_with("- ") || line.starts_with(' ');
    out += (as_it_is ? line
            : point  ? fit_lines(line, width)
                     : join(wrap_words(line, width), "\n")) +
           "\n";
  }
  out.pop_back();
  return out;
}

}  // namespace pinwheel::report
