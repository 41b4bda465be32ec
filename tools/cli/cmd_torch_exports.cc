#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/torch_sources.h"
#include "exports/listing.h"
#include "exports/table_bytes.h"
#include "host/torch/torch_exports.h"
#include "prepare/host.h"
#include "report/table.h"

namespace pinwheel::cli {

namespace fs = std::filesystem;

namespace {

/// The table for a command.
Result<host::KnownExports> table_of(const std::map<std::string, std::string>& variables,
                                    const TorchExportsOptions& options, ports::Files& files) {
  if (options.table.empty()) return host::known_exports(variables, files);
  TRY(exports::Table table, host::read_exports_file(options.table, files));
  return host::KnownExports{std::move(table)};
}

bool contains(const std::vector<exports::Build>& builds, const exports::Build& build) {
  return std::find(builds.begin(), builds.end(), build) != builds.end();
}

nlohmann::json to_json(const exports::BuildSummary& summary) {
  return {{"version", summary.build.version},
          {"arch", summary.build.arch},
          {"pythons", summary.pythons},
          {"libraries", summary.libraries},
          {"symbols", summary.symbols}};
}

std::string listed(const std::vector<exports::BuildSummary>& all,
                   const std::vector<exports::Build>& added, size_t columns) {
  std::vector<std::vector<std::string>> rows = {{"torch", "arch", "symbols", "from", "pythons"}};
  for (const exports::BuildSummary& each : all) {
    rows.push_back({each.build.version, each.build.arch, std::to_string(each.symbols),
                    contains(added, each.build) ? "added" : "shipped", join(each.pythons, " ")});
  }
  return report::align_columns(rows, columns);
}

Result<int> list(const prepare::Host& host, const TorchExportsOptions& options, Streams& streams) {
  TRY(const host::KnownExports known, table_of(host.variables, options, host.files));
  const std::vector<exports::BuildSummary> all = exports::summaries(known.table);
  if (!options.json) {
    streams.data(listed(all, known.added, streams.data_columns()));
    return 0;
  }
  nlohmann::json builds = nlohmann::json::array();
  for (const exports::BuildSummary& each : all) {
    nlohmann::json row = to_json(each);
    row["from"] = contains(known.added, each.build) ? "added" : "shipped";
    builds.push_back(std::move(row));
  }
  streams.json(nlohmann::json{{"schema", 1}, {"builds", builds}}.dump(2) + "\n");
  return 0;
}

/// Reads sources into the table one at a time, and saves it after each.
class Adding {
 public:
  Adding(const prepare::Host& host, fs::path file, Streams& streams)
      : host_(host), file_(std::move(file)), streams_(streams) {}

  Done run(const ExportsSource& source) {
    const auto begun = std::chrono::steady_clock::now();
    TRY(const ExportsRead read, source.read());
    TRY_DONE(keep(read.table));
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begun);
    std::string said = fmt::format("{}: {}", source.name, format_duration(took));
    if (read.bytes > 0) said += fmt::format(", {} read", format_bytes(read.bytes));
    streams_.note(said + "\n");
    for (const exports::BuildSummary& summary : exports::summaries(read.table)) {
      nlohmann::json row = to_json(summary);
      row["bytes_read"] = read.bytes;
      added_.push_back(std::move(row));
    }
    return {};
  }

  /// Reports why a source was skipped, and continues.
  void leave_out(const ExportsSource& source, const Error& error) {
    streams_.warn(
        Error{error.kind, fmt::format("{} was not added", source.name)}.with_cause(error));
    failed_.push_back({{"source", source.name}, {"error", error.message}});
  }

  std::string as_json() const {
    return nlohmann::json{
               {"schema", 1}, {"table", file_.string()}, {"added", added_}, {"failed", failed_}}
               .dump(2) +
           "\n";
  }

 private:
  Done keep(const exports::Table& read) {
    ports::Files& files = host_.files;
    TRY_DONE(files.make_directories(host_.at(file_).parent_path()));
    TRY(const auto lock, files.lock(fs::path(file_) += ".lock", ports::IfLocked::wait));
    TRY(const exports::Table table, host::read_exports_file(file_, files));
    return files.write(file_, exports::serialize(exports::merge(table, read)));
  }

  const prepare::Host& host_;
  fs::path file_;
  Streams& streams_;
  nlohmann::json added_ = nlohmann::json::array();
  nlohmann::json failed_ = nlohmann::json::array();
};

Result<fs::path> written_file(const std::map<std::string, std::string>& variables,
                              const TorchExportsOptions& options) {
  if (!options.table.empty()) return fs::path(options.table);
  return host::user_exports_file(variables);
}

Result<int> add(const prepare::Host& host, const TorchExportsOptions& options, Streams& streams) {
  TRY(const fs::path file, written_file(host.variables, options));
  TorchSources known(host, streams);
  TRY(const std::vector<ExportsSource> sources, known.named(options));
  Adding adding(host, file, streams);
  for (const ExportsSource& source : sources) TRY_DONE(adding.run(source));
  if (options.json) streams.json(adding.as_json());
  return 0;
}

Result<int> update(const prepare::Host& host, const TorchExportsOptions& options,
                   Streams& streams) {
  TRY(const fs::path file, written_file(host.variables, options));
  TRY(const host::KnownExports known, table_of(host.variables, options, host.files));
  TorchSources index(host, streams);
  TRY(const std::vector<ExportsSource> sources, index.missing(options, known.table));
  Adding adding(host, file, streams);
  int code = 0;
  for (const ExportsSource& source : sources) {
    const Done done = adding.run(source);
    if (done) continue;
    if (done.error().kind == ErrorKind::interrupted) return fail(done.error());
    adding.leave_out(source, done.error());
    if (code == 0) code = exit_code(done.error().kind);
  }
  if (sources.empty()) streams.note("the table already has everything on the index\n");
  if (options.json) streams.json(adding.as_json());
  return code;
}

Result<int> verify(const prepare::Host& host, const TorchExportsOptions& options,
                   Streams& streams) {
  TRY(const host::KnownExports known, table_of(host.variables, options, host.files));
  TorchSources places(host, streams);
  TRY(const std::vector<ExportsSource> sources, places.named(options));
  nlohmann::json rows = nlohmann::json::array();
  for (const ExportsSource& source : sources) {
    TRY(const ExportsRead read, source.read());
    const std::vector<exports::Difference> found = exports::differences(known.table, read.table);
    for (const exports::Difference& each : found) {
      rows.push_back({{"library", each.library}, {"difference", each.what}});
      if (!options.json) streams.data(fmt::format("{} {}\n", each.library, each.what));
    }
    if (found.empty()) streams.note(fmt::format("{}: matches the table\n", source.name));
  }
  if (options.json) {
    streams.json(nlohmann::json{{"schema", 1}, {"differences", rows}}.dump(2) + "\n");
  }
  return rows.empty() ? 0 : exit_code(ErrorKind::check);
}

}  // namespace

Result<int> cmd_torch_exports(const prepare::Host& host, const prepare::GlobalOptions& /*global*/,
                              const TorchExportsOptions& options, Streams& streams) {
  switch (options.verb) {
    case TorchExportsVerb::add:
      return add(host, options, streams);
    case TorchExportsVerb::update:
      return update(host, options, streams);
    case TorchExportsVerb::verify:
      return verify(host, options, streams);
    case TorchExportsVerb::list:
      break;
  }
  return list(host, options, streams);
}

}  // namespace pinwheel::cli
