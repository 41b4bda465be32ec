#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/run_trace.h"
#include "base/result.h"
#include "cli/streams.h"
#include "plan/outcome.h"
#include "prepare/host.h"
#include "prepare/options.h"

namespace pinwheel::cli {

/// Reports before any work that `--html` cannot be written: by a build without pages, or to stdout.
Done check_html(const std::string& path);

/// Writes the page with this data. `check_html` accepted the path.
Done write_html(const prepare::Host& host, const std::string& path, const std::string& title,
                const nlohmann::ordered_json& page, Streams& streams);

/// The page of a run: its steps, failures, the wheels that it built as far as they are on this
/// machine, the torch releases that load them, and the earlier runs of the state directory.
Done write_run_html(const prepare::Host& host, const prepare::GlobalOptions& global,
                    const std::string& path, const std::vector<plan::StepOutcome>& outcomes,
                    const analysis::RunTrace& trace, Streams& streams);

}  // namespace pinwheel::cli
