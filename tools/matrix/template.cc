#include "matrix/template.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "matrix/axis_value.h"
#include "matrix/config_error.h"

namespace pinwheel::matrix {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

/// Adds the placeholders of an axis or attribute, with their values.
void add_values(Values& values, const std::string& name, const std::string& value,
                const std::string& declared_label) {
  values.emplace_back(name, value);
  values.emplace_back(name + ".nodot", replace_all(value, ".", ""));
  if (name != "compute") return;
  const Compute compute = split_compute(value);
  values.emplace_back("compute.family", compute.family);
  values.emplace_back("compute.version", compute.version);
  const std::string label = declared_label.empty() ? compute_label(value) : declared_label;
  values.emplace_back("compute.label", label);
  values.emplace_back("label", label);
}

Result<std::string> value_of(const std::string& name, const Values& values, const Location& at,
                             Placeholders placeholders) {
  std::vector<std::string> known;
  for (const auto& [key, value] : values) {
    if (key == name) return value;
    known.push_back(key);
  }
  if (placeholders == Placeholders::variant_and_plan) {
    for (const std::string& key : kPlanPlaceholders) {
      if (key == name) return "{" + name + "}";
      known.push_back(key);
    }
  }
  return fail(
      config_error(fmt::format("unknown placeholder {}", quoted(fmt::format("{{{}}}", name))), at,
                   suggest(name, known)));
}

Result<std::string> fill(std::string_view text, const Values& values, const Location& at,
                         Placeholders placeholders) {
  const size_t braces = placeholders == Placeholders::variant_and_plan ? 2 : 1;
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '{' && c != '}') {
      out += c;
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == c) {
      out.append(braces, c);
      ++i;
      continue;
    }
    const size_t close = c == '{' ? text.find('}', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      return fail(config_error(fmt::format("{} has an unbalanced brace", quoted(text)), at,
                               "write `{{` and `}}` for literal braces"));
    }
    TRY(const std::string value,
        value_of(std::string(text.substr(i + 1, close - i - 1)), values, at, placeholders));
    out += value;
    i = close;
  }
  return out;
}

}  // namespace

Result<std::string> expand_template(std::string_view text, const Variant& variant,
                                    const Location& at, Placeholders placeholders) {
  if (text.find_first_of("{}") == std::string_view::npos) return std::string(text);
  Values values;
  for (const auto* pairs : {&variant.axes, &variant.attributes}) {
    for (const auto& [name, value] : *pairs) {
      add_values(values, name, value, variant.declared_label);
    }
  }
  return fill(text, values, at, placeholders);
}

Done check_template(std::string_view text, const std::vector<std::string>& names,
                    const Location& at, Placeholders placeholders) {
  Values values;
  for (const std::string& name : names) add_values(values, name, "", "");
  TRY_DONE(fill(text, values, at, placeholders));
  return {};
}

std::string fill_template(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool brace = c == '{' || c == '}';
    if (brace && i + 1 < text.size() && text[i + 1] == c) {
      out += c;
      ++i;
      continue;
    }
    const size_t close = c == '{' ? text.find('}', i) : std::string_view::npos;
    const auto value = close == std::string_view::npos
                           ? values.end()
                           : values.find(std::string(text.substr(i + 1, close - i - 1)));
    if (value == values.end()) {
      out += c;
      continue;
    }
    out += value->second;
    i = close;
  }
  return out;
}

}  // namespace pinwheel::matrix
