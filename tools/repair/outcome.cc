#include "repair/outcome.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/text.h"

namespace pinwheel::repair {
namespace {

std::string origin(const OwnerPackage& package) {
  return package.name.empty() ? "no package" : fmt::format("{} {}", package.name, package.version);
}

std::string edit_words(const Edit& edit) {
  std::vector<std::string> words;
  for (const auto& [old_name, new_name] : edit.replace_needed) {
    words.push_back(fmt::format("needs {} instead of {}", new_name, old_name));
  }
  for (const std::string& removed : edit.remove_needed) {
    words.push_back("no longer needs " + removed);
  }
  if (edit.rpath) words.push_back(edit.rpath->empty() ? "no RPATH" : "RPATH " + *edit.rpath);
  if (words.empty()) words.push_back("SONAME " + edit.soname);
  return join(words, "; ");
}

}  // namespace

std::vector<LicenseFile> license_files(const Outcome& outcome) {
  std::map<std::string, std::string> files;
  for (const Component& component : outcome.components) {
    const std::string& member = component.graft.member;
    const std::string directory = member.substr(0, member.rfind('/'));
    for (const LicenseFile& file : component.package.license_files) {
      files.emplace(directory + "/" + component.package.name + "/" + file.name, file.contents);
    }
  }
  std::vector<LicenseFile> out;
  out.reserve(files.size());
  for (auto& [name, contents] : files) out.push_back({name, std::move(contents)});
  return out;
}

std::string to_text(const Outcome& outcome) {
  const RepairPlan& plan = outcome.plan;
  std::string out = outcome.wheel + "\n";
  const auto line = [&](const char* what, const std::string& text) {
    out += fmt::format("  {:<8}{}\n", what, text);
  };
  for (const Component& component : outcome.components) {
    line("graft", fmt::format("{} -> {} ({})", component.graft.path, component.graft.member,
                              origin(component.package)));
  }
  for (const Edit& edit : plan.edits) {
    if (!edit.moved_from.empty()) {
      line("move", fmt::format("{} -> {}, started by a script", edit.moved_from, edit.member));
    }
    line("edit", fmt::format("{}: {}", edit.member, edit_words(edit)));
  }
  for (const std::string& requirement : plan.requirements) line("require", requirement);
  for (const std::string& note : plan.notes) line("note", note);
  line("tag", plan.is_needed() ? join(plan.platforms, ".")
                               : join(plan.platforms, ".") + ", nothing to repair");
  return out;
}

}  // namespace pinwheel::repair
