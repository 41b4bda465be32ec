#include <fmt/format.h>

#include "cli/commands.h"
#include "host/steps/finish_files.h"
#include "host/system/files.h"
#include "ports/read_within.h"

namespace pinwheel::cli {

Result<int> cmd_finish(const GlobalOptions& global, const FinishOptions& options,
                       Streams& streams) {
  host::LocalFiles files;
  host::FinishRequest request;
  request.naming = {options.distribution, options.wheel_version, {}};
  request.epoch = options.epoch;
  request.requirement = options.requirement;
  request.external = options.external;
  if (!options.record.empty()) {
    TRY(request.record_json, ports::read_within(files, options.record, limits::kMetadata));
  }
  for (const std::string& file : options.files) {
    const bool sdist = file.ends_with(".tar.gz");
    const host::FinishSdistRequest of_sdist{options.distribution, options.wheel_version,
                                            options.epoch};
    TRY(const plan::Output output, sdist ? host::finish_sdist(file, of_sdist, global.output_dir)
                                         : host::finish_wheel(file, request, global.output_dir));
    streams.data(fmt::format("{} sha256={}\n", output.path, output.sha256));
  }
  return 0;
}

}  // namespace pinwheel::cli
