#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "inspect/expectations.h"
#include "inspect/finding.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::report {

/// A wheel for the HTML page: of `inspect_json` the members wheel, size, unpacked_size, policy,
/// platform_tag, requires_python, requires_dist, driver, gpus, device_code, findings and partial,
/// and
///     measure    "packed" if the facts have the sizes of parts in the archive, else "bytes"
///     files      [{name, bytes, packed}]
///     libraries  [{file, sections: [{name, bytes, packed, debug, code: [{name, bytes, packed,
///                pieces, unpacked, kernels}]}]}]: name "sm_90a" or "PTX compute_90"; packed null
///                if not measured; unpacked bytes after decompression
///     kernels    [{name, bytes, registers, stack, spills, shared}]: the largest ones of the wheel,
///     if
///                the facts have kernels; name demangled, bytes of code after decompression, stack
///                and spills null if unknown
///     budget     null without sizes in the archive, or {limit, cuts: [{what, saves, costs_users}]}
///                with everything that could be removed, in order; limit null without a budget
nlohmann::ordered_json wheel_page(const inspect::WheelFacts& facts,
                                  const inspect::Expectations& expected,
                                  const std::vector<inspect::Finding>& findings);

}  // namespace pinwheel::report
