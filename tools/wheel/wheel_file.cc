#include "wheel/wheel_file.h"

#include <algorithm>

#include "base/text.h"

namespace pinwheel::wheel {

Result<WheelFile> parse_wheel_file(std::string_view text) {
  WheelFile file;
  TRY(file.block, parse_headers(text, "WHEEL"));
  if (split(file.wheel_version(), '.').front() != "1") {
    return fail(ErrorKind::check, "WHEEL has the unknown version " + quoted(file.wheel_version()),
                "only version 1.0 is supported");
  }
  const std::string purelib = to_lower(file.block.get("Root-Is-Purelib").value_or(""));
  if (purelib != "true" && purelib != "false") {
    return fail(ErrorKind::check,
                "WHEEL has no valid `Root-Is-Purelib`, which must be true or false");
  }
  file.root = purelib == "true" ? RootIs::purelib : RootIs::platlib;
  if (file.tags().empty()) return fail(ErrorKind::check, "WHEEL has no `Tag` line");
  return file;
}

void set_tags(WheelFile& file, const std::vector<std::string>& tags) {
  std::vector<Header>& headers = file.block.headers;
  const auto is_tag = [](const Header& header) { return to_lower(header.name) == "tag"; };
  const auto first = std::find_if(headers.begin(), headers.end(), is_tag);
  const std::ptrdiff_t place = first - headers.begin();
  headers.erase(std::remove_if(headers.begin(), headers.end(), is_tag), headers.end());
  std::vector<Header> lines;
  lines.reserve(tags.size());
  for (const std::string& tag : tags) lines.push_back({"Tag", tag});
  headers.insert(headers.begin() + place, lines.begin(), lines.end());
}

std::string to_string(const WheelFile& file) {
  return to_string(file.block);
}

}  // namespace pinwheel::wheel
