#include "pep/wheel_name.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/text.h"
#include "pep/name.h"
#include "pep/wheel_variant.h"

namespace pinwheel::pep {
namespace {

tl::unexpected<Error> not_a_wheel(std::string_view filename, const std::string& why) {
  return fail(ErrorKind::config, quoted(filename) + " is not a wheel file name: " + why,
              "wheel names have the form name-version[-build]-python-abi-platform[-variant].whl");
}

std::optional<BuildTag> parse_build(const std::string& text) {
  BuildTag build;
  const std::from_chars_result read =
      std::from_chars(text.data(), text.data() + text.size(), build.number);
  if (read.ec != std::errc()) return std::nullopt;
  build.rest = text.substr(static_cast<size_t>(read.ptr - text.data()));
  return build;
}

/// In file names `-` separates parts (PEP 427), so a distribution may contain any other name
/// character.
bool is_file_name_part(const std::string& name) {
  return is_valid_name(name) && name.find('-') == std::string::npos &&
         name.find("__") == std::string::npos;
}

constexpr size_t kFewestParts = 5;

/// Whether the third of six or seven parts is a build tag: it begins with a digit, and a Python tag
/// with a letter, followed by a version ("py3").
bool is_build_tag(const std::string& part) {
  return (!part.empty() && is_digit(part.front())) ||
         std::none_of(part.begin(), part.end(), is_digit);
}

}  // namespace

std::optional<uint64_t> parse_build_number(std::string_view text) {
  constexpr size_t kMostDigits = 15;
  const bool digits = std::ranges::all_of(text, is_digit);
  if (!digits || text.empty() || text.size() > kMostDigits || text.front() == '0') {
    return std::nullopt;
  }
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Result<WheelName> parse_wheel_name(std::string_view filename) {
  constexpr std::string_view kSuffix = ".whl";
  if (!filename.ends_with(kSuffix)) return not_a_wheel(filename, "it does not end in .whl");
  const std::string stem(filename.substr(0, filename.size() - kSuffix.size()));
  const std::vector<std::string> parts = split(stem, '-');
  if (parts.size() < kFewestParts || parts.size() > kFewestParts + 2) {
    return not_a_wheel(filename, "it has " + plural(parts.size(), "part") + ", not 5 to 7");
  }
  WheelName name;
  name.distribution = parts[0];
  if (!is_file_name_part(name.distribution)) {
    return not_a_wheel(filename, quoted(parts[0]) + " cannot name a distribution");
  }
  Result<Version> version = parse_version(parts[1]);
  if (!version) return not_a_wheel(filename, version.error().message);
  name.version = *std::move(version);
  const bool has_build = parts.size() > kFewestParts && is_build_tag(parts[2]);
  if (has_build) {
    name.build = parse_build(parts[2]);
    if (!name.build) {
      return not_a_wheel(filename,
                         "the build tag " + quoted(parts[2]) + " does not begin with a number");
    }
  }
  const size_t first_tag = has_build ? 3 : 2;
  const size_t tags_end = first_tag + 3;
  if (parts.size() > tags_end) {
    name.variant = parts[tags_end];
    if (parts.size() > tags_end + 1 || !is_variant_label(name.variant)) {
      return not_a_wheel(filename, quoted(name.variant) + " is not the label of a wheel variant");
    }
  }
  Result<TagSet> tags =
      parse_tags(parts[first_tag] + "-" + parts[first_tag + 1] + "-" + parts[first_tag + 2]);
  if (!tags) return not_a_wheel(filename, tags.error().message);
  name.tags = *std::move(tags);
  return name;
}

std::string to_string(const WheelName& name) {
  std::string text = escape_name(name.distribution) + "-" + to_string(name.version) + "-";
  if (name.build) text += std::to_string(name.build->number) + name.build->rest + "-";
  text += to_string(name.tags);
  if (!name.variant.empty()) text += "-" + name.variant;
  return text + ".whl";
}

Result<SdistName> parse_sdist_name(std::string_view filename) {
  const std::string hint = "sdist names have the form name-version.tar.gz";
  std::string_view stem = filename;
  for (const std::string_view suffix : {".tar.gz", ".zip"}) {
    if (filename.ends_with(suffix)) stem = filename.substr(0, filename.size() - suffix.size());
  }
  const size_t dash = stem.rfind('-');
  if (stem.size() == filename.size() || dash == std::string_view::npos) {
    return fail(ErrorKind::config, quoted(filename) + " is not an sdist file name", hint);
  }
  const std::string distribution(stem.substr(0, dash));
  const Result<Version> version = parse_version(stem.substr(dash + 1));
  if (!is_valid_name(distribution) || !version) {
    return fail(ErrorKind::config, quoted(filename) + " is not an sdist file name", hint);
  }
  return SdistName{distribution, *version};
}

std::string to_string(const SdistName& name) {
  return escape_name(name.distribution) + "-" + to_string(name.version) + ".tar.gz";
}

}  // namespace pinwheel::pep
