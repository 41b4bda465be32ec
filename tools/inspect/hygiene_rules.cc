#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "base/text.h"
#include "inspect/installed_path.h"
#include "inspect/name_list.h"
#include "inspect/rule_functions.h"

// Rules on flaws that do not break a wheel: unneeded files, names that conflict with other
// distributions, names that some systems do not support.
namespace pinwheel::inspect {
namespace {

/// Loose files are not installed, so the rules on installed names do not apply to them.
bool is_wheel(const WheelFacts& facts) {
  return !facts.dist_info.empty();
}

bool is_byte_code(std::string_view name) {
  return name.ends_with(".pyc") || name.ends_with(".pyo");
}

bool is_module(std::string_view name) {
  return name.ends_with(".py") || name.ends_with(".so") || name.ends_with(".pyd");
}

bool is_identifier(std::string_view text) {
  const auto part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::all_of(text.begin(), text.end(), part);
}

/// Names so common that two projects would overwrite each other's files.
bool is_common(std::string_view name) {
  constexpr std::array<std::string_view, 20> kCommon = {
      ".eggs",   ".nox", ".tox", ".venv", "app",     "build",     "cli",
      "data",    "dist", "doc",  "docs",  "example", "examples",  "lib",
      "scripts", "src",  "test", "tests", "venv",    "benchmarks"};
  return std::find(kCommon.begin(), kCommon.end(), name) != kCommon.end();
}

std::string top_fault(const std::vector<std::string>& parts) {
  const std::string& top = parts.front();
  if (parts.size() > 1) {
    return is_common(top) ? "is in a top-level directory whose name many projects use" : "";
  }
  if (top == "__init__.py") return "turns site-packages itself into a package";
  const std::string stem = top.substr(0, top.find('.'));
  if (is_module(top)) return is_common(stem) ? "is a top-level module with a common name" : "";
  return top.ends_with(".pth") ? "" : "is at the top level, but is not a module";
}

/// Whether the module can be imported. Directories of stubs and of bundled libraries (`demo.libs`)
/// are not meant to be.
bool is_importable(const std::vector<std::string>& parts) {
  if (!is_module(parts.back())) return true;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::string_view part = parts[i];
    if (i == 0 && (part.ends_with("-stubs") || part.ends_with(".libs"))) return true;
    if (!is_identifier(part)) return false;
  }
  const std::string& file = parts.back();
  return file.starts_with("lib") || is_identifier(std::string_view(file).substr(0, file.find('.')));
}

bool is_leftover(std::string_view path) {
  constexpr std::array<std::string_view, 6> kDirectories = {
      ".git/", ".svn/", ".hg/", "__MACOSX/", ".ipynb_checkpoints/", ".pytest_cache/"};
  constexpr std::array<std::string_view, 10> kEndings = {
      ".DS_Store", "Thumbs.db", ".orig", ".rej", ".swp", "~", ".o", ".obj", ".gitignore", ".bak"};
  return std::any_of(kDirectories.begin(), kDirectories.end(),
                     [path](std::string_view name) {
                       return path.starts_with(name) ||
                              path.find("/" + std::string(name)) != std::string_view::npos;
                     }) ||
         std::any_of(kEndings.begin(), kEndings.end(),
                     [path](std::string_view ending) { return path.ends_with(ending); });
}

/// Whether Windows reserves the name for a device in every directory: "aux.py", "COM1".
bool is_device_name(std::string_view part) {
  constexpr std::array<std::string_view, 6> kNames = {"con", "prn",    "aux",
                                                      "nul", "conin$", "conout$"};
  const std::string stem = to_lower(part.substr(0, part.find('.')));
  if (std::find(kNames.begin(), kNames.end(), stem) != kNames.end()) return true;
  const bool port = stem.starts_with("com") || stem.starts_with("lpt");
  constexpr std::array<std::string_view, 3> kSuperscripts = {"\u00b9", "\u00b2", "\u00b3"};
  const std::string_view number = std::string_view(stem).substr(std::min<size_t>(3, stem.size()));
  return port &&
         ((number.size() == 1 && is_digit(number.front())) ||
          std::find(kSuperscripts.begin(), kSuperscripts.end(), number) != kSuperscripts.end());
}

/// The reason why Windows cannot have a file with that name; empty if it can.
std::string windows_fault(std::string_view name) {
  const size_t odd = name.find_first_of("<>:\"|?*");
  if (odd != std::string_view::npos) {
    return fmt::format("has {} in its name, which Windows does not allow",
                       quoted(name.substr(odd, 1)));
  }
  for (const std::string& part : split(name, '/')) {
    if (is_device_name(part)) {
      return fmt::format("has the name of a device of Windows, {}", quoted(part));
    }
    if (part.ends_with('.') || part.ends_with(' ')) {
      return fmt::format("has a name that ends in {}, which Windows cuts off",
                         part.ends_with('.') ? "a dot" : "a space");
    }
  }
  return "";
}

/// Whether the wheel may be installed on Windows.
bool is_for_windows(const WheelFacts& facts) {
  if (!facts.name) return false;
  const std::vector<std::string>& platforms = facts.name->tags.platform;
  return std::any_of(platforms.begin(), platforms.end(), [](const std::string& platform) {
    return platform == "any" || platform.starts_with("win");
  });
}

std::string odd_fault(const MemberFacts& member) {
  constexpr size_t kLongest = 200;
  const std::string& name = member.name;
  if (name.size() > kLongest) {
    return fmt::format("has a name of {} bytes, too long for some systems", name.size());
  }
  const auto foreign = [](unsigned char c) { return c >= 0x80; };
  if (std::any_of(name.begin(), name.end(), foreign)) return "has a name that is not ASCII";
  if (name.find(' ') != std::string::npos) return "has a space in its name";
  return is_leftover(name) ? "looks like a leftover of a tool or an editor" : "";
}

void find_case_twins(const WheelFacts& facts, Findings& out) {
  std::map<std::string, std::string> seen;
  for (const MemberFacts& member : facts.members) {
    const auto [first, added] = seen.emplace(to_lower(member.name), member.name);
    if (added) continue;
    out.push_back({"", member.name,
                   "differs only by case from " + quoted(first->second) +
                       ", and one overwrites the other on case-insensitive systems",
                   "", "rename one of them"});
  }
}

}  // namespace

Findings judge_byte_code(const WheelFacts& facts, const Expectations& /*expected*/) {
  Findings out;
  for (const MemberFacts& member : facts.members) {
    if (!is_byte_code(member.name)) continue;
    out.push_back({"", member.name, "is bytecode, which installers generate themselves", "",
                   "exclude `__pycache__` from the package data"});
  }
  return out;
}

Findings judge_top_level(const WheelFacts& facts, const Expectations& /*expected*/) {
  if (!is_wheel(facts)) return {};
  Findings out;
  std::set<std::string> reported;
  for (const MemberFacts& member : facts.members) {
    const std::optional<std::string> path = library_path(facts, member.name);
    if (!path || path->empty() || is_byte_code(*path)) continue;
    const std::vector<std::string> parts = split(*path, '/');
    const std::string fault = top_fault(parts);
    if (!fault.empty() && reported.insert(parts.front()).second) {
      out.push_back(
          {"", member.name, fault, "", "move it into the package, or exclude it from the wheel"});
    }
    if (is_importable(parts)) continue;
    out.push_back({"", member.name, "is a module whose path cannot be imported", "",
                   "rename its directories and file to valid identifiers"});
  }
  return out;
}

Findings judge_duplicates(const WheelFacts& facts, const Expectations& /*expected*/) {
  constexpr uint64_t kWorthIt = 1024;
  std::map<std::string, std::vector<const MemberFacts*>> by_digest;
  for (const MemberFacts& member : facts.members) {
    if (member.size >= kWorthIt && library_path(facts, member.name)) {
      by_digest[contents_key(facts, member)].push_back(&member);
    }
  }
  Findings out;
  for (const auto& [digest, members] : by_digest) {
    if (members.size() < 2) continue;
    std::vector<std::string> others;
    uint64_t wasted = 0;
    for (size_t i = 1; i < members.size(); ++i) {
      others.push_back(members[i]->name);
      wasted += members[i]->compressed_size;
    }
    out.push_back({"", members[0]->name,
                   fmt::format("is in the wheel {} times, which wastes {}", members.size(),
                               format_bytes(wasted)),
                   first_names(others), "package one copy, and let the others refer to it"});
  }
  std::sort(out.begin(), out.end(),
            [](const Finding& left, const Finding& right) { return left.file < right.file; });
  return out;
}

Findings judge_odd_members(const WheelFacts& facts, const Expectations& /*expected*/) {
  if (!is_wheel(facts)) return {};
  const bool windows = is_for_windows(facts);
  Findings out;
  for (const MemberFacts& member : facts.members) {
    std::string fault = windows ? windows_fault(member.name) : "";
    if (fault.empty()) fault = odd_fault(member);
    if (fault.empty()) continue;
    out.push_back({"", member.name, fault, "", "rename it, or exclude it from the wheel"});
  }
  for (const std::string& name : facts.editable_paths) {
    out.push_back(
        {"", name,
         "makes the wheel editable: it only works on the machine that built it, while the source "
         "is there",
         "", "build the wheel with `build_wheel`, not with `build_editable` or `pip install -e`"});
  }
  for (const std::string& name : facts.lfs_pointers) {
    out.push_back({"", name, "is a Git LFS pointer instead of the file itself", "",
                   "fetch the files before the build: `git lfs pull`"});
  }
  find_case_twins(facts, out);
  return out;
}

}  // namespace pinwheel::inspect
