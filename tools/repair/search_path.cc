#include "repair/search_path.h"

#include <algorithm>

#include "base/text.h"
#include "inspect/search_path.h"

namespace pinwheel::repair {
namespace {

using Lines = std::vector<std::string>;

bool has(const Lines& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

SearchPath search_path(const PathOwner& owner, const Places& places) {
  SearchPath out;
  Lines entries;
  Lines searched;
  if (!owner.old_path.empty()) {
    for (const std::string& entry : split(owner.old_path, ':')) {
      const std::optional<std::string> directory =
          inspect::searched_directory(entry, owner.installed);
      if (!directory) {
        out.dropped.push_back(entry);
        continue;
      }
      entries.push_back(entry);
      searched.push_back(*directory);
    }
  }
  const auto add = [&](const Lines& directories) {
    for (const std::string& directory : directories) {
      if (has(searched, directory)) continue;
      entries.push_back(inspect::search_path_entry(directory, owner.installed));
      searched.push_back(directory);
    }
  };
  add(places.required);
  if (!out.dropped.empty()) add(places.own);
  out.text = join(entries, ":");
  return out;
}

}  // namespace pinwheel::repair
