#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "exports/table.h"
#include "ports/files.h"

namespace pinwheel::host {

/// The user's own table: `$XDG_DATA_HOME/pinwheel/torch-exports.pwx`, else below ~/.local/share.
/// `environment` if there is no home directory.
Result<std::filesystem::path> user_exports_file(
    const std::map<std::string, std::string>& variables);

/// The table in a file; empty if there is no such file. Errors name the file, and how to do without
/// it.
Result<exports::Table> read_exports_file(const std::filesystem::path& file, ports::Files& files);

/// The known exports of torch: the shipped table, overlaid with the user's.
struct KnownExports {
  exports::Table table;
  std::vector<exports::Build> added = {};  ///< the builds of the user's table
};
Result<KnownExports> known_exports(const std::map<std::string, std::string>& variables,
                                   ports::Files& files);

/// Only the table.
Result<exports::Table> torch_exports(const std::map<std::string, std::string>& variables,
                                     ports::Files& files);

}  // namespace pinwheel::host
