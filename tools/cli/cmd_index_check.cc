#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/mask.h"
#include "base/text.h"
#include "base/throttle.h"
#include "base/url.h"
#include "cli/commands.h"
#include "host/index/gather_index.h"
#include "host/index/index_reader.h"
#include "host/index/verified_files.h"
#include "host/net/get_remote.h"
#include "pep/pypi.h"
#include "pep/target_python.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/workplace.h"
#include "publish/index_audit.h"
#include "publish/upload_time.h"
#include "report/index_report.h"
#include "report/table.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::system_clock;

constexpr int kMostConnections = 64;

std::string rule_table(size_t columns) {
  std::vector<std::vector<std::string>> rows = {{"rule", "severity", "says"}};
  for (const publish::AuditRule& rule : publish::audit_rules()) {
    rows.push_back({std::string(rule.id), std::string(to_string(rule.severity)),
                    std::string(rule.description)});
  }
  return report::align_columns(rows, columns);
}

Result<std::vector<pep::TargetPython>> machines_of(const std::vector<std::string>& texts) {
  std::vector<pep::TargetPython> machines;
  for (const std::string& text : texts) {
    TRY(pep::TargetPython machine, pep::parse_target_python(text));
    machines.push_back(std::move(machine));
  }
  return machines;
}

/// "2026-01-02", a time of RFC 3339, or an age, "7d".
Result<std::optional<system_clock::time_point>> cutoff_of(const std::string& text,
                                                          system_clock::time_point now) {
  if (text.empty()) return std::nullopt;
  if (const auto age = parse_duration(text)) return now - *age;
  constexpr size_t kDate = 10;
  const auto time = publish::parse_upload_time(text.size() == kDate ? text + "T00:00:00Z" : text);
  if (time) return *time;
  return fail(ErrorKind::usage, fmt::format("--exclude-newer: {} is not a time", quoted(text)),
              "write `2026-01-02`, `2026-01-02T03:04:05Z`, or an age, `7d`");
}

host::IndexReader reader_of(const prepare::Host& host, const IndexCheckOptions& options,
                            ports::Http& http, Streams& streams) {
  const fs::path scratch = prepare::unnamed_files_directory(host.variables);
  const std::string place =
      options.index == "pypi" ? pep::simple_url(pep::kPypiHost) : options.index;
  if (const auto path = path_of_file_url(place)) return {http, host.at(*path), scratch};
  std::optional<host::RemoteAddress> address = host::parse_address(place);
  if (!address) return {http, host.at(place), scratch};
  if (address->credentials) streams.mask(address->credentials->password);
  return {http, *std::move(address), scratch};
}

Result<std::unique_ptr<host::VerifiedFiles>> record_of(const prepare::Host& host,
                                                       const IndexCheckOptions& options,
                                                       const std::string& root) {
  constexpr size_t kShort = 16;
  TRY(const fs::path cache, prepare::cache_directory(host));
  const fs::path path = cache / "index-check" / (sha256_hex(root).substr(0, kShort) + ".jsonl");
  if (options.refresh) TRY_DONE(host.files.remove_all(path));
  return host::VerifiedFiles::open(path);
}

report::IndexReport report_of(const host::GatheredIndex& index, const std::string& root,
                              const IndexCheckOptions& options) {
  report::IndexReport report;
  report.index = is_address(root) ? mask_urls(root) : options.index;
  report.pages = index.pages.size();
  report.hashed = index.hashed;
  report.verified = index.verified;
  report.bytes = index.bytes;
  for (const publish::AuditedPage& page : index.pages) report.files += page.files.size();
  return report;
}

void judge(const host::GatheredIndex& index, system_clock::time_point now,
           report::IndexReport& report) {
  const auto add = [&report](std::vector<publish::AuditFinding> found) {
    std::move(found.begin(), found.end(), std::back_inserter(report.findings));
  };
  for (const publish::AuditedPage& page : index.pages) add(publish::audit_page(page, now));
  add(publish::audit_conflicts(index.pages));
  add(publish::audit_choices(report.choices));
}

bool fails(const publish::AuditFinding& finding, const IndexCheckOptions& options) {
  return options.strict || finding.severity == publish::AuditSeverity::error;
}

}  // namespace

Result<int> cmd_index_check(const prepare::Host& host, const prepare::GlobalOptions& /*global*/,
                            const IndexCheckOptions& options, Streams& streams) {
  if (options.rules) {
    streams.data(rule_table(streams.data_columns()));
    return 0;
  }
  if (options.index.empty()) {
    return fail(ErrorKind::usage, "`index check` needs an index",
                "`pinwheel index check https://download.pytorch.org/whl/cu130 torch`");
  }
  if (options.connections > kMostConnections) {
    return fail(ErrorKind::usage, fmt::format("--connections is at most {}", kMostConnections));
  }
  const system_clock::time_point now = host.clock.now();
  TRY_DONE(publish::check_audit_rules(options.ignore));
  TRY(const std::vector<pep::TargetPython> machines, machines_of(options.machines));
  TRY(const auto before, cutoff_of(options.exclude_newer, now));
  const std::shared_ptr<ports::Http> http =
      host.http(prepare::reading_options(host.variables), streams.log(), {});
  const host::IndexReader reader = reader_of(host, options, *http, streams);
  TRY(const std::unique_ptr<host::VerifiedFiles> verified, record_of(host, options, reader.root()));
  Throttle throttle;
  const auto progress = [&streams, &throttle](const host::IndexProgress& so_far) {
    if (!throttle.passes()) return;
    streams.note(fmt::format("{} of {} checked, {} hashed\n", so_far.files,
                             plural(so_far.all, "file"), format_bytes(so_far.bytes)));
  };
  TRY(const host::GatheredIndex index,
      host::gather_index(reader, *verified,
                         {options.projects, options.labels,
                          options.no_hashes ? host::Hashes::leave_out : host::Hashes::check,
                          static_cast<unsigned>(options.connections)},
                         progress));
  report::IndexReport report = report_of(index, reader.root(), options);
  for (const publish::AuditedPage& page : index.pages) {
    std::vector<publish::MachineChoice> choices = publish::choices_of(page, machines, before);
    std::move(choices.begin(), choices.end(), std::back_inserter(report.choices));
  }
  judge(index, now, report);
  report.findings = publish::without_rules(std::move(report.findings), options.ignore);
  if (options.json) {
    streams.json(report::index_json(report));
  } else {
    streams.data(report::index_text(report, streams.data_columns()));
  }
  const bool failed = std::any_of(report.findings.begin(), report.findings.end(),
                                  [&](const auto& each) { return fails(each, options); });
  return failed ? exit_code(ErrorKind::check) : 0;
}

}  // namespace pinwheel::cli
