#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/ci_workflows.h"
#include "cli/commands.h"
#include "host/system/files.h"

namespace pinwheel::cli {
namespace {

std::string_view state_of(const GeneratedFile& file) {
  if (file.text.empty()) return "removed";
  if (file.existing.empty()) return "new";
  return file.existing == file.text ? "unchanged" : "changed";
}

std::string files_json(const std::vector<GeneratedFile>& made) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const GeneratedFile& file : made) {
    files.push_back({{"path", file.path.string()}, {"state", state_of(file)}});
  }
  return nlohmann::ordered_json{{"files", files}}.dump(2) + "\n";
}

}  // namespace

Result<int> cmd_ci_generate(const GlobalOptions& /*global*/, const CiGenerateOptions& options,
                            Streams& streams) {
  host::LocalFiles files;
  TRY(const GeneratedFiles made, generated_files(files, options.place, streams));
  for (const GeneratedFile& file : made.files) {
    if (file.text == file.existing) continue;
    if (file.text.empty()) {
      TRY_DONE(files.remove_all(file.path));
      continue;
    }
    TRY_DONE(files.make_directories(file.path.parent_path()));
    TRY_DONE(files.write(file.path, file.text));
  }
  if (options.json) {
    streams.json(files_json(made.files));
    return 0;
  }
  for (const GeneratedFile& file : made.files) {
    streams.note(fmt::format("{} {}\n", state_of(file), shell_quote(file.path.string())));
  }
  return 0;
}

}  // namespace pinwheel::cli
