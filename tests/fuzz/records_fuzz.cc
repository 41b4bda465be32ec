#include <string>

#include "analysis/duration_history.h"
#include "fuzz/fuzz.h"
#include "plan/checkpoint.h"
#include "plan/device_code.h"
#include "plan/evidence_gate.h"
#include "plan/frozen.h"
#include "plan/ninja_manifest.h"
#include "plan/ninja_state.h"
#include "plan/origin.h"
#include "plan/outcome.h"
#include "plan/trace_context.h"
#include "publish/bucket_state.h"
#include "publish/release_record.h"
#include "report/documentation.h"
#include "report/report_json.h"
#include "report/trace.h"
#include "run/history.h"

using namespace pinwheel;

// Files that a run writes and another one reads, even on another machine: plans, reports, journals,
// records of releases, the state of an index in a bucket.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = text_of(data, size);
  if (const auto frozen = plan::parse_frozen_plan(text, "plan.json")) {
    const std::string written = plan::to_json(*frozen);
    const auto again = plan::parse_frozen_plan(written, "plan.json");
    must(again.has_value());
    must(plan::to_json(*again) == written);
  }
  if (const auto record = publish::parse_release_record(text)) {
    const std::string written = publish::record_json(*record);
    const auto again = publish::parse_release_record(written);
    must(again.has_value());
    must(publish::record_json(*again) == written);
  }
  if (const auto state = publish::parse_bucket_state(text)) {
    const auto again = publish::parse_bucket_state(publish::to_json(*state));
    must(again && *again == *state);
  }
  if (const auto checkpoint = plan::parse_checkpoint(text)) {
    const auto again = plan::parse_checkpoint(plan::to_json(*checkpoint));
    must(again && again->files.size() == checkpoint->files.size());
  }
  static_cast<void>(plan::parse_device_index(text));
  const plan::DeviceUses uses = plan::parse_device_uses(text);
  static_cast<void>(plan::repeated_compilations(uses, {"cu13", "/src/"}));
  static_cast<void>(plan::judge_linked_code(uses, {"cu13", "/src/"}, uses.others));
  static_cast<void>(plan::ninja_inputs(text, {"a.o"}));
  static_cast<void>(plan::ninja_entries(text));
  const auto included = [](const std::string& name) -> Result<std::string> {
    const std::string deeper = name.size() < 4 ? "subninja " + name + "x\n" : std::string();
    return deeper + "v = " + name + "\nbuild $v: cc $w\n  w = $v\n";
  };
  if (const auto manifest = plan::parse_ninja_manifest(text, included)) {
    static_cast<void>(plan::ninja_outputs(*manifest));
    static_cast<void>(plan::ninja_reads(*manifest, {"a.o"}));
  }
  static_cast<void>(plan::with_new_times_deps(text, [](int64_t time) { return time; }));
  static_cast<void>(plan::parse_origin(text));
  if (const auto outcome = plan::parse_outcome(text)) {
    const auto again = plan::parse_outcome(plan::outcome_json(*outcome));
    must(again && again->trace == outcome->trace);
  }
  if (const auto time = plan::parse_trace_time(text)) must(plan::to_string(*time) == text);
  if (const auto context = plan::parse_traceparent(text)) {
    must(plan::parse_traceparent(plan::traceparent(*context, context->parent_span)) == *context);
  }
  const std::string state = plan::parse_tracestate(text);
  must(plan::parse_tracestate(state) == state);
  if (const auto durations = analysis::parse_durations(text, "durations.json")) {
    const auto again =
        analysis::parse_durations(analysis::history_json(*durations), "durations.json");
    must(again && *again == *durations);
  }
  const auto weak = plan::parse_gate(text);
  must(plan::parse_gate(plan::gate_json(weak)) == weak);
  static_cast<void>(report::parse_report(text));
  static_cast<void>(report::find_report(text, "report.json"));
  static_cast<void>(run::parse_line(text));
  if (const auto runs = run::read_runs(text)) {
    for (const run::RecordedRun& run : *runs) {
      static_cast<void>(report::chrome_trace(analysis::merge_traces(run.outcomes)));
    }
  }
  static_cast<void>(run::read_history(text, store::Domain::branch));
  static_cast<void>(report::documented_keys(text));
  return 0;
}
