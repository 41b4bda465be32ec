#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/text.h"
#include "cli/commands.h"
#include "host/file_source.h"
#include "inspect/arch_list.h"
#include "inspect/gather.h"
#include "inspect/report.h"
#include "inspect/rules.h"
#include "report/plan_text.h"

namespace pinwheel::cli {
namespace {

std::string rule_list() {
  std::vector<std::vector<std::string>> rows = {{"rule", "says"}};
  for (const inspect::Rule& rule : inspect::all_rules()) {
    rows.push_back({std::string(rule.id), std::string(rule.description)});
  }
  return report::align_columns(rows);
}

Result<inspect::Expectations> expectations_of(const InspectOptions& options) {
  inspect::Expectations expected;
  expected.arch_list = inspect::split_arch_list(options.arch_list);
  if (options.size_limit.empty()) return expected;
  const auto limit = parse_bytes(options.size_limit);
  if (!limit || *limit == 0) {
    return fail(ErrorKind::usage, fmt::format("`--size-limit` cannot be `{}`", options.size_limit),
                "write a size such as `100 MB`");
  }
  expected.size_limit = *limit;
  return expected;
}

/// What a file holds; an error says of which file it speaks.
Result<inspect::WheelFacts> facts_of(const std::string& file) {
  const auto read = [&file]() -> Result<inspect::WheelFacts> {
    TRY(const std::unique_ptr<host::FileSource> source, host::FileSource::open(file));
    return inspect::gather(std::filesystem::path(file).filename().string(), *source);
  };
  Result<inspect::WheelFacts> facts = read();
  if (facts) return facts;
  Error error{facts.error().kind, fmt::format("{} cannot be inspected", quoted(file))};
  return fail(std::move(error).with_cause(std::move(facts).error()));
}

}  // namespace

Result<int> cmd_inspect(const GlobalOptions& /*global*/, const InspectOptions& options,
                        Streams& streams) {
  if (options.rules) {
    streams.data(rule_list());
    return 0;
  }
  if (options.files.empty()) {
    return fail(ErrorKind::usage, "`inspect` needs a wheel", "`pinwheel inspect FILE.whl`");
  }
  TRY(const std::vector<std::string> rules, inspect::rules_without(options.ignore));
  TRY(const inspect::Expectations expected, expectations_of(options));
  size_t broken = 0;
  for (const std::string& file : options.files) {
    TRY(const inspect::WheelFacts facts, facts_of(file));
    TRY(const std::vector<inspect::Finding> findings, inspect::check(facts, expected, rules));
    streams.data(options.json ? inspect::json_report(facts, expected, findings)
                              : inspect::summary(facts, expected, findings));
    broken += findings.size();
  }
  return options.check && broken > 0 ? exit_code(ErrorKind::check) : 0;
}

}  // namespace pinwheel::cli
