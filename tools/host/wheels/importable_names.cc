#include "host/wheels/importable_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/text.h"
#include "host/system/file_source.h"
#include "wheel/archive.h"

namespace pinwheel::host {
namespace {

constexpr std::string_view kInit = "/__init__.py";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Whether the name can be imported: not "a-b" for "a-b.py", which is a script.
bool is_identifier(std::string_view name) {
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// "pkg" for "pkg/__init__.py", "mod" for "mod.py" and "mod.cpython-311-x86_64-linux-gnu.so".
std::string import_name(std::string_view member) {
  const size_t slash = member.find('/');
  if (slash != std::string_view::npos) {
    return member.substr(slash) == kInit ? std::string(member.substr(0, slash)) : std::string();
  }
  const bool module = member.ends_with(".py") || member.ends_with(".so");
  return module ? std::string(member.substr(0, member.find('.'))) : std::string();
}

}  // namespace

Result<std::vector<std::string>> importable_names(const std::filesystem::path& wheel) {
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(wheel));
  TRY(const wheel::WheelArchive archive, wheel::open_wheel(wheel.filename().string(), *source));
  std::set<std::string> names;
  for (const wheel::ZipMember& member : archive.zip.members()) {
    const std::string name = import_name(member.name);
    // A lone private module (`_C.so`) is imported by its package, not by users.
    if (is_identifier(name) && !name.starts_with('_')) names.insert(name);
  }
  if (names.empty()) {
    return fail(ErrorKind::check,
                fmt::format("{} installs no importable module", quoted(archive.file_name)));
  }
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace pinwheel::host
