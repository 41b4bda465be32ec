#include <fmt/format.h>

#include "base/text.h"
#include "ci/pins.h"
#include "cli/ci_workflows.h"
#include "cli/commands.h"
#include "host/git/text_difference.h"
#include "prepare/host.h"

namespace pinwheel::cli {
namespace {

/// The pins that a list of releases would change.
Done check_updates(ports::Files& files, const std::string& path, Streams& streams) {
  if (path.empty()) return {};
  TRY(const std::string text, files.read(path));
  TRY(const std::vector<ci::Update> updates, ci::updates_in(text, path));
  for (const ci::Update& update : updates) {
    streams.note(fmt::format("{} is pinned to {}, and {} is there\n", quoted(update.pin.action),
                             update.pin.version, quoted(update.version)));
  }
  return {};
}

}  // namespace

Result<int> cmd_ci_check(const prepare::Host& host, const prepare::GlobalOptions& /*global*/,
                         const CiCheckOptions& options, Streams& streams) {
  TRY(const GeneratedFiles made, generated_files(host, options.place, streams));
  TRY_DONE(check_updates(host.files, options.updates, streams));
  std::vector<std::string> different;
  for (const GeneratedFile& file : made.files) {
    if (file.text == file.existing) continue;
    TRY(const std::string difference,
        host::text_difference(file.existing, file.text, file.path.string()));
    streams.data(difference);
    different.push_back(file.path.string());
  }
  if (different.empty()) return 0;
  return fail(ErrorKind::drift,
              fmt::format("{} not what {} gives",
                          different.size() == 1 ? quoted(different.front()) + " is"
                                                : quoted_list(different) + " are",
                          quoted(made.matrix)),
              fmt::format("run {}", quoted(fmt::format("pinwheel ci generate {}",
                                                       shell_quote(made.matrix)))));
}

}  // namespace pinwheel::cli
