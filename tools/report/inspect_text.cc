#include "report/inspect_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/parse_integer.h"
#include "base/text.h"
#include "inspect/budget.h"
#include "inspect/code_total.h"
#include "inspect/cxx_abi.h"
#include "inspect/driver.h"
#include "inspect/glibc.h"
#include "inspect/gpu_support.h"
#include "inspect/name_list.h"
#include "inspect/needed_library.h"
#include "inspect/requirements.h"
#include "inspect/size_shares.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

constexpr size_t kShownReasons = 5;

uint64_t unpacked_size(const inspect::WheelFacts& facts) {
  uint64_t total = 0;
  for (const inspect::MemberFacts& member : facts.members) total += member.size;
  return total;
}

std::string draft_text(const wheel::VariantMetadata& variant) {
  if (!variant.draft) return quoted(variant.schema);
  switch (*variant.draft) {
    case pep::VariantDraft::pep850:
      return "draft PEP 850";
    case pep::VariantDraft::pep825:
      return "draft PEP 825";
  }
  return {};
}

void add_variant(const inspect::WheelFacts& facts, Lines& lines) {
  if (!facts.variant) return;
  for (const auto& [label, properties] : facts.variant->variants) {
    lines.add("variant", fmt::format("{}, {}", label, draft_text(*facts.variant)));
    for (const std::string& line : wheel::property_lines(properties)) {
      lines.add("property", line);
    }
  }
}

void add_metadata(const inspect::WheelFacts& facts, Lines& lines) {
  if (facts.metadata) {
    lines.add("name", facts.metadata->name() + " " + facts.metadata->version());
  }
  if (facts.name) lines.add("tags", pep::to_string(facts.name->tags));
  add_variant(facts, lines);
  if (!facts.metadata) return;
  const std::optional<std::string> python = facts.metadata->block.get("Requires-Python");
  if (python) lines.add("requires Python", *python);
  const std::vector<std::string> torch = torch_requirements(facts);
  if (!torch.empty()) lines.add("requires torch", join(torch, ", "));
  const size_t others = facts.metadata->requires_dist().size() - torch.size();
  if (others > 0) lines.add("requires", plural(others, torch.empty() ? "project" : "other"));
}

std::string_view string_abi_text(inspect::StringAbi abi) {
  switch (abi) {
    case inspect::StringAbi::cxx11:
      return "_GLIBCXX_USE_CXX11_ABI=1";
    case inspect::StringAbi::old:
      return "_GLIBCXX_USE_CXX11_ABI=0";
    case inspect::StringAbi::mixed:
      return "both values of _GLIBCXX_USE_CXX11_ABI";
    case inspect::StringAbi::none:
      break;
  }
  return "";
}

void add_foreign(const inspect::WheelFacts& facts, Lines& lines) {
  std::map<std::string, std::vector<std::string>> by_form;
  for (const inspect::ForeignBinary& each : facts.foreign) by_form[each.form].push_back(each.name);
  for (const auto& [form, names] : by_form) {
    lines.add("not judged", form + ": " + inspect::first_names(names));
  }
}

std::string platform_text(const inspect::WheelFacts& facts, const inspect::PlatformTag& earned) {
  if (!facts.libraries.empty()) return earned.tag;
  if (!facts.foreign.empty()) return "not judged";
  return facts.other_elf.empty() ? "any: no binaries" : "none: no loadable binaries";
}

void add_platform(const inspect::WheelFacts& facts, const inspect::Expectations& expected,
                  Lines& lines) {
  const Result<inspect::PlatformTag> earned = platform_tag(facts.libraries, expected.external);
  if (!earned) {
    lines.add("platform", earned.error().message);
    return;
  }
  lines.add("platform", platform_text(facts, *earned));
  for (size_t i = 0; i < earned->reasons.size() && i < kShownReasons; ++i) {
    lines.add("why not older", earned->reasons[i]);
  }
  if (earned->reasons.size() > kShownReasons) {
    lines.add("why not older", fmt::format("and {} more", earned->reasons.size() - kShownReasons));
  }
  std::vector<std::string> versions;
  for (const auto& [family, version] : newest_versions(facts.libraries)) {
    versions.push_back(fmt::format("{} {}", family, version));
  }
  if (!versions.empty()) lines.add("symbol versions", join(versions, ", "));
  const std::string_view strings = string_abi_text(string_abi(facts.libraries));
  if (!strings.empty()) lines.add("C++ strings", std::string(strings));
}

void add_libraries(const inspect::WheelFacts& facts, const inspect::Expectations& expected,
                   Lines& lines) {
  for (const inspect::NeededLibrary& library : needed_libraries(facts, expected.external)) {
    const size_t others = library.needed_by.size() - 1;
    lines.add("needs", fmt::format("{} from {}, for {}{}", library.soname,
                                   to_string(library.provider), library.needed_by.front(),
                                   others == 0 ? "" : fmt::format(" and {} more", others)));
  }
}

std::string form_text(const inspect::CodeTotal& total) {
  std::string form = std::string(binary::to_string(total.kind));
  if (total.ptx.major != 0) form += fmt::format(" {}.{}", total.ptx.major, total.ptx.minor);
  if (total.compression != binary::CodeCompression::none) {
    form += " compressed with " + std::string(binary::to_string(total.compression));
  }
  return form;
}

/// Device code of one form, for the same architectures in each of the files.
struct CodeGroup {
  std::string form;
  std::vector<std::string> architectures = {};
  std::vector<std::string> files = {};
  size_t pieces = 0;
};

/// A group for each form in a file, in the order of the totals.
std::vector<CodeGroup> forms_by_file(const std::vector<inspect::CodeTotal>& totals) {
  std::vector<CodeGroup> groups;
  for (const inspect::CodeTotal& total : totals) {
    const std::string form = form_text(total);
    auto found = std::ranges::find_if(groups, [&](const CodeGroup& group) {
      return group.form == form && group.files.front() == total.file;
    });
    if (found == groups.end()) found = groups.insert(found, CodeGroup{form, {}, {total.file}});
    found->architectures.push_back(total.architecture);
    found->pieces += total.pieces;
  }
  return groups;
}

/// The same with one group for files that have the same code.
std::vector<CodeGroup> code_groups(const std::vector<inspect::CodeTotal>& totals) {
  std::vector<CodeGroup> groups;
  for (CodeGroup& each : forms_by_file(totals)) {
    const auto found = std::ranges::find_if(groups, [&each](const CodeGroup& group) {
      return group.form == each.form && group.architectures == each.architectures;
    });
    if (found == groups.end()) {
      groups.push_back(std::move(each));
    } else {
      found->files.push_back(each.files.front());
      found->pieces += each.pieces;
    }
  }
  return groups;
}

/// "sm_80 90 100a", by number: the prefix is written where it changes.
std::string architectures_text(std::vector<std::string> architectures) {
  const auto prefix_of = [](const std::string& name) { return name.substr(0, name.find('_') + 1); };
  const auto number_of = [](const std::string& name) {
    return parse_integer(
               name.substr(name.find('_') + 1, name.find_last_of("0123456789") - name.find('_')))
        .value_or(0);
  };
  std::ranges::stable_sort(architectures, {}, number_of);
  std::string out;
  std::string prefix;
  for (const std::string& name : architectures) {
    const bool same = !out.empty() && prefix_of(name) == prefix;
    prefix = prefix_of(name);
    out += (out.empty() ? "" : " ") + (same ? name.substr(prefix.size()) : name);
  }
  return out;
}

void add_code(const std::vector<inspect::CodeTotal>& totals, EqualEntries equal, Lines& lines) {
  if (equal == EqualEntries::all) {
    for (const inspect::CodeTotal& total : totals) {
      lines.add("device code",
                fmt::format("{} as {}, {} in {}", total.architecture, form_text(total),
                            plural(total.pieces, "piece"), total.file));
    }
    return;
  }
  for (const CodeGroup& group : code_groups(totals)) {
    lines.add("device code",
              fmt::format("{} as {}, {} in {}", architectures_text(group.architectures), group.form,
                          plural(group.pieces, "piece"), inspect::first_names(group.files)));
  }
}

std::string driver_line(const inspect::DriverNeed& need, std::string_view purpose) {
  return fmt::format("{} or newer{}, as {}", inspect::driver_text(need.cuda), purpose, need.reason);
}

void add_gpus(const inspect::WheelFacts& facts, Lines& lines) {
  const std::vector<inspect::ProductSupport> products = product_support(facts);
  for (const inspect::GpuSupport support :
       {inspect::GpuSupport::native, inspect::GpuSupport::just_in_time,
        inspect::GpuSupport::none}) {
    std::vector<std::string> names;
    for (const inspect::ProductSupport& each : products) {
      if (each.support == support) names.emplace_back(each.product.name);
    }
    if (names.empty()) continue;
    const std::string_view label = support == inspect::GpuSupport::native         ? "runs on"
                                   : support == inspect::GpuSupport::just_in_time ? "through PTX on"
                                                                                  : "not on";
    lines.add(label, join(names, ", "));
  }
}

void add_device_code(const inspect::WheelFacts& facts, EqualEntries equal, Lines& lines) {
  add_code(code_totals(facts), equal, lines);
  const inspect::DriverNeeds needs = driver_needs(facts);
  const std::optional<inspect::DriverNeed> oldest = inspect::oldest_driver(needs);
  if (oldest) lines.add("driver", driver_line(*oldest, ""));
  if (needs.ptx) lines.add("driver", driver_line(*needs.ptx, " to compile its PTX"));
  add_gpus(facts, lines);
}

std::string share_text(const inspect::SizeShare& share) {
  std::string text = fmt::format("{} {}", share.what, format_bytes(share.bytes));
  if (share.packed) text += fmt::format(" ({} packed)", format_bytes(*share.packed));
  return text;
}

std::string largest(const std::vector<inspect::SizeShare>& shares) {
  constexpr size_t kShown = 6;
  std::vector<std::string> parts;
  for (size_t i = 0; i < shares.size() && i < kShown; ++i) parts.push_back(share_text(shares[i]));
  return join(parts, ", ");
}

void add_sizes(const inspect::WheelFacts& facts, Lines& lines) {
  lines.add("size",
            fmt::format("{}, {} unpacked, {}", format_bytes(facts.file_size),
                        format_bytes(unpacked_size(facts)), plural(facts.members.size(), "file")));
  const inspect::SizeShares shares = size_shares(facts);
  if (!shares.sections.empty()) lines.add("sections", largest(shares.sections));
  if (shares.architectures.empty()) return;
  lines.add("architectures", largest(shares.architectures));
  const inspect::UnitSize& unit = shares.units.front();
  lines.add("largest unit",
            fmt::format("{} of device code in unit {} of {}, of {} in all",
                        format_bytes(unit.bytes), unit.unit, unit.file, shares.units.size()));
}

void add_partial(const inspect::PartialReading& partial, uint64_t size, Lines& lines) {
  lines.add("fetched", fmt::format("{} of {} in {} (all: `--whole`)", format_bytes(partial.fetched),
                                   format_bytes(size), plural(partial.requests, "request")));
  lines.add("not verified",
            "hashes, headers and contents of " + plural(partial.unread.size(), "unread file"));
  if (!partial.sha256.empty()) lines.add("not verified", "the sha256 that the index states");
}

void add_budget(const inspect::BudgetPlan& plan, Lines& lines) {
  if (plan.size <= plan.budget) {
    lines.add("budget", fmt::format("{} of {} left", format_bytes(plan.budget - plan.size),
                                    format_bytes(plan.budget)));
    return;
  }
  lines.add("budget",
            fmt::format("{} above {}; estimated savings:", format_bytes(plan.size - plan.budget),
                        format_bytes(plan.budget)));
  uint64_t left = plan.size;
  for (size_t i = 0; i < plan.cuts.size(); ++i) {
    const inspect::Cut& cut = plan.cuts[i];
    left -= std::min(left, cut.saves);
    lines.add("budget", fmt::format("  {} without {}: {} left{}", format_bytes(cut.saves), cut.what,
                                    format_bytes(left),
                                    plan.reached && i + 1 == plan.needed ? ", enough" : ""));
  }
  if (!plan.reached) lines.add("budget", "  all of these are not enough");
}

void add_finding(std::string_view label, const inspect::Finding& finding, Lines& lines) {
  lines.add(label, to_error(finding).message);
  if (!finding.hint.empty()) lines.add(label, "  hint: " + finding.hint);
}

/// One entry for a group of three files or more; a smaller group has one for each finding.
void add_group(std::string_view label, const inspect::FindingGroup& group,
               const std::vector<inspect::Finding>& findings, Lines& lines) {
  constexpr size_t kFewest = 3;
  const inspect::Finding& first = *group.first;
  if (group.files.size() >= kFewest) {
    lines.add(label, fmt::format("[{}] {}: {}", first.rule, inspect::first_names(group.files),
                                 first.message));
    if (!first.hint.empty()) lines.add(label, "  hint: " + first.hint);
    return;
  }
  for (const inspect::Finding& finding : findings) {
    const bool in_group = finding.rule == first.rule && finding.severity == first.severity &&
                          finding.message == first.message && finding.hint == first.hint;
    if (in_group) add_finding(label, finding, lines);
  }
}

void add_findings(const std::vector<inspect::Finding>& findings, EqualEntries equal, Lines& lines) {
  if (findings.empty()) lines.add("findings", "none");
  for (const inspect::Severity severity : {inspect::Severity::warning, inspect::Severity::error}) {
    const std::string_view label = severity == inspect::Severity::warning ? "warnings" : "findings";
    for (const inspect::FindingGroup& group : inspect::group_findings(findings)) {
      if (equal == EqualEntries::grouped && group.first->severity == severity) {
        add_group(label, group, findings, lines);
      }
    }
    for (const inspect::Finding& finding : findings) {
      if (equal == EqualEntries::all && finding.severity == severity) {
        add_finding(label, finding, lines);
      }
    }
  }
}

}  // namespace

std::string inspect_text(const inspect::WheelFacts& facts, const inspect::Expectations& expected,
                         const std::vector<inspect::Finding>& findings,
                         EqualEntries equal_entries) {
  Lines lines(facts.file_name);
  add_metadata(facts, lines);
  add_platform(facts, expected, lines);
  add_foreign(facts, lines);
  add_libraries(facts, expected, lines);
  add_device_code(facts, equal_entries, lines);
  add_sizes(facts, lines);
  if (facts.partial) add_partial(*facts.partial, facts.file_size, lines);
  if (expected.budget) add_budget(plan_budget(facts, *expected.budget), lines);
  add_findings(findings, equal_entries, lines);
  return lines.take();
}

}  // namespace pinwheel::report
