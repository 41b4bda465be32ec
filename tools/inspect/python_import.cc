#include "inspect/python_import.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"

namespace pinwheel::inspect {
namespace {

/// Whether the line is `import torch...` or `from torch... import ...`.
bool is_import(std::string_view line, std::string_view module) {
  for (const std::string_view word : {"import ", "from "}) {
    if (!line.starts_with(word)) continue;
    const std::string_view rest = trim(line.substr(word.size()));
    if (!rest.starts_with(module)) return false;
    const std::string_view after = rest.substr(module.size());
    return after.empty() || !(is_alphanumeric(after.front()) || after.front() == '_');
  }
  return false;
}

size_t count_of(std::string_view text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + what.size())) {
    ++count;
  }
  return count;
}

}  // namespace

bool is_top_module(std::string_view member) {
  const auto slashes = std::count(member.begin(), member.end(), '/');
  if (slashes == 0) return member.ends_with(".py");
  return slashes == 1 && member.ends_with("/__init__.py");
}

bool is_path_file(std::string_view member) {
  return member.ends_with(".pth") && member.find('/') == std::string_view::npos;
}

bool is_editable(std::string_view path_file) {
  const std::vector<std::string> lines = split(path_file, '\n');
  return std::any_of(lines.begin(), lines.end(), [](const std::string& each) {
    const std::string line(trim(each));
    if (line.starts_with("import ") || line.starts_with("import\t")) {
      return to_lower(line).find("editable") != std::string::npos;
    }
    const bool drive = line.size() > 2 && line[1] == ':' && (line[2] == '\\' || line[2] == '/');
    return line.starts_with('/') || drive;
  });
}

bool imports_module(std::string_view source, std::string_view module) {
  bool inside = false;
  for (size_t at = 0; at < source.size();) {
    const size_t end = std::min(source.find('\n', at), source.size());
    const std::string_view line = source.substr(at, end - at);
    at = end + 1;
    if (!inside && is_import(line, module)) return true;
    const size_t quotes = count_of(line, "\"\"\"") + count_of(line, "'''");
    if (quotes % 2 != 0) inside = !inside;
  }
  return false;
}

bool opens_libraries(std::string_view source) {
  constexpr std::array<std::string_view, 5> kNames = {"CDLL", "PyDLL", "LoadLibrary",
                                                      "load_library", "dlopen"};
  return std::any_of(kNames.begin(), kNames.end(), [source](std::string_view name) {
    return source.find(name) != std::string_view::npos;
  });
}

}  // namespace pinwheel::inspect
