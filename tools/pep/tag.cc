#include "pep/tag.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace pinwheel::pep {
namespace {

bool is_tag_part(const std::string& part) {
  return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

struct OldName {
  std::string_view prefix;
  int minor;
};
constexpr std::array<OldName, 3> kOldNames = {
    {{"manylinux1_", 5}, {"manylinux2010_", 12}, {"manylinux2014_", 17}}};

/// Consumes "28_" from the front.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const std::from_chars_result read =
      std::from_chars(text.data(), text.data() + text.size(), number);
  const size_t length = static_cast<size_t>(read.ptr - text.data());
  if (read.ec != std::errc() || number < 0 || length >= text.size() || text[length] != '_') {
    return std::nullopt;
  }
  text.remove_prefix(length + 1);
  return number;
}

}  // namespace

Result<TagSet> parse_tags(std::string_view text) {
  const std::vector<std::string> parts = split(to_lower(text), '-');
  const std::string hint =
      "write it as python-abi-platform, e.g. cp312-cp312-manylinux_2_28_x86_64";
  if (parts.size() != 3) {
    return fail(ErrorKind::config, quoted(text) + " is not a compatibility tag", hint);
  }
  const TagSet tags{split(parts[0], '.'), split(parts[1], '.'), split(parts[2], '.')};
  for (const std::vector<std::string>* list : {&tags.python, &tags.abi, &tags.platform}) {
    if (!std::all_of(list->begin(), list->end(), is_tag_part)) {
      return fail(ErrorKind::config, quoted(text) + " is not a compatibility tag", hint);
    }
  }
  return tags;
}

std::string to_string(const TagSet& tags) {
  return join(tags.python, ".") + "-" + join(tags.abi, ".") + "-" + join(tags.platform, ".");
}

std::string to_string(const Tag& tag) {
  return tag.python + "-" + tag.abi + "-" + tag.platform;
}

std::vector<Tag> expand(const TagSet& tags) {
  std::vector<Tag> all;
  for (const std::string& python : tags.python) {
    for (const std::string& abi : tags.abi) {
      for (const std::string& platform : tags.platform) all.push_back({python, abi, platform});
    }
  }
  return all;
}

std::optional<LinuxPolicy> parse_linux_policy(std::string_view platform) {
  for (const OldName& old : kOldNames) {
    if (!platform.starts_with(old.prefix)) continue;
    const std::string_view arch = platform.substr(old.prefix.size());
    if (arch.empty()) return std::nullopt;
    return LinuxPolicy{Libc::glibc, 2, old.minor, std::string(arch)};
  }
  LinuxPolicy policy;
  std::string_view rest = platform;
  constexpr std::string_view kMany = "manylinux_";
  constexpr std::string_view kMusl = "musllinux_";
  if (!rest.starts_with(kMany) && !rest.starts_with(kMusl)) return std::nullopt;
  policy.libc = rest.starts_with(kMusl) ? Libc::musl : Libc::glibc;
  rest.remove_prefix(kMany.size());
  const std::optional<int> major = take_number(rest);
  const std::optional<int> minor = major ? take_number(rest) : std::nullopt;
  if (!minor || rest.empty()) return std::nullopt;
  policy.major = *major;
  policy.minor = *minor;
  policy.arch = std::string(rest);
  return policy;
}

std::string to_string(const LinuxPolicy& policy) {
  const std::string family = policy.libc == Libc::glibc ? "manylinux_" : "musllinux_";
  return family + std::to_string(policy.major) + "_" + std::to_string(policy.minor) + "_" +
         policy.arch;
}

}  // namespace pinwheel::pep
