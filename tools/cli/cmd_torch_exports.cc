#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "exports/listing.h"
#include "exports/table.h"
#include "exports/table_bytes.h"
#include "host/net/http.h"
#include "host/system/file_source.h"
#include "host/system/process.h"
#include "host/torch/torch_exports.h"
#include "host/torch/torch_index.h"
#include "host/torch/torch_wheel.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/workplace.h"
#include "report/table.h"

namespace pinwheel::cli {

namespace fs = std::filesystem;

namespace {

/// The table read from one source.
struct ExportsRead {
  exports::Table table;
  uint64_t bytes = 0;  ///< downloaded
};

/// A source of torch exports, and how to read it.
struct ExportsSource {
  std::string name;  ///< for people: a path, "torch 2.13.0 x86_64 (cp311, cp312)"
  std::function<Result<ExportsRead>()> read;
};

/// The sources on a command line. They refer to this object.
class TorchSources {
 public:
  TorchSources(const prepare::Host& host, Streams& streams);

  /// Files and directories, the torch of an interpreter, wheels of an index. Kind `usage` if there
  /// is none.
  Result<std::vector<ExportsSource>> named(const TorchExportsOptions& options);
  /// The releases on the index that are missing from the table, since torch 1.13.0.
  Result<std::vector<ExportsSource>> missing(const TorchExportsOptions& options,
                                             const exports::Table& table);

 private:
  Result<std::vector<ExportsSource>> local(const TorchExportsOptions& options);
  /// The wheels of the index from the option, else from pip's configuration, else PyPI.
  Result<std::vector<host::TorchFile>> ask_index(const TorchExportsOptions& options);
  ExportsSource remote(host::BuildToRead build);

  const prepare::Host& host_;
  Streams& streams_;
  std::shared_ptr<ports::Http> http_;
  std::optional<host::RemoteAccess> access_;
};

/// The first release whose exports are in the table.
constexpr std::string_view kOldest = "1.13.0";

std::string name_of(const host::BuildToRead& build) {
  std::vector<std::string> pythons;
  for (const host::TorchFile& file : build.wheels) pythons.push_back(file.wheel.python);
  return fmt::format("torch {} {} ({})", build.build.version, build.build.arch,
                     join(pythons, ", "));
}

TorchSources::TorchSources(const prepare::Host& host, Streams& streams)
    : host_(host),
      streams_(streams),
      http_(host.http(prepare::reading_options(host.variables), streams.log(), {})) {}

Result<std::vector<ExportsSource>> TorchSources::named(const TorchExportsOptions& options) {
  const bool from_index = !options.index.empty() || !options.torch.empty();
  if (!from_index) return local(options);
  if (options.torch.empty() || !options.sources.empty()) {
    return fail(ErrorKind::usage, "`--torch` takes one version, and no other sources",
                "for instance `pinwheel torch-exports add --index pypi --torch 2.13.0`");
  }
  TRY(const std::vector<host::TorchFile> files, ask_index(options));
  TRY(std::vector<host::BuildToRead> builds,
      host::choose_wheels(files, {options.torch, options.arch, options.pythons}));
  std::vector<ExportsSource> sources;
  sources.reserve(builds.size());
  for (host::BuildToRead& build : builds) sources.push_back(remote(std::move(build)));
  return sources;
}

Result<std::vector<ExportsSource>> TorchSources::missing(const TorchExportsOptions& options,
                                                         const exports::Table& table) {
  TRY(const std::vector<host::TorchFile> files, ask_index(options));
  std::vector<ExportsSource> sources;
  for (host::BuildToRead& build : host::missing_builds(files, table, kOldest)) {
    if (!options.arch.empty() && build.build.arch != options.arch) continue;
    sources.push_back(remote(std::move(build)));
  }
  return sources;
}

Result<std::vector<ExportsSource>> TorchSources::local(const TorchExportsOptions& options) {
  std::vector<ExportsSource> sources;
  std::vector<std::string> places = options.sources;
  const prepare::OpenMachine machine = host_.machine(prepare::outside_run(host_, streams_.log()));
  for (const std::string& python : options.pythons) {
    const Result<fs::path> site = host::torch_site_of(python, machine->process, host_.variables);
    if (!site) {
      return fail(
          Error(site.error())
              .with_hint(
                  "with `--torch VERSION`, `--python` takes versions of Python on an index"));
    }
    places.push_back(site->string());
  }
  sources.reserve(places.size());
  for (const std::string& place : places) {
    sources.push_back({place, [this, place]() -> Result<ExportsRead> {
                         if (host_.files.resolved_type(place) == ports::FileType::directory) {
                           TRY(const auto snapshot, host::read_torch_directory(place, host_.files));
                           return ExportsRead{exports::Table::of(snapshot)};
                         }
                         if (place.ends_with(".pwx")) {
                           TRY(exports::Table table, host::read_exports_file(place, host_.files));
                           return ExportsRead{std::move(table)};
                         }
                         TRY(const auto file, host::FileSource::open(place));
                         TRY(const auto snapshot,
                             host::read_torch_wheel(*file, fs::path(place).filename().string(),
                                                    host::TorchLibraries::all));
                         return ExportsRead{exports::Table::of(snapshot)};
                       }});
  }
  if (!sources.empty()) return sources;
  return fail(ErrorKind::usage, "no source of torch exports was given",
              "pass a wheel or a directory, `--python PATH`, or `--torch VERSION`");
}

Result<std::vector<host::TorchFile>> TorchSources::ask_index(const TorchExportsOptions& options) {
  const std::string named =
      options.index.empty() ? prepare::pip_settings(host_, streams_.log()).index.value_or("pypi")
                            : options.index;
  TRY(host::RemoteAddress index, host::parse_index(named));
  if (index.credentials) streams_.mask(index.credentials->password);
  access_.emplace(host::RemoteAccess{*http_, std::move(index.credentials), index.url});
  return host::list_torch_wheels(*access_, index.url);
}

ExportsSource TorchSources::remote(host::BuildToRead build) {
  const std::string name = name_of(build);
  return {name, [this, build = std::move(build)]() -> Result<ExportsRead> {
            const host::WholeFiles whole{
                prepare::unnamed_files_directory(host_.variables), [this](std::string_view url) {
                  streams_.note(fmt::format(
                      "{} is downloaded completely: its server does not support range requests\n",
                      url));
                }};
            TRY(const host::BuildRead read, host::read_build(*access_, whole, build));
            return ExportsRead{exports::Table::of(read.snapshot), read.bytes};
          }};
}

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

/// Adds sources to the table one at a time, and saves it after each.
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
    std::string line = fmt::format("{}: {}", source.name, format_duration(took));
    if (read.bytes > 0) line += fmt::format(", {} read", format_bytes(read.bytes));
    streams_.note(line + "\n");
    for (const exports::BuildSummary& summary : exports::summaries(read.table)) {
      nlohmann::json row = to_json(summary);
      row["bytes_read"] = read.bytes;
      added_.push_back(std::move(row));
    }
    return {};
  }

  /// Reports why a source was skipped, and continues.
  void skip(const ExportsSource& source, const Error& error) {
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
    adding.skip(source, done.error());
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
