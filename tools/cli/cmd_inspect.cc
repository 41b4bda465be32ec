#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "base/url.h"
#include "cli/commands.h"
#include "cli/gather.h"
#include "cli/torch_range.h"
#include "cli/wheel_argument.h"
#include "host/files.h"
#include "host/inspect_path.h"
#include "host/symbols_check.h"
#include "host/torch_exports.h"
#include "inspect/arch_list.h"
#include "inspect/report.h"
#include "inspect/rules.h"
#include "report/plan_text.h"

namespace pinwheel::cli {
namespace {

using Names = std::vector<std::string>;

std::string rule_list() {
  std::vector<std::vector<std::string>> rows = {{"rule", "breaking it is", "says"}};
  for (const inspect::Rule& rule : inspect::all_rules()) {
    rows.push_back({std::string(rule.id), std::string(to_string(rule.severity)),
                    std::string(rule.description)});
  }
  return report::align_columns(rows);
}

Result<uint64_t> size_of(const std::string& option, const std::string& text) {
  const auto size = parse_bytes(text);
  if (size && *size > 0) return *size;
  return fail(ErrorKind::usage, fmt::format("`{}` cannot be `{}`", option, text),
              "write a size such as `100 MB`");
}

Result<inspect::SymbolsJudge> judge_of(const std::string& torch, Streams& streams) {
  if (torch.empty()) return inspect::SymbolsJudge{};
  TRY(pep::SpecifierSet range, parse_torch_range("--torch", torch));
  host::LocalFiles files;
  TRY(exports::Table table, host::torch_exports(user_variables(), files));
  return host::judge_on(std::make_shared<const exports::Table>(std::move(table)), std::move(range),
                        [&streams](const std::string& text) {
                          streams.note(fmt::format("undefined-symbols: {}\n", text));
                        });
}

Result<inspect::Expectations> expectations_of(const InspectOptions& options, Streams& streams) {
  inspect::Expectations expected;
  expected.arch_list = inspect::split_arch_list(options.arch_list);
  TRY(expected.judge_symbols, judge_of(options.torch, streams));
  if (!options.size_limit.empty()) {
    TRY(expected.size_limit, size_of("--size-limit", options.size_limit));
  }
  if (!options.budget.empty()) {
    TRY(expected.budget, size_of("--budget", options.budget));
  }
  return expected;
}

inspect::GatherOptions gather_options(const inspect::Expectations& expected) {
  inspect::GatherOptions options;
  if (expected.budget) options.measure = inspect::Measure::packing;
  return options;
}

/// Two wheels that nothing else is asked of are compared.
bool asks_for_comparison(const InspectOptions& options) {
  // An address may go on behind the file's name.
  const auto is_wheel = [](const std::string& file) {
    return is_address(file) || file.ends_with(".whl");
  };
  return options.files.size() == 2 && !options.check && options.budget.empty() &&
         options.torch.empty() && std::all_of(options.files.begin(), options.files.end(), is_wheel);
}

Result<int> compare(const InspectOptions& options, Streams& streams) {
  TRY(const FileArgument old_wheel, open_argument(options.files[0], streams));
  TRY(const FileArgument new_wheel, open_argument(options.files[1], streams));
  TRY(const host::ComparedWheels wheels, host::compare_wheels(old_wheel.input, new_wheel.input));
  const auto tell = options.json ? inspect::difference_json : inspect::difference_text;
  streams.data(tell(wheels.old_wheel, wheels.new_wheel, wheels.difference));
  return 0;
}

/// One JSON object as it is, several as an array.
std::string as_document(const std::vector<std::string>& objects) {
  return objects.size() == 1 ? objects[0] : "[" + join(objects, ",") + "]\n";
}

}  // namespace

Result<int> cmd_inspect(const GlobalOptions& /*global*/, const InspectOptions& options,
                        Streams& streams) {
  if (options.rules) {
    streams.data(rule_list());
    return 0;
  }
  if (options.files.empty()) {
    return fail(ErrorKind::usage, "`inspect` needs a file", "`pinwheel inspect FILE.whl`");
  }
  TRY(const Names rules, inspect::chosen_rules({options.select, options.ignore}));
  TRY(const inspect::Expectations expected, expectations_of(options, streams));
  if (asks_for_comparison(options)) return compare(options, streams);
  size_t broken = 0;
  Names objects;
  for (const std::string& file : options.files) {
    TRY(const FileArgument argument, open_argument(file, streams));
    TRY(const inspect::WheelFacts facts,
        host::inspect_path(argument.input, gather_options(expected)));
    TRY(const std::vector<inspect::Finding> findings, inspect::check(facts, expected, rules));
    if (options.json) objects.push_back(inspect::json_report(facts, expected, findings));
    if (!options.json) streams.data(inspect::summary(facts, expected, findings));
    broken += inspect::failures(findings, options.strict ? rules : Names{}).size();
  }
  if (options.json) streams.data(as_document(objects));
  return options.check && broken > 0 ? exit_code(ErrorKind::check) : 0;
}

}  // namespace pinwheel::cli
