#include "host/after_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "host/file_source.h"
#include "host/operators_check.h"
#include "host/symbols_check.h"
#include "inspect/gather.h"
#include "inspect/rules.h"
#include "pep/version.h"
#include "pep/wheel_name.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

const matrix::Check* find_check(const std::vector<matrix::Check>& checks, std::string_view rule) {
  const auto found = std::find_if(checks.begin(), checks.end(), [rule](const matrix::Check& check) {
    return check.rule == rule;
  });
  return found == checks.end() ? nullptr : &*found;
}

/// What no wheel may break is judged whether the matrix names it or not; device code and size only
/// where it does, because they need its numbers.
std::vector<std::string> rules_for(const std::vector<matrix::Check>& checks) {
  std::vector<std::string> rules = inspect::rule_ids();
  std::erase_if(rules, [&checks](const std::string& rule) {
    const bool by_wish = rule == "device-code" || rule == "size";
    return by_wish && find_check(checks, rule) == nullptr;
  });
  return rules;
}

std::vector<std::string> named_rules(const std::vector<matrix::Check>& checks) {
  std::vector<std::string> names;
  names.reserve(checks.size());
  for (const matrix::Check& check : checks) names.push_back(check.rule);
  return names;
}

Result<inspect::Expectations> expectations_of(const plan::BuildWheel& action,
                                              const wheel::Naming& naming) {
  inspect::Expectations expected;
  expected.distribution = naming.distribution;
  expected.version = naming.version;
  expected.arch_list = action.settings.build.arch_list;
  const matrix::Check* const size = find_check(action.settings.checks.after, "size");
  if (size == nullptr) return expected;
  const auto limit = size->arguments.empty() ? std::nullopt : parse_bytes(size->arguments[0]);
  if (!limit) return fail(ErrorKind::config, "`checks.after: size` names no size");
  expected.size_limit = *limit;
  return expected;
}

Error as_error(const fs::path& wheel, const std::vector<inspect::Finding>& findings) {
  Error error{ErrorKind::check, fmt::format("`{}` breaks {}", wheel.filename().string(),
                                            plural(findings.size(), "rule"))};
  for (const inspect::Finding& finding : findings)
    error.causes.push_back(inspect::to_error(finding));
  return error;
}

}  // namespace

Done check_after(const Bench& bench, const plan::BuildWheel& action, const BuildSite& site,
                 const wheel::Naming& naming, const fs::path& finished) {
  const std::vector<matrix::Check>& checks = action.settings.checks.after;
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(finished));
  TRY(const inspect::WheelFacts facts, inspect::gather(finished.filename().string(), *source));
  TRY(inspect::Expectations expected, expectations_of(action, naming));
  TRY(expected.judge_symbols, symbols_judge(bench, action));
  TRY(const std::vector<inspect::Finding> findings,
      inspect::check(facts, expected, rules_for(checks)));
  // A rule that is only a warning elsewhere is strict where the matrix names it.
  const std::vector<inspect::Finding> failures = inspect::failures(findings, named_rules(checks));
  if (!failures.empty()) return fail(as_error(finished, failures));
  const matrix::Check* const operators = find_check(checks, "operators");
  if (operators == nullptr) return {};
  return check_operators(bench, site, finished, action.compute, operators->arguments);
}

Done check_backend_version(const fs::path& built, const std::string& version) {
  const std::string file = built.filename().string();
  TRY(const pep::WheelName name, pep::parse_wheel_name(file));
  TRY(const pep::Version wanted, pep::parse_version(version));
  if (pep::public_part(name.version) == wanted) return {};
  return fail(ErrorKind::check,
              fmt::format("the backend made `{}`, pinwheel asked for version `{}`", file, version),
              "let the backend read its version from `PINWHEEL_VERSION` or "
              "`SETUPTOOLS_SCM_PRETEND_VERSION`");
}

}  // namespace pinwheel::host
