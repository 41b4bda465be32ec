#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "inspect/difference.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::report {

/// The differences for people; several lines.
std::string difference_text(const inspect::WheelFacts& old_wheel,
                            const inspect::WheelFacts& new_wheel,
                            const inspect::WheelDifference& difference);
/// "`demo/_C.so` of the new wheel cannot be read in full, so device code or operators may be
/// missing here: ..."
std::string unread_text(const inspect::UnreadPart& part);
/// Adds members, metadata, tags, needed, architectures, operators, requirements, kernels, sizes and
/// unread_parts, as below.
void put_difference(const inspect::WheelDifference& difference, nlohmann::json& out);
/// One JSON object, two-space indent, keys sorted, a newline at the end:
///     schema         1; keys may be added under the same number
///     old, new       {wheel, size, name, version}
///     sameness       "identical", "same-contents" or "different"
///     archive        for equal contents, how the archives differ: order, time, compression,
///                    mode
///     members, metadata, tags, needed, architectures   {gained: [...], lost: [...]}
///     operators      the same, of schemas; only if kernels were read
///     requirements   the same, of Requires-Dist and Requires-Python
///     kernels        {gained, lost: [{file, arch, name, needs}], changed: [{file, arch, name,
///                    needs_more, before, after}]}; only if kernels were read; needs, before and
///                    after as `kernel_object`
///     sizes          [{part, name, before, after}]: parts whose sizes differ; part is file (bytes
///                    in the archive), section or architecture (unpacked)
///     unread_parts   [{side: "old" or "new", file, message}]: members of which kernels or other
///                    device code may be missing above, because they cannot be read
///     changed        [{name, old_size, new_size, cause, sections, symbols: {gained, lost}}]; cause
///                    is version, time, path, random, order, several or contents
std::string difference_json(const inspect::WheelFacts& old_wheel,
                            const inspect::WheelFacts& new_wheel,
                            const inspect::WheelDifference& difference);

}  // namespace pinwheel::report
