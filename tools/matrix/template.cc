#include "matrix/template.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "matrix/axis_value.h"

namespace pinwheel::matrix {
namespace {

/// Every placeholder that has a value for the variant, with its value.
std::vector<std::pair<std::string, std::string>> values_for(const Variant& variant) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto* pairs : {&variant.axes, &variant.attributes}) {
    for (const auto& [name, value] : *pairs) {
      values.emplace_back(name, value);
      values.emplace_back(name + ".nodot", replace_all(value, ".", ""));
      if (name != "compute") continue;
      const Compute compute = split_compute(value);
      values.emplace_back("compute.family", compute.family);
      values.emplace_back("compute.version", compute.version);
      values.emplace_back("compute.label", compute_label(value));
      values.emplace_back("label", compute_label(value));
    }
  }
  return values;
}

Result<std::string> value_of(const std::string& name, const Variant& variant, const Location& at,
                             Placeholders placeholders) {
  const bool for_plan = placeholders == Placeholders::variant_and_plan;
  if (for_plan && std::find(kPlanPlaceholders.begin(), kPlanPlaceholders.end(), name) !=
                      kPlanPlaceholders.end()) {
    return "{" + name + "}";
  }
  std::vector<std::string> known;
  for (auto& [key, value] : values_for(variant)) {
    if (key == name) return value;
    known.push_back(key);
  }
  if (for_plan) known.insert(known.end(), kPlanPlaceholders.begin(), kPlanPlaceholders.end());
  return fail(Error{ErrorKind::config,
                    fmt::format("unknown placeholder `{{{}}}`", name),
                    at,
                    suggest(name, known),
                    {}});
}

}  // namespace

Result<std::string> expand_template(std::string_view text, const Variant& variant,
                                    const Location& at, Placeholders placeholders) {
  const bool keep_escapes = placeholders == Placeholders::variant_and_plan;
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '{' && c != '}') {
      out += c;
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == c) {
      out.append(keep_escapes ? 2 : 1, c);
      ++i;
      continue;
    }
    const size_t close = c == '{' ? text.find('}', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      return fail(Error{ErrorKind::config,
                        fmt::format("`{}` has a brace without its other half", text),
                        at,
                        "`{{` and `}}` stand for braces",
                        {}});
    }
    TRY(const std::string value,
        value_of(std::string(text.substr(i + 1, close - i - 1)), variant, at, placeholders));
    out += value;
    i = close;
  }
  return out;
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
