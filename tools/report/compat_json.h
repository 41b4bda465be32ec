#pragma once
#include <string>

#include "compat/assessment.h"

namespace pinwheel::report {

/// Where a wheel runs as one JSON object, two-space indent, keys sorted, a newline at the end:
///     schema          1; keys may be added under the same number
///     wheel           file name
///     torch           oldest build first, [{
///                       version, arch     "2.13.0" is PyPI's build, "2.13.0+cpu" another
///                       pythons           tags on which it was judged, ["cp311"]
///                       loads             RTLD_NOW finds every symbol of torch's
///                       verdict           "guaranteed", "symbols-resolve" or "no"
///                       missing           [{symbol, name, needed_by: [member], history}]: symbol
///                       is
///                                         mangled, name demangled, history "since 2.13.0"
///                       undecided         [{symbol, name, needed_by}]: what a library of unknown
///                                         content (libstdc++, libz) may give
///                       needed_unresolved [soname] that nobody known brings
///                       failing           members that do not load when opened by themselves
///                       run               with `--run`, of a build that was tried: {
///                         state           "loaded": every library with RTLD_NOW, and the modules
///                                         import; "ran": the smoke command ended well, too;
///                                         "failed"; "skipped": it could not be tried
///                         evidence        text: what was done, or what failed, how it ended and
///                                         its last lines
///                         torch, python   as installed, "2.13.0+cpu", "3.11.7", or null
///                         disagreements   [{member, error}] libraries that do other than their
///                                         symbols said: the dynamic linker's words, or null for
///                                         one that was to fail and loads}}]
///     abi             what it uses of torch: "none", "stable" or "classic"
///     minimum_torch   of the Stable ABI: the first release with every shim that it calls, or null
///     built_with      the torch that its own record names, or null
///     requires_torch  lines of METADATA that name torch
///     tags, python    of the file name: expanded; in words
///     distributions   [{name, glibc, runs, reasons: [text]}], oldest C library first
///     cuda            {runtimes: [major], device_code, minimum_driver}; the last a driver branch
///                     or null
///     pin             what to require, "torch>=2.13,<2.14", or null
///     verdict         the whole in one paragraph
std::string compat_json(const compat::Assessment& assessment);

}  // namespace pinwheel::report
