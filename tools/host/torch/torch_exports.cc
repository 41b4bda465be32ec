#include "host/torch/torch_exports.h"

#include <fmt/format.h>

#include "base/text.h"
#include "exports/shipped.h"
#include "exports/table_bytes.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

Result<fs::path> user_exports_file(const std::map<std::string, std::string>& variables) {
  constexpr const char* kBelowData = "pinwheel/torch-exports.pwx";
  const std::string data = value_at(variables, "XDG_DATA_HOME");
  if (!data.empty()) return fs::path(data) / kBelowData;
  const std::string home = value_at(variables, "HOME");
  if (!home.empty()) return fs::path(home) / ".local" / "share" / kBelowData;
  return fail(ErrorKind::environment, "there is no home directory for the tables",
              "set `HOME` or `XDG_DATA_HOME`");
}

Result<exports::Table> read_exports_file(const fs::path& file, ports::Files& files) {
  TRY(const ports::FileStatus status, files.status(file));
  if (status.type == ports::FileType::missing) return exports::Table();
  TRY(const std::string bytes, files.read(file, limits::kExports));
  Result<exports::Table> table = exports::parse_table(bytes);
  if (table) return table;
  Error error{table.error().kind, fmt::format("{} cannot be used", quoted(file.string()))};
  return fail(std::move(error)
                  .with_hint("remove it and add its contents again")
                  .with_cause(std::move(table).error()));
}

Result<KnownExports> known_exports(const std::map<std::string, std::string>& variables,
                                   ports::Files& files) {
  TRY(exports::Table shipped, exports::parse_table(exports::shipped_table()));
  const Result<fs::path> file = user_exports_file(variables);
  // Without a home directory there is no user table.
  if (!file) return KnownExports{std::move(shipped)};
  TRY(const exports::Table own, read_exports_file(*file, files));
  if (own.builds().empty()) return KnownExports{std::move(shipped)};
  return KnownExports{exports::merge(shipped, own), own.builds()};
}

Result<exports::Table> torch_exports(const std::map<std::string, std::string>& variables,
                                     ports::Files& files) {
  TRY(KnownExports known, known_exports(variables, files));
  return std::move(known.table);
}

}  // namespace pinwheel::host
