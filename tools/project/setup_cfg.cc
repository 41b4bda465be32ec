#include "project/setup_cfg.h"

#include "base/text.h"

namespace pinwheel::project {
namespace {

using IniSection = std::map<std::string, std::string>;  ///< lines joined by line breaks

bool is_ini_comment(std::string_view line) {
  return line.starts_with('#') || line.starts_with(';');
}

std::map<std::string, IniSection> read_ini(std::string_view text) {
  std::map<std::string, IniSection> sections;
  std::string section;
  std::string key;
  for (const std::string& raw : split(text, '\n')) {
    const std::string line(trim(raw));
    if (line.empty() || is_ini_comment(line)) continue;
    const bool goes_on = (raw[0] == ' ' || raw[0] == '\t') && !key.empty();
    const size_t separator = line.find_first_of("=:");
    if (goes_on) {
      sections[section][key] += "\n" + line;
    } else if (line.starts_with('[') && line.ends_with(']')) {
      section = line.substr(1, line.size() - 2);
      key.clear();
    } else if (separator != std::string::npos) {
      key = replace_all(to_lower(trim(line.substr(0, separator))), "-", "_");
      sections[section][key] = trim(line.substr(separator + 1));
    }
  }
  return sections;
}

/// The value itself; empty if it refers to another place.
std::string direct_value(const IniSection& section, const std::string& key) {
  const std::string value(trim(value_at(section, key)));
  return value.starts_with("attr:") || value.starts_with("file:") ? std::string() : value;
}

/// One item a line, or on one line separated by `;`.
std::vector<std::string> ini_list(const std::string& value) {
  std::vector<std::string> items;
  for (const std::string& item : split(value, value.find('\n') == std::string::npos ? ';' : '\n')) {
    const std::string_view word = trim(item);
    if (!word.empty() && !is_ini_comment(word)) items.emplace_back(word);
  }
  return items;
}

}  // namespace

SetupCfg parse_setup_cfg(std::string_view text) {
  std::map<std::string, IniSection> sections = read_ini(text);
  const IniSection& metadata = sections["metadata"];
  const IniSection& options = sections["options"];
  SetupCfg result;
  result.name = direct_value(metadata, "name");
  result.version = direct_value(metadata, "version");
  result.python_requires = direct_value(options, "python_requires");
  result.install_requires = ini_list(direct_value(options, "install_requires"));
  result.packages = options.contains("packages") || options.contains("py_modules");
  result.setup_requires = ini_list(direct_value(options, "setup_requires"));
  result.classifiers = ini_list(direct_value(metadata, "classifiers"));
  for (const auto& [extra, value] : sections["options.extras_require"]) {
    result.extras[extra] = ini_list(value);
  }
  for (const std::string& line : ini_list(direct_value(sections["build_ext"], "libraries"))) {
    for (const std::string& word : split(replace_all(line, ",", " "), ' ')) {
      if (!word.empty()) result.libraries.push_back(word);
    }
  }
  result.py_limited_api = direct_value(sections["bdist_wheel"], "py_limited_api");
  return result;
}

}  // namespace pinwheel::project
