#include <fmt/format.h>

#include "cli/commands.h"
#include "host/wheels/finish_files.h"
#include "inspect/needed_library.h"
#include "prepare/host.h"

namespace pinwheel::cli {

Result<int> cmd_finish(const prepare::Host& host, const prepare::GlobalOptions& global,
                       const FinishOptions& options, Streams& streams) {
  host::FinishRequest request;
  request.naming = {options.distribution, options.wheel_version, {}};
  request.epoch = options.epoch;
  request.requirement = options.requirement;
  request.external = options.external;
  if (!options.record.empty()) {
    TRY(request.record_json, host.files.read(options.record, limits::kMetadata));
  }
  for (const std::string& file : options.files) {
    host::FinishedBuild finished;
    if (file.ends_with(".tar.gz")) {
      TRY(finished.output,
          host::finish_sdist(file, {options.distribution, options.wheel_version, options.epoch},
                             global.output_dir));
    } else {
      TRY(finished, host::finish_wheel(file, request, global.output_dir));
      for (const Error& warning :
           inspect::unmatched_patterns("--external", options.external, finished.needed)) {
        streams.warn(warning);
      }
    }
    const plan::Output& output = finished.output;
    streams.data(fmt::format("{} sha256={}\n", output.path, output.sha256));
  }
  return 0;
}

}  // namespace pinwheel::cli
