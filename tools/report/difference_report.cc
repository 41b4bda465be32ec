#include "report/difference_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "compat/demangle.h"
#include "inspect/name_list.h"
#include "report/kernel_table.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

using SortedJson = nlohmann::json;

constexpr size_t kShownNames = 12;

std::string signed_bytes(uint64_t before, uint64_t after) {
  if (before == after) return "the same size";
  return after > before ? "+" + format_bytes(after - before) : "-" + format_bytes(before - after);
}

std::string title(const inspect::WheelDifference& difference) {
  switch (difference.sameness) {
    case inspect::Sameness::identical:
      return "the same bytes";
    case inspect::Sameness::same_contents:
      return difference.archive.empty()
                 ? "the same files in archives that differ"
                 : "the same files in archives that differ by " + join(difference.archive, ", ");
    case inspect::Sameness::different:
      break;
  }
  return "different files";
}

void add_changes(std::string_view what, const inspect::NameChanges& changes, Lines& lines) {
  const auto add_names = [&](const std::string& label, const std::vector<std::string>& names) {
    for (size_t i = 0; i < names.size() && i < kShownNames; ++i) lines.add(label, names[i]);
    if (names.size() > kShownNames) {
      lines.add(label, fmt::format("and {} more", names.size() - kShownNames));
    }
  };
  add_names("+ " + std::string(what), changes.gained);
  add_names("- " + std::string(what), changes.lost);
}

void add_member(const inspect::ChangedMember& member, Lines& lines) {
  std::string line = fmt::format("{}: {}, {}", member.name, to_string(member.cause),
                                 signed_bytes(member.old_size, member.new_size));
  if (!member.sections.empty()) line += ", in " + inspect::first_names(member.sections);
  lines.add("changed", line);
  if (member.symbols.empty()) return;
  lines.add("changed",
            fmt::format("  {} gained, {} lost", plural(member.symbols.gained.size(), "symbol"),
                        member.symbols.lost.size()));
  const auto add_names = [&](char sign, const std::vector<std::string>& names) {
    if (!names.empty())
      lines.add("changed", fmt::format("  {} {}", sign, inspect::first_names(names)));
  };
  add_names('+', member.symbols.gained);
  add_names('-', member.symbols.lost);
}

void add_kernels(const inspect::KernelChanges& kernels, Lines& lines) {
  const auto add_placed = [&](const std::string& label,
                              const std::vector<inspect::PlacedKernel>& placed) {
    for (size_t i = 0; i < placed.size() && i < kShownNames; ++i) {
      lines.add(label, fmt::format("{} for {}",
                                   compat::brief_name(compat::demangle(placed[i].kernel.name)),
                                   placed[i].architecture));
    }
    if (placed.size() > kShownNames) {
      lines.add(label, fmt::format("and {} more", placed.size() - kShownNames));
    }
  };
  add_placed("+ kernel", kernels.gained);
  add_placed("- kernel", kernels.lost);
  for (size_t i = 0; i < kernels.changed.size() && i < kShownNames; ++i) {
    const inspect::ChangedKernel& kernel = kernels.changed[i];
    lines.add("kernel",
              fmt::format("{} for {}: {}", compat::brief_name(compat::demangle(kernel.after.name)),
                          kernel.architecture, kernel_change_text(kernel)));
  }
  if (kernels.changed.size() > kShownNames) {
    lines.add("kernel", fmt::format("and {} more", kernels.changed.size() - kShownNames));
  }
}

std::string_view side_word(inspect::Side side) {
  return side == inspect::Side::old_wheel ? "old" : "new";
}

SortedJson placed_json(const std::vector<inspect::PlacedKernel>& kernels) {
  SortedJson out = SortedJson::array();
  for (const inspect::PlacedKernel& each : kernels) {
    out.push_back({{"file", each.file},
                   {"arch", each.architecture},
                   {"name", each.kernel.name},
                   {"needs", kernel_object(each.kernel)}});
  }
  return out;
}

SortedJson kernels_json(const inspect::KernelChanges& kernels) {
  SortedJson changed = SortedJson::array();
  for (const inspect::ChangedKernel& each : kernels.changed) {
    changed.push_back({{"file", each.file},
                       {"arch", each.architecture},
                       {"name", each.after.name},
                       {"needs_more", inspect::needs_more(each)},
                       {"before", kernel_object(each.before)},
                       {"after", kernel_object(each.after)}});
  }
  return {{"gained", placed_json(kernels.gained)},
          {"lost", placed_json(kernels.lost)},
          {"changed", std::move(changed)}};
}

SortedJson sizes_json(const std::vector<inspect::SizeChange>& sizes) {
  SortedJson out = SortedJson::array();
  for (const inspect::SizeChange& each : sizes) {
    out.push_back({{"part", to_string(each.part)},
                   {"name", each.name},
                   {"before", each.before},
                   {"after", each.after}});
  }
  return out;
}

SortedJson as_json(const inspect::NameChanges& changes) {
  return {{"gained", changes.gained}, {"lost", changes.lost}};
}

SortedJson identity(const inspect::WheelFacts& facts) {
  const bool known = facts.metadata.has_value();
  return {{"wheel", facts.file_name},
          {"size", facts.file_size},
          {"name", known ? SortedJson(facts.metadata->name()) : SortedJson()},
          {"version", known ? SortedJson(facts.metadata->version()) : SortedJson()}};
}

}  // namespace

std::string difference_text(const inspect::WheelFacts& old_wheel,
                            const inspect::WheelFacts& new_wheel,
                            const inspect::WheelDifference& difference) {
  Lines lines(old_wheel.file_name + " -> " + new_wheel.file_name);
  lines.add("result", title(difference));
  if (difference.sameness == inspect::Sameness::identical) return lines.take();
  lines.add("size", fmt::format("{} -> {}, {}", format_bytes(old_wheel.file_size),
                                format_bytes(new_wheel.file_size),
                                signed_bytes(old_wheel.file_size, new_wheel.file_size)));
  add_changes("tag", difference.tags, lines);
  add_changes("metadata", difference.metadata, lines);
  add_changes("needs", difference.needed, lines);
  add_changes("device code", difference.architectures, lines);
  add_changes("file", difference.members, lines);
  add_changes("operator", difference.operators, lines);
  add_kernels(difference.kernels, lines);
  for (const inspect::UnreadPart& part : difference.unread) lines.add("unread", unread_text(part));
  for (const inspect::ChangedMember& member : difference.changed) add_member(member, lines);
  return lines.take();
}

std::string unread_text(const inspect::UnreadPart& part) {
  return fmt::format(
      "{} of the {} wheel cannot be read in full, so device code or operators may be missing here: "
      "{}",
      quoted(part.file), side_word(part.side), part.message);
}

void put_difference(const inspect::WheelDifference& difference, nlohmann::json& out) {
  out["members"] = as_json(difference.members);
  out["metadata"] = as_json(difference.metadata);
  out["tags"] = as_json(difference.tags);
  out["needed"] = as_json(difference.needed);
  out["architectures"] = as_json(difference.architectures);
  out["operators"] = as_json(difference.operators);
  out["requirements"] = as_json(difference.requirements);
  out["kernels"] = kernels_json(difference.kernels);
  out["sizes"] = sizes_json(difference.sizes);
  out["unread_parts"] = SortedJson::array();
  for (const inspect::UnreadPart& part : difference.unread) {
    out["unread_parts"].push_back(
        {{"side", side_word(part.side)}, {"file", part.file}, {"message", part.message}});
  }
}

std::string difference_json(const inspect::WheelFacts& old_wheel,
                            const inspect::WheelFacts& new_wheel,
                            const inspect::WheelDifference& difference) {
  SortedJson out = {{"schema", 1},
                    {"old", identity(old_wheel)},
                    {"new", identity(new_wheel)},
                    {"sameness", to_string(difference.sameness)},
                    {"archive", difference.archive},
                    {"changed", SortedJson::array()}};
  put_difference(difference, out);
  for (const inspect::ChangedMember& member : difference.changed) {
    out["changed"].push_back({{"name", member.name},
                              {"old_size", member.old_size},
                              {"new_size", member.new_size},
                              {"cause", to_string(member.cause)},
                              {"sections", member.sections},
                              {"symbols", as_json(member.symbols)}});
  }
  return out.dump(2, ' ', false, SortedJson::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::report
