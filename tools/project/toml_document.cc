#include "project/toml_document.h"

#include <fmt/format.h>

#include <utility>

#include "base/read_toml.h"
#include "base/text.h"

namespace pinwheel::project {

Result<toml::table> parse_toml(std::string_view text, const std::string& file) {
  const auto broken = [&file](int line, std::string what) {
    return fail(Error{ErrorKind::config, std::move(what), Location{file, line, 0, {}}});
  };
  tl::expected<toml::table, TomlFault> document = read_toml(text);
  if (document) return *std::move(document);
  const TomlFault& fault = document.error();
  return broken(fault.line, fault.line > 0
                                ? fmt::format("invalid TOML: {}", fault.what)
                                : fmt::format("{} {}", quoted(last_part(file)), fault.what));
}

std::optional<std::string> toml_text(const toml::table& table, std::string_view path) {
  return table.at_path(path).value_exact<std::string>();
}

std::vector<std::string> toml_texts(const toml::table& table, std::string_view path) {
  const auto found = table.at_path(path);
  if (const auto text = found.value_exact<std::string>()) return {*text};
  std::vector<std::string> texts;
  if (const toml::array* const list = found.as_array()) {
    for (const toml::node& each : *list) {
      if (const auto text = each.value_exact<std::string>()) texts.push_back(*text);
    }
  }
  return texts;
}

bool toml_flag(const toml::table& table, std::string_view path) {
  return table.at_path(path).value_exact<bool>().value_or(false);
}

const toml::table* toml_table(const toml::table& table, std::string_view path) {
  return table.at_path(path).as_table();
}

}  // namespace pinwheel::project
