#pragma once
#include <cstdint>
#include <string_view>

#include "plan/attempt_trace.h"

namespace pinwheel::plan {

/// The hits and misses in the file that `CCACHE_STATSLOG` names: one counter per line, and lines
/// with `#` for the sources (ccache(1)).
CacheHits ccache_hits(std::string_view stats_log);

/// The hits and misses of all languages in the statistics of sccache (`--show-stats --stats-format
/// json`). It counts each part of a compilation with nvcc: the code of the host, and for each
/// architecture PTX and its machine code. None if the text is not such a report.
CacheHits sccache_hits(std::string_view stats);

/// What an installation received, by pip's output.
struct PipTraffic {
  uint64_t fetched = 0;  ///< bytes
  CacheHits cache = {"pip"};
};

/// Files that pip downloaded are misses of its cache, the others hits. The bytes are those of the
/// last `Progress N of M` line after a download (the raw progress bar of pip 24.1), otherwise the
/// rounded size that pip prints with the name.
PipTraffic pip_traffic(std::string_view output);

}  // namespace pinwheel::plan
