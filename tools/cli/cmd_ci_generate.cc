#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/ci_workflows.h"
#include "cli/commands.h"
#include "prepare/host.h"

namespace pinwheel::cli {
namespace {

std::string_view state_of(const GeneratedFile& file) {
  if (file.text.empty()) return "removed";
  if (file.existing.empty()) return "new";
  return file.existing == file.text ? "unchanged" : "changed";
}

std::string made_json(const GeneratedFiles& made) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const GeneratedFile& file : made.files) {
    files.push_back({{"path", file.path.string()}, {"state", state_of(file)}});
  }
  nlohmann::ordered_json registrations = nlohmann::ordered_json::array();
  for (const Registration& each : made.registrations) {
    registrations.push_back({{"target", each.target},
                             {"workflow", each.workflow},
                             {"environment", each.environment},
                             {"trusted", each.trusted},
                             {"names", each.names}});
  }
  return nlohmann::ordered_json{{"files", files}, {"register", registrations}}.dump(2) + "\n";
}

/// "register with `pypi`, with ... as the trusted publisher of each: `demo`, `demo-cpu`".
std::string register_line(const Registration& each) {
  std::string publisher;
  if (each.trusted) {
    publisher =
        fmt::format(", with {}{} as the trusted publisher of each", quoted(each.workflow),
                    each.environment.empty() ? "" : " and environment " + quoted(each.environment));
  }
  return fmt::format("register with {}{}: {}\n", quoted(each.target), publisher,
                     quoted_list(each.names));
}

}  // namespace

Result<int> cmd_ci_generate(const prepare::Host& host, const prepare::GlobalOptions& /*global*/,
                            const CiGenerateOptions& options, Streams& streams) {
  TRY(const GeneratedFiles made, generated_files(host, options.place, streams));
  for (const GeneratedFile& file : made.files) {
    if (file.text == file.existing) continue;
    if (file.text.empty()) {
      TRY_DONE(host.files.remove_all(file.path));
      continue;
    }
    TRY_DONE(host.files.make_directories(file.path.parent_path()));
    TRY_DONE(host.files.write(file.path, file.text));
  }
  if (options.json) {
    streams.json(made_json(made));
    return 0;
  }
  for (const GeneratedFile& file : made.files) {
    streams.note(fmt::format("{} {}\n", state_of(file), shell_quote(file.path.string())));
  }
  for (const Registration& each : made.registrations) streams.note(register_line(each));
  return 0;
}

}  // namespace pinwheel::cli
