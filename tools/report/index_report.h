#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "publish/index_audit.h"

namespace pinwheel::report {

/// The result of `index check`.
struct IndexReport {
  std::string index;  ///< its URL or directory, without credentials
  size_t pages = 0;
  size_t files = 0;
  size_t hashed = 0;    ///< files that were read to be hashed
  size_t verified = 0;  ///< files that were not read again: verified before, or under another page
  uint64_t bytes = 0;   ///< read to be hashed
  std::vector<publish::AuditFinding> findings = {};
  std::vector<publish::MachineChoice> choices = {};
};

/// For people, lines no wider than `width` (0: unlimited): what is installed on which machine, the
/// findings, with files that share one on one line, and a summary.
std::string index_text(const IndexReport& report, size_t width);

/// One JSON object, two-space indent, a newline at the end:
///     schema     "pinwheel-index-check/1"; keys may be added under the same name
///     index      its URL or directory
///     pages, files, hashed, verified, bytes   as in `IndexReport`
///     findings   [{rule, severity, page, file, message, hint}]; severity is error or warning, page
///                "cu130/torch", file null for a finding about the page
///     choices    [{page, machine, pip: {file, reason}, uv: {file, reason}}]; file null if nothing
///                is installed
std::string index_json(const IndexReport& report);

}  // namespace pinwheel::report
