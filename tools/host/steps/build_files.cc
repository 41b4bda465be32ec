#include "host/steps/build_files.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "host/steps/build_command.h"
#include "host/system/files.h"
#include "host/system/log_tail.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostLog = uint64_t{32} << 20U;
constexpr uint64_t kMostCommands = uint64_t{4} << 20U;
constexpr size_t kMostFiles = 200'000;

bool has_commands(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"build.ninja", "flags.make",
                                                      "compile_commands.json"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

struct LeftFiles {
  bool objects = false;
  std::vector<std::string> commands = {};
};

/// Nothing here is needed: what cannot be read is passed over.
void look_below(const fs::path& directory, LeftFiles& left) {
  LocalFiles files;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  size_t seen = 0;
  for (fs::recursive_directory_iterator at(directory, options, error), end;
       !error && at != end && ++seen < kMostFiles; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (!at->is_regular_file(ignored) || at->is_symlink(ignored)) continue;
    left.objects = left.objects || name.ends_with(".o");
    if (!has_commands(name) || at->file_size(ignored) > kMostCommands) continue;
    if (Result<std::string> text = files.read(at->path())) {
      left.commands.push_back(*std::move(text));
    }
  }
}

}  // namespace

inspect::BuildTrace trace_of_build(const fs::path& scratch, const fs::path& log) {
  LeftFiles left;
  for (const char* const name : {kSourceName, "tmp"}) look_below(scratch / name, left);
  inspect::BuildTrace trace = inspect::build_trace(log_tail(log, kMostLog), left.commands);
  trace.compiled = trace.compiled || left.objects;
  return trace;
}

}  // namespace pinwheel::host
