#include "session/upload_notes.h"

namespace pinwheel::session {

std::function<void(const publish::UploadEvent&)> upload_notes(const prepare::GlobalOptions& options,
                                                              Console& console) {
  const prepare::LogFormat format = options.log_format;
  if (format == prepare::LogFormat::json) {
    return [&console](const publish::UploadEvent& event) {
      if (console.verbosity() != prepare::Verbosity::quiet)
        console.json_line(publish::to_json_line(event));
    };
  }
  const bool live = format == prepare::LogFormat::pretty ||
                    (format == prepare::LogFormat::automatic && console.stderr_is_terminal());
  if (live && !console.in_github()) return {};
  return [&console](const publish::UploadEvent& event) { console.note(publish::to_line(event)); };
}

}  // namespace pinwheel::session
