#include "matrix/schema.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/url.h"
#include "pep/name.h"
#include "pep/requirement.h"
#include "pep/version.h"

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

/// A field of cron: its range, and the names for numbers from `first` on.
struct CronField {
  int first = 0;
  int last = 0;
  std::string_view names = {};
};
constexpr std::array<CronField, 5> kCronFields = {
    {{0, 59},
     {0, 23},
     {1, 31},
     {1, 12, "jan feb mar apr may jun jul aug sep oct nov dec"},
     {0, 6, "sun mon tue wed thu fri sat"}}};

std::optional<int> cron_number(std::string_view text, const CronField& field) {
  const std::vector<std::string> names = split(field.names, ' ');
  const auto name = std::find(names.begin(), names.end(), to_lower(text));
  if (!text.empty() && name != names.end()) {
    return field.first + static_cast<int>(name - names.begin());
  }
  if (!all_of(text, is_digit) || text.size() > 2) return std::nullopt;
  const int number = std::stoi(std::string(text));
  if (number < field.first || number > field.last) return std::nullopt;
  return number;
}

/// "*", "5", "1-5", each optionally with "/2".
bool is_cron_part(std::string_view part, const CronField& field) {
  const size_t slash = part.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view step = part.substr(slash + 1);
    if (!all_of(step, is_digit) || step.size() > 2 || step.find_first_not_of('0') == step.npos) {
      return false;
    }
    part = part.substr(0, slash);
  }
  if (part == "*") return true;
  const size_t dash = part.find('-');
  const std::optional<int> first = cron_number(part.substr(0, dash), field);
  if (dash == std::string_view::npos) return first.has_value();
  const std::optional<int> last = cron_number(part.substr(dash + 1), field);
  return first && last && *first <= *last;
}

bool is_cron(std::string_view text) {
  const std::vector<std::string> fields = split(text, ' ');
  if (fields.size() != kCronFields.size()) return false;
  for (size_t i = 0; i < fields.size(); ++i) {
    for (const std::string& part : split(fields[i], ',')) {
      if (!is_cron_part(part, kCronFields.at(i))) return false;
    }
  }
  return true;
}

bool is_dependency(std::string_view text) {
  return pep::parse_requirement(text).has_value();
}

/// Whether the text is a torch spec. Options come first, as in pip.
bool is_torch_spec(std::string_view text) {
  std::string_view rest = trim(text);
  while (rest.starts_with("--")) {
    const size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return false;
    rest = trim(rest.substr(blank));
  }
  const auto requirement = pep::parse_requirement(rest);
  return requirement && pep::normalize_name(requirement->name) == "torch";
}

bool is_url(std::string_view text) {
  const std::optional<UrlParts> parts = split_url(text);
  const bool visible =
      std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c != 0x7f; });
  return visible && parts && (parts->scheme == "file" || !parts->host.empty());
}

bool is_image(std::string_view text) {
  return !text.starts_with('-') &&
         all_of(text, [](char c) { return is_name(c) || c == '/' || c == ':' || c == '@'; });
}

/// Identifiers between the separators.
bool is_path_of_names(std::string_view text, std::string_view separator) {
  const std::vector<std::string> parts =
      split(replace_all(std::string(text), separator, "\n"), '\n');
  return std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
    return !part.empty() && !is_digit(part[0]) && all_of(part, [](char c) {
      return is_alphanumeric(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
    });
  });
}

/// "demo::sum", optionally with the name of an overload: "demo::sum.out".
bool is_operator(std::string_view text) {
  const size_t colons = text.find("::");
  return colons != std::string_view::npos && is_path_of_names(text.substr(0, colons), "::") &&
         is_path_of_names(text.substr(colons + 2), ".");
}

/// The text with a letter in place of each placeholder.
std::string without_placeholders(std::string_view text) {
  std::string out;
  bool inside = false;
  for (const char c : text) {
    if (c == '{') out += 'x';
    inside = (inside || c == '{') && c != '}';
    if (!inside && c != '}') out += c;
  }
  return out;
}

bool is_local_label(std::string_view text) {
  return pep::parse_version("1+" + without_placeholders(text)).has_value();
}

bool has_text_format(Format format, std::string_view text) {
  switch (format) {
    case Format::dependency:
      return is_dependency(text);
    case Format::torch_spec:
      return is_torch_spec(text);
    case Format::url:
      return is_url(text);
    case Format::image:
      return is_image(text);
    case Format::module:
      return is_path_of_names(text, ".");
    case Format::operator_name:
      return is_operator(text);
    default:
      return false;
  }
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
    case Format::dependency:
    case Format::torch_spec:
    case Format::url:
    case Format::image:
    case Format::module:
    case Format::operator_name:
      return text.find('{') != std::string_view::npos || has_text_format(format, text);
    case Format::distribution:
      return pep::is_valid_name(without_placeholders(text));
    case Format::local_label:
      return is_local_label(text);
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
    case Format::dependency:
      return "a requirement such as `numpy>=2`";
    case Format::torch_spec:
      return "a requirement on torch such as `torch~=2.13.0`";
    case Format::url:
      return "a URL such as `https://example.org/simple/`";
    case Format::image:
      return "an image such as `debian:12`";
    case Format::module:
      return "a module such as `torch.utils`";
    case Format::operator_name:
      return "an operator such as `demo::sum`";
    case Format::distribution:
      return "the name of a project such as `{name}-nightly`";
    case Format::local_label:
      return "letters and digits with `.` between them, such as `pt{torch.nodot}`";
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
