#include "inspect/search_path.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace pinwheel::inspect {
namespace {

using Parts = std::vector<std::string>;

Parts parts_of(std::string_view path) {
  Parts parts = split(path, '/');
  std::erase_if(parts, [](const std::string& part) { return part.empty() || part == "."; });
  return parts;
}

Parts directory_of(std::string_view installed) {
  Parts parts = parts_of(installed);
  if (!parts.empty()) parts.pop_back();
  return parts;
}

/// The directory that an entry resolves to; nullopt if it is above site-packages.
std::optional<Parts> follow(Parts from, const Parts& entry) {
  for (const std::string& part : entry) {
    if (part != "..") {
      from.push_back(part);
    } else if (from.empty()) {
      return std::nullopt;
    } else {
      from.pop_back();
    }
  }
  return from;
}

bool is_relative(std::string_view entry) {
  const std::string_view first = entry.substr(0, entry.find('/'));
  return first == "$ORIGIN" || first == "${ORIGIN}";
}

Parts after_origin(std::string_view entry) {
  Parts parts = parts_of(entry);
  parts.erase(parts.begin());
  return parts;
}

}  // namespace

std::string search_path_fault(std::string_view entry, std::string_view installed) {
  if (entry.empty()) return "is empty, which means the current directory";
  if (!is_relative(entry)) return "is not relative to $ORIGIN";
  if (!follow(directory_of(installed), after_origin(entry))) return "points outside site-packages";
  return "";
}

std::optional<std::string> searched_directory(std::string_view entry, std::string_view installed) {
  if (!is_relative(entry)) return std::nullopt;
  const std::optional<Parts> parts = follow(directory_of(installed), after_origin(entry));
  if (!parts) return std::nullopt;
  return join(*parts, "/");
}

std::string search_path_entry(std::string_view directory, std::string_view installed) {
  const Parts from = directory_of(installed);
  const Parts to = parts_of(directory);
  const auto differ = std::mismatch(from.begin(), from.end(), to.begin(), to.end());
  std::string entry = "$ORIGIN";
  for (auto up = differ.first; up != from.end(); ++up) entry += "/..";
  for (auto down = differ.second; down != to.end(); ++down) entry += "/" + *down;
  return entry;
}

}  // namespace pinwheel::inspect
