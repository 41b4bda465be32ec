#include "cli/torch_sources.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "exports/table_bytes.h"
#include "host/system/file_source.h"
#include "host/system/process.h"
#include "host/torch/torch_exports.h"
#include "host/torch/torch_site.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/pip_settings.h"
#include "prepare/workplace.h"

namespace pinwheel::cli {

namespace fs = std::filesystem;

namespace {

/// The first release whose exports are in the table.
constexpr std::string_view kOldest = "1.13.0";

std::string name_of(const host::BuildToRead& build) {
  std::vector<std::string> pythons;
  for (const host::TorchFile& file : build.wheels) pythons.push_back(file.wheel.python);
  return fmt::format("torch {} {} ({})", build.build.version, build.build.arch,
                     join(pythons, ", "));
}

}  // namespace

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
                         if (host_.files.type_behind(place) == ports::FileType::directory) {
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

}  // namespace pinwheel::cli
