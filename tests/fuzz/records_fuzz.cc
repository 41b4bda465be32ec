#include <string>

#include "fuzz/fuzz.h"
#include "plan/frozen.h"
#include "plan/origin.h"
#include "plan/outcome.h"
#include "report/documentation.h"
#include "report/report_json.h"
#include "run/history.h"

using namespace pinwheel;

// Files that a run writes and another one reads, even on another machine: plans, reports, journals.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = text_of(data, size);
  if (const auto frozen = plan::parse_frozen_plan(text, "plan.json")) {
    const std::string written = plan::to_json(*frozen);
    const auto again = plan::parse_frozen_plan(written, "plan.json");
    must(again.has_value());
    must(plan::to_json(*again) == written);
  }
  static_cast<void>(plan::parse_origin(text));
  static_cast<void>(plan::parse_outcome(text));
  static_cast<void>(report::parse_report(text));
  static_cast<void>(report::find_report(text, "report.json"));
  static_cast<void>(run::parse_line(text));
  static_cast<void>(run::read_history(text, store::Domain::branch));
  static_cast<void>(report::documented_keys(text));
  return 0;
}
