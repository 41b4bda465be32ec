#pragma once
#include <string>

#include "compat/assessment.h"

namespace pinwheel::report {

/// The compatibility of a wheel as one JSON object, two-space indent, keys sorted, a newline at the
/// end:
///     schema          1; keys may be added under the same number
///     wheel           file name
///     torch           oldest build first, [{
///                       version, arch     "2.13.0" is PyPI's build, "2.13.0+cpu" another
///                       pythons           tags that it was judged for, ["cp311"]
///                       loads             RTLD_NOW resolves every torch symbol
///                       verdict           "guaranteed", "symbols-resolve" or "no"
///                       missing           [{symbol, name, needed_by: [member], history}]:
///                                         symbol mangled, name demangled, history
///                                         "since 2.13.0"
///                       undecided         [{symbol, name, needed_by}]: a library with unknown
///                                         contents (libstdc++, libz) may define it
///                       needed_unresolved [soname] that no known package provides
///                       failing           members that do not load when opened on their own
///                       run               with `--run`, for a build that was tried: {
///                         state           "loaded": every library loads with RTLD_NOW, and the
///                                         modules import; "ran": the smoke command succeeded
///                                         too; "failed"; "skipped": it could not be tried
///                         evidence        text: what was done, or what failed, with its exit
///                                         status and last lines
///                         torch, python   as installed, "2.13.0+cpu", "3.11.7", or null
///                         disagreements   [{member, error}]: libraries that contradict the
///                                         verdict by symbols; error is the dynamic linker's
///                                         message, or null for one that loads unexpectedly}}]
///     abi             the torch ABI that it uses: "none", "stable" or "classic"
///     minimum_torch   for the Stable ABI: the first release with every shim it calls, or null
///     built_with      the torch in its own build record, or null
///     requires_torch  lines of METADATA that name torch
///     tags, python    from the file name: expanded; in words
///     distributions   [{name, glibc, runs, reasons: [text]}], oldest C library first
///     cuda            {runtimes: [major], device_code, minimum_driver}; the last is a driver
///                     branch or null
///     pin             the requirement to declare, "torch>=2.13,<2.14", or null
///     verdict         a summary in one paragraph
std::string compat_json(const compat::Assessment& assessment);

}  // namespace pinwheel::report
