#include "matrix/template.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "matrix/axis_value.h"
#include "matrix/config_error.h"

namespace pinwheel::matrix {
namespace {

/// The value of a placeholder, if it is one of this axis or attribute.
std::optional<std::string> value_from(const std::string& axis, const std::string& value,
                                      const std::string& declared_label, std::string_view name) {
  if (name == axis) return value;
  if (name.starts_with(axis) && name.substr(axis.size()) == ".nodot") {
    return replace_all(value, ".", "");
  }
  if (axis != "compute") return std::nullopt;
  if (name == "compute.family") return split_compute(value).family;
  if (name == "compute.version") return split_compute(value).version;
  if (name == "compute.label" || name == "label") {
    return declared_label.empty() ? compute_label(value) : declared_label;
  }
  return std::nullopt;
}

std::vector<std::string> known_placeholders(const Variant& variant, Placeholders placeholders) {
  std::vector<std::string> known;
  for (const auto* pairs : {&variant.axes, &variant.attributes}) {
    for (const auto& [name, value] : *pairs) {
      known.insert(known.end(), {name, name + ".nodot"});
      if (name != "compute") continue;
      known.insert(known.end(), {"compute.family", "compute.version", "compute.label", "label"});
    }
  }
  if (placeholders == Placeholders::variant_and_plan) {
    known.insert(known.end(), kPlanPlaceholders.begin(), kPlanPlaceholders.end());
  }
  return known;
}

Result<std::string> value_of(std::string_view name, const Variant& variant, const Location& at,
                             Placeholders placeholders) {
  for (const auto* pairs : {&variant.axes, &variant.attributes}) {
    for (const auto& [axis, value] : *pairs) {
      std::optional<std::string> found = value_from(axis, value, variant.declared_label, name);
      if (found) return *std::move(found);
    }
  }
  const bool of_plan = placeholders == Placeholders::variant_and_plan &&
                       std::ranges::find(kPlanPlaceholders, name) != kPlanPlaceholders.end();
  if (of_plan) return fmt::format("{{{}}}", name);
  return fail(
      config_error(fmt::format("unknown placeholder {}", quoted(fmt::format("{{{}}}", name))), at,
                   suggest(std::string(name), known_placeholders(variant, placeholders))));
}

Result<std::string> fill(std::string_view text, const Variant& variant, const Location& at,
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
        value_of(text.substr(i + 1, close - i - 1), variant, at, placeholders));
    out += value;
    i = close;
  }
  return out;
}

}  // namespace

Result<std::string> expand_template(std::string_view text, const Variant& variant,
                                    const Location& at, Placeholders placeholders) {
  if (text.find_first_of("{}") == std::string_view::npos) return std::string(text);
  return fill(text, variant, at, placeholders);
}

Done check_template(std::string_view text, const std::vector<std::string>& names,
                    const Location& at, Placeholders placeholders) {
  Variant any;
  for (const std::string& name : names) any.axes.emplace_back(name, "");
  TRY_DONE(fill(text, any, at, placeholders));
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
