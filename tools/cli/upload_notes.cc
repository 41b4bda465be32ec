#include "cli/upload_notes.h"

namespace pinwheel::cli {

std::function<void(const publish::UploadEvent&)> upload_notes(const GlobalOptions& options,
                                                              Streams& streams) {
  const LogFormat format = options.log_format;
  if (format == LogFormat::json) {
    return [&streams](const publish::UploadEvent& event) {
      if (streams.verbosity() != Verbosity::quiet) streams.json_line(publish::to_json_line(event));
    };
  }
  const bool live = format == LogFormat::pretty ||
                    (format == LogFormat::automatic && streams.stderr_is_terminal());
  if (live && !streams.in_github()) return {};
  return [&streams](const publish::UploadEvent& event) { streams.note(publish::to_line(event)); };
}

}  // namespace pinwheel::cli
