#include "matrix/schema.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <string>
#include <vector>

#include "base/text.h"

namespace pinwheel::matrix {
namespace {

bool all_of(std::string_view text, bool (*allowed)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
}

bool is_boolean(std::string_view text) {
  return text == "true" || text == "false";
}

constexpr std::string_view kElseVersion = " else version";

/// "limited(3.10)" for the word `limited`.
bool is_call_of(std::string_view word, std::string_view text) {
  if (!text.starts_with(word) || !text.ends_with(')')) return false;
  text.remove_prefix(word.size());
  if (!text.starts_with('(')) return false;
  const std::string_view version = text.substr(1, text.size() - 2);
  const size_t dot = version.find('.');
  return dot != std::string_view::npos && all_of(version.substr(0, dot), is_digit) &&
         all_of(version.substr(dot + 1), is_digit);
}

/// A plain number and a unit; not `1e3` or `inf`.
bool is_quantity(std::string_view text) {
  const size_t unit = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view rest = text.substr(unit);
  return unit > 0 && is_digit(text[0]) && is_digit(text[unit - 1]) &&
         std::none_of(rest.begin(), rest.end(), is_digit);
}

bool is_bytes(std::string_view text) {
  return is_quantity(text) && parse_bytes(text).value_or(0) > 0;
}

bool is_duration(std::string_view text) {
  return is_quantity(text) && to_lower(text) == text &&
         parse_duration(text).value_or(std::chrono::milliseconds(0)).count() > 0;
}

bool is_backoff(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return false;
  const std::string_view first = text.substr(0, dots);
  const std::string_view longest = text.substr(dots + 2);
  return is_duration(first) && is_duration(longest) &&
         *parse_duration(first) <= *parse_duration(longest);
}

bool is_requirement(std::string_view text) {
  const size_t equals = text.find("==");
  return equals != std::string_view::npos && all_of(text.substr(0, equals), is_name) &&
         all_of(text.substr(equals + 2), [](char c) { return is_name(c) || c == '+' || c == '!'; });
}

/// An absolute path without spaces.
bool is_device(std::string_view text) {
  return text.size() > 1 && text[0] == '/' && text.find(' ') == std::string_view::npos;
}

/// Five fields of digits, names and `*,-/`; their ranges are GitHub's to judge.
bool is_cron(std::string_view text) {
  const std::vector<std::string> fields = split(text, ' ');
  return fields.size() == 5 && std::all_of(fields.begin(), fields.end(), [](const auto& field) {
           return all_of(field, [](char c) {
             return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '*' || c == ',' ||
                    c == '-' || c == '/';
           });
         });
}

}  // namespace

bool has_format(Format format, std::string_view text) {
  switch (format) {
    case Format::text:
    case Format::scalar:
      return !text.empty();
    case Format::name:
      return all_of(text, is_name);
    case Format::boolean:
      return is_boolean(text);
    case Format::count:
      return all_of(text, is_digit) && text.size() <= 2;
    case Format::bytes:
      return is_bytes(text);
    case Format::duration:
      return is_duration(text);
    case Format::backoff:
      return is_backoff(text);
    case Format::python_abi:
      return text == "none" || text == "version" ||
             is_call_of("limited", text.ends_with(kElseVersion)
                                       ? text.substr(0, text.size() - kElseVersion.size())
                                       : text);
    case Format::torch_abi:
      return text == "none" || text == "minor" || is_call_of("stable", text);
    case Format::requirement:
      return is_requirement(text);
    case Format::hardware:
      return text == "none" || text == "gpu" || is_device(text);
    case Format::cron:
      return is_cron(text);
  }
  return false;
}

std::string_view describe(Format format) {
  switch (format) {
    case Format::text:
      return "text";
    case Format::scalar:
      return "text or a boolean";
    case Format::name:
      return "a name made of letters, digits, `.`, `_` and `-`";
    case Format::boolean:
      return "`true` or `false`";
    case Format::count:
      return "a whole number from 0 to 99";
    case Format::bytes:
      return "a nonzero size such as `100 MB`";
    case Format::duration:
      return "a nonzero duration such as `90 min`";
    case Format::backoff:
      return "a range of durations, shorter first, such as `5s..2m`";
    case Format::python_abi:
      return "`none`, `limited(3.10)`, `limited(3.10) else version` or `version`";
    case Format::torch_abi:
      return "`none`, `stable(2.10)` or `minor`";
    case Format::requirement:
      return "a requirement such as `torch-scatter==2.1.2`";
    case Format::hardware:
      return "`none`, `gpu` or the path of a device such as `/dev/accel0`";
    case Format::cron:
      return "five fields of cron such as `17 3 * * *`";
  }
  return "";
}

Shape patch_of(const Shape& shape) {
  Shape patch = shape;
  if (shape.kind != Shape::Kind::mapping) return patch;
  patch.keys.clear();
  patch.exactly_one_of.clear();
  for (const Key& key : shape.keys) {
    patch.keys.push_back({key.name, patch_of(key.shape), key.about, Need::optional});
    if (key.shape.kind == Shape::Kind::list) {
      patch.keys.push_back({"+" + key.name, key.shape, "appended: " + key.about, Need::optional});
    }
  }
  return patch;
}

}  // namespace pinwheel::matrix
