#include "cli/compare_reports.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare_runs.h"
#include "base/text.h"
#include "cli/reported_run.h"
#include "host/index/github_comment.h"
#include "host/net/http.h"
#include "host/system/named_output.h"
#include "host/wheels/inspect_path.h"
#include "prepare/http_options.h"
#include "publish/github_comment.h"
#include "publish/github_place.h"
#include "report/comparison_report.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

/// A file of a run: where it says, or anywhere below the directory that the reader named.
std::optional<fs::path> find_output(const plan::Output& output, const fs::path& output_dir,
                                    const std::string& directory) {
  const fs::path path(output.path);
  for (const fs::path& place : {path, output_dir / path}) {
    if (place.is_absolute() && has_bytes_of(place, output)) return place;
  }
  if (directory.empty()) return std::nullopt;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    // Stores name files by their digests.
    const bool same_name = at->path().filename() == path.filename();
    const bool stored = at->path().filename().string().find(output.sha256) != std::string::npos;
    if ((same_name || stored) && has_bytes_of(at->path(), output)) return at->path();
  }
  return std::nullopt;
}

/// Where the files of the two runs are, besides where their reports say; empty: nowhere.
struct Directories {
  std::string before;
  std::string after;
};

/// What differs in a file that both runs made, with the reason if it cannot be read.
report::ComparedWheel compared_wheel(analysis::ComparedFile file, const fs::path& output_dir,
                                     const Directories& directories) {
  report::ComparedWheel out{std::move(file)};
  const std::optional<plan::Output>& before = out.file.before;
  const std::optional<plan::Output>& after = out.file.after;
  if (!before || !after || !after->path.ends_with(".whl")) return out;
  const auto old_path = find_output(*before, output_dir, directories.before);
  const auto new_path = find_output(*after, output_dir, directories.after);
  if (!old_path || !new_path) {
    out.unread = fmt::format("the wheel of the {} run is not here", old_path ? "later" : "earlier");
    return out;
  }
  inspect::GatherOptions gather;
  gather.detail = inspect::Detail::kernels;
  const auto name_of = [](const plan::Output& output) {
    return fs::path(output.path).filename().string();
  };
  Result<host::ComparedWheels> wheels =
      host::compare_wheels({*old_path, name_of(*before)}, {*new_path, name_of(*after)}, gather);
  if (wheels) {
    out.difference = std::move(wheels->difference);
  } else {
    out.unread = wheels.error().message;
  }
  return out;
}

/// Writes the comment, if this is a job of a pull request with a token that may.
Done write_comment(const prepare::Host& host, const std::string& name, const std::string& markdown,
                   Streams& streams) {
  const std::optional<uint64_t> number = publish::pull_request_number(host.variables);
  if (!number) {
    streams.note("no comment: this is no job of a pull request\n");
    return {};
  }
  const std::string repository = publish::github_repository(host.variables, {});
  TRY(publish::GithubPlace place, publish::github_place("github", {}, repository, host.variables));
  Secret token;
  for (const char* const variable : {"GITHUB_TOKEN", "GH_TOKEN"}) {
    const auto found = host.variables.find(variable);
    if (found != host.variables.end() && !found->second.empty()) token = Secret(found->second);
  }
  if (token.empty()) {
    return fail(ErrorKind::environment, "the comment needs a token", "set GITHUB_TOKEN");
  }
  streams.hide(token);
  const std::shared_ptr<ports::Http> http =
      host.http(prepare::http_options(host.variables), streams.log(), {});
  TRY(const host::CommentChange change,
      host::put_comment({std::move(place), *number, name, markdown}, token, *http));
  const bool created = change == host::CommentChange::created;
  streams.note(
      fmt::format("{} the comment of pull request {}\n", created ? "wrote" : "updated", *number));
  return {};
}

/// Two reports without a common step are jobs of one run. Results in directories are of whole runs,
/// of which one may have failed in every step.
Done check_comparable(const analysis::RunComparison& comparison, const ReportOptions& options,
                      const Directories& directories) {
  if (comparison.shared > 0 || !directories.before.empty() || !directories.after.empty()) return {};
  return fail(ErrorKind::usage,
              fmt::format("{} and {} have no step in common", quoted(options.runs[0]),
                          quoted(options.runs[1])),
              "pass `--merge` to show two jobs of one run together");
}

/// The durations in the file of `--history`, else those in the journal that contains the runs.
Result<analysis::EarlierDurations> usual_durations(const prepare::Host& host,
                                                   const prepare::GlobalOptions& global,
                                                   const ReportOptions& options, Streams& streams) {
  if (options.history.empty()) {
    return earlier_durations(host, global, options.runs[0], options.runs[1]);
  }
  return analysis::durations_of(read_history_file(host, options.history, streams));
}

}  // namespace

Result<bool> is_run_comparison(const ReportOptions& options) {
  const bool two = options.runs.size() == 2 && !options.merge && options.trace.empty() &&
                   options.html.empty() && options.update_history.empty();
  const bool asked = !options.markdown.empty() || !options.base_wheels.empty() ||
                     !options.wheels.empty() || !options.comment.empty() || options.partial ||
                     !options.history.empty();
  if (asked && !two) {
    return fail(
        ErrorKind::usage,
        "`--markdown`, `--comment`, `--base-wheels`, `--wheels`, `--history` and `--partial` need "
        "two runs to compare",
        "`pinwheel report BEFORE AFTER`");
  }
  return two;
}

Result<int> compare_reports(const prepare::Host& host, const prepare::GlobalOptions& global,
                            const ReportOptions& options, Streams& streams) {
  TRY(const ReportedRun before, read_run(host, global, options.runs[0], streams));
  TRY(const ReportedRun after, read_run(host, global, options.runs[1], streams));
  TRY(const analysis::EarlierDurations earlier, usual_durations(host, global, options, streams));
  report::RunDifference difference{
      options.base_name.empty() ? options.runs[0] : options.base_name, options.runs[1],
      analysis::compare_runs(before.outcomes, after.outcomes, earlier)};
  if (options.partial) difference.runs.lost.clear();
  TRY_DONE(check_comparable(difference.runs, options, {before.files, after.files}));
  const fs::path output_dir = fs::absolute(fs::path(global.output_dir));
  const Directories directories{options.base_wheels.empty() ? before.files : options.base_wheels,
                                options.wheels.empty() ? after.files : options.wheels};
  difference.wheels.reserve(difference.runs.files.size());
  for (const analysis::ComparedFile& file : difference.runs.files) {
    difference.wheels.push_back(compared_wheel(file, output_dir, directories));
  }
  const std::string markdown = report::comparison_markdown(difference);
  streams.step_summary(markdown);
  if (!options.markdown.empty()) {
    TRY_DONE(host::write_named_output(host.files, options.markdown, markdown));
  }
  if (options.json) {
    streams.json(report::comparison_json(difference));
  } else {
    streams.data(report::comparison_text(difference));
  }
  if (!options.comment.empty()) {
    TRY_DONE(write_comment(host, options.comment, markdown, streams));
  }
  return 0;
}

}  // namespace pinwheel::cli
