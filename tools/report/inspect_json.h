#pragma once
#include <string>
#include <vector>

#include "inspect/expectations.h"
#include "inspect/finding.h"
#include "inspect/read_member.h"
#include "inspect/wheel_facts.h"
#include "report/attestation_report.h"

namespace pinwheel::report {

/// The identity, requirements and contents of a wheel as one JSON object, two-space indent, keys
/// sorted, a newline at the end:
///     schema          1; keys may be added under the same number
///     wheel, size     file name, bytes
///     name, version   from METADATA; null if it is unreadable
///     tags            ["cp312-cp312-manylinux_2_28_x86_64", ...] from the file name, expanded
///     variant         null, or of a wheel variant {label, draft, schema, variants: {label:
///                     properties}}: label of the file name or null, draft "pep850", "pep825" or
///                     null for another, properties ["nvidia :: sm_arch :: 90_real", ...]
///     requires_python text or null
///     requires_dist   lines of METADATA
///     requires_torch  those that name torch
///     platform_tag    the tag that the binaries allow, "any" without binaries; null if they are
///                     for several architectures, or only objects
///     policy, arch    "manylinux_2_28", "x86_64"; null if there is none
///     why_not_older   texts: why the next older policy is not met
///     glibc, glibcxx, cxxabi   newest symbol version needed, "2.28", or null
///     cxx11_abi       the `_GLIBCXX_USE_CXX11_ABI` of imported symbols: true, false, "mixed" or
///                     null
///     needed          [{library, provider, needed_by: [member]}]; provider is system, own,
///                     torch, gpu, declared or nobody
///     not_judged      [{file, form}]: programs and libraries for other systems and processors;
///                     form is "PE", "Mach-O", "WebAssembly" or "ELF for riscv64"
///     device_code     [{file, kind, arch, compression, ptx_version, pieces, bytes}] of libraries
///                     and objects: one entry for all pieces that share the first five;
///                     ptx_version "9.0", null for code that is not PTX; bytes as stored, 0
///                     inside compressed bundles
///     kernels         [{file, arch, name, needs}] of cubins, needs as `kernel_object`; null unless
///                     they were read
///     operators       [{file, schema}]; null unless kernels were read
///     driver          {load, ptx}: the oldest NVIDIA driver that loads the code, and the oldest
///                     that compiles its PTX: {cuda: "12.4", branch: 550 or null, reason}, or
///                     null
///     gpus            [{product, arch, support, files}] for vendors that there is code for:
///                     support is native, ptx or none, of the libraries with the least support
///                     (of the objects if there is no library), listed in `files`
///     sizes           {sections, architectures: [{name, bytes, packed}], units: [{file, unit,
///                     bytes}]}, the largest first, 20 units at most; packed is the share of the
///                     archive, null unless a budget was requested
///     budget          null, or {limit, reached, needed, cuts: [{what, saves, costs_users}]}: if
///                     `reached`, the first `needed` cuts bring the wheel under the limit; the
///                     savings are estimates
///     files           [{name, size, compressed_size, crc32, sha256}]: crc32 in hexadecimal,
///                     sha256 in the form of RECORD
///     unpacked_size   bytes of all files
///     partial         null if all files were read; of a wheel on a server {fetched, requests,
///                     not_read, not_verified}: bytes and requests, the names of the files that
///                     were not read, and what was therefore not verified: "record" (the hashes of
///                     those files, whose sha256 is null), "archive" (their local headers), and
///                     "sha256" (the digest that the index states)
///     attestations    only if some were verified: see `attestation_list`
///     findings        [{rule, severity, file, message, evidence, hint}]; severity is error or
///                     warning
std::string inspect_json(const inspect::WheelFacts& facts, const inspect::Expectations& expected,
                         const std::vector<inspect::Finding>& findings,
                         const std::vector<VerifiedAttestation>& attestations = {},
                         inspect::Detail detail = inspect::Detail::usual);

}  // namespace pinwheel::report
