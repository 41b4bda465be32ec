#include "wheel/derivation.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "pep/name.h"
#include "pep/requirement.h"
#include "pep/specifier.h"
#include "pep/version.h"

namespace pinwheel::wheel {
namespace {

/// "cu130" of "1.2.0+cu130"; empty without a local version.
std::string label_of_version(const pep::Version& version) {
  const std::string text = pep::to_string(version);
  const size_t plus = text.find('+');
  return plus == std::string::npos ? std::string() : text.substr(plus + 1);
}

tl::unexpected<Error> without_label(const std::string& file, const std::string& wanted_by) {
  return fail(ErrorKind::usage,
              quoted(file) + " has no local version, which " + quoted(wanted_by) + " needs",
              "pass only wheels with a local version, such as `1.2.0+cu130`");
}

Result<std::string> expand(const std::string& rule, const std::string& name,
                           const std::string& label) {
  std::string out = replace_all(replace_all(rule, "{name}", name), "{label}", label);
  if (pep::is_valid_name(out)) return out;
  if (out.find_first_of("{}") != std::string::npos) {
    return fail(ErrorKind::usage, "`--distribution` cannot be " + quoted(rule),
                "only `{name}` and `{label}` are replaced in it");
  }
  return fail(ErrorKind::usage, "`--distribution` would give the invalid name " + quoted(out),
              "a name has letters, digits, `.`, `-` and `_`, and a letter or digit at both ends");
}

bool is_exact(const pep::Specifier& specifier) {
  return !specifier.wildcard && (specifier.comparison == pep::Comparison::equal ||
                                 specifier.comparison == pep::Comparison::arbitrary_equal);
}

struct ParsedRenaming {
  std::string project;
  pep::Version old_version;
  pep::Version new_version;
  const Renaming* sibling = nullptr;
};

std::vector<ParsedRenaming> parsed(const std::vector<Renaming>& siblings) {
  std::vector<ParsedRenaming> out;
  for (const Renaming& sibling : siblings) {
    const Result<pep::Version> before = pep::parse_version(sibling.original.version);
    const Result<pep::Version> after = pep::parse_version(sibling.derived.version);
    if (!before || !after) continue;
    out.push_back({pep::normalize_name(sibling.original.distribution), *before, *after, &sibling});
  }
  return out;
}

using NamedVersion = std::pair<std::string, std::string>;

NamedVersion new_name_of(const ParsedRenaming& sibling) {
  return {pep::normalize_name(sibling.sibling->derived.distribution),
          pep::to_string(sibling.new_version)};
}

/// The siblings that satisfy the requirement: all of them, or only those with the label.
std::vector<const ParsedRenaming*> meant(const pep::Requirement& requirement,
                                         const std::string& label,
                                         const std::vector<ParsedRenaming>& siblings) {
  std::vector<const ParsedRenaming*> all;
  std::vector<const ParsedRenaming*> of_label;
  std::set<NamedVersion> names;
  const std::string project = pep::normalize_name(requirement.name);
  for (const ParsedRenaming& sibling : siblings) {
    if (sibling.project != project) continue;
    if (!pep::satisfies(sibling.old_version, requirement.specifiers)) continue;
    all.push_back(&sibling);
    names.insert(new_name_of(sibling));
    if (label_of_version(sibling.old_version) == label) of_label.push_back(&sibling);
  }
  return names.size() > 1 && !of_label.empty() ? of_label : all;
}

pep::Requirement renamed_requirement(pep::Requirement requirement, const ParsedRenaming& sibling) {
  const std::string& name = sibling.sibling->derived.distribution;
  if (pep::normalize_name(name) != sibling.project) requirement.name = name;
  for (pep::Specifier& specifier : requirement.specifiers) {
    if (!is_exact(specifier)) continue;
    const bool still =
        specifier.version.local.empty() && pep::satisfies(sibling.new_version, {specifier});
    if (!still) specifier.version = sibling.new_version;
  }
  return requirement;
}

bool names_local(const pep::Requirement& requirement) {
  return std::any_of(
      requirement.specifiers.begin(), requirement.specifiers.end(),
      [](const pep::Specifier& each) { return is_exact(each) && !each.version.local.empty(); });
}

}  // namespace

Result<Naming> derived_naming(const std::string& file, const Naming& original,
                              const NamingRule& rule) {
  TRY(const pep::Version version, pep::parse_version(original.version));
  const std::string label = label_of_version(version);
  if (label.empty() && rule.local == LocalPart::strip) return without_label(file, "--strip-local");
  if (label.empty() && rule.distribution.find("{label}") != std::string::npos) {
    return without_label(file, "{label}");
  }
  Naming naming = original;
  naming.build = rule.build;
  if (!rule.distribution.empty()) {
    TRY(naming.distribution, expand(rule.distribution, original.distribution, label));
  }
  if (!rule.version.empty()) naming.version = rule.version;
  if (rule.local == LocalPart::strip) naming.version = pep::to_string(pep::public_part(version));
  return naming;
}

DerivedRequirements derived_requirements(const Metadata& metadata, const Naming& own,
                                         const std::vector<Renaming>& siblings) {
  const std::vector<ParsedRenaming> all = parsed(siblings);
  const Result<pep::Version> version = pep::parse_version(own.version);
  const std::string label = version ? label_of_version(*version) : std::string();
  DerivedRequirements out;
  for (const std::string& text : metadata.requires_dist()) {
    const Result<pep::Requirement> found = pep::parse_requirement(text);
    if (!found || !found->url.empty()) continue;  // findings of `inspect`
    pep::Requirement requirement = *found;
    const std::vector<const ParsedRenaming*> targets = meant(requirement, label, all);
    const bool one = std::all_of(targets.begin(), targets.end(), [&](const ParsedRenaming* each) {
      return new_name_of(*each) == new_name_of(*targets.front());
    });
    if (!one) out.ambiguous.push_back(text);
    if (one && !targets.empty()) {
      requirement = renamed_requirement(std::move(requirement), *targets.front());
      const std::string after = pep::to_string(requirement);
      if (after != pep::to_string(*found)) out.changed[text] = after;
    }
    if (names_local(requirement)) out.local.push_back(text);
  }
  return out;
}

Done pin_derived(DerivedRequirements& requirements, const std::vector<std::string>& before,
                 const Pins& pins) {
  std::vector<std::string> followed;
  for (const std::string& line : before) {
    const auto changed = requirements.changed.find(line);
    followed.push_back(changed == requirements.changed.end() ? line : changed->second);
  }
  TRY(const PinnedRequirements pinned, pinned_requirements(followed, pins));
  for (size_t i = 0; i < before.size(); ++i) {
    const auto exact = pinned.changed.find(followed[i]);
    if (exact == pinned.changed.end()) continue;
    requirements.changed[before[i]] = exact->second;
    TRY(const pep::Requirement now, pep::parse_requirement(exact->second));
    if (!names_local(now)) std::erase(requirements.local, before[i]);
    std::erase(requirements.ambiguous, before[i]);
  }
  return {};
}

}  // namespace pinwheel::wheel
