#include "cli/plan_upstream.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "host/torch/torch_index.h"
#include "host/torch/torch_pages.h"
#include "plan/upstream.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/pip_settings.h"
#include "report/upstream_report.h"

namespace pinwheel::cli {
namespace {

using TorchBuilds = std::vector<plan::TorchBuild>;

Result<std::optional<TorchBuilds>> builds_at(const std::string& named, ports::Http& http,
                                             Streams& streams) {
  TRY(host::RemoteAddress index, host::parse_index(named));
  if (index.credentials) streams.mask(index.credentials->password);
  return host::torch_page({http, std::move(index.credentials), index.url}, index.url);
}

/// The builds of every label; where the index of all has no page, those of the matrix's labels.
Result<TorchBuilds> builds_of(const prepare::Host& host, const plan::UpstreamIndex& index,
                              ports::Http& http, Streams& streams) {
  const std::string parent = index.parent.empty()
                                 ? prepare::pip_settings(host, streams.log()).index.value_or("pypi")
                                 : index.parent;
  TRY(std::optional<TorchBuilds> all, builds_at(parent, http, streams));
  if (all) return *std::move(all);
  TorchBuilds builds;
  bool found = false;
  for (const std::string& label : index.labels) {
    if (label == parent) continue;
    TRY(const std::optional<TorchBuilds> some, builds_at(label, http, streams));
    if (!some) continue;
    found = true;
    builds.insert(builds.end(), some->begin(), some->end());
  }
  if (found) return builds;
  return fail(ErrorKind::config, fmt::format("{} has no page for torch", quoted(parent)),
              "`environment.torch.index` names the index");
}

std::chrono::year_month this_month(const ports::Clock& clock) {
  const std::chrono::year_month_day today = std::chrono::floor<std::chrono::days>(clock.now());
  return today.year() / today.month();
}

}  // namespace

Result<int> show_upstream(const prepare::Host& host, const PlanCommand& options,
                          const prepare::Loaded& loaded, Streams& streams) {
  const std::vector<matrix::Variant>& variants = loaded.expansion.variants;
  TRY(const std::vector<plan::UpstreamIndex> indexes,
      plan::upstream_indexes(loaded.matrix, variants));
  const std::shared_ptr<ports::Http> http =
      host.http(prepare::reading_options(host.variables), streams.log(), {});
  TorchBuilds builds;
  for (const plan::UpstreamIndex& index : indexes) {
    TRY(const TorchBuilds some, builds_of(host, index, *http, streams));
    builds.insert(builds.end(), some.begin(), some.end());
  }
  const plan::Upstream upstream =
      plan::compare_upstream(loaded.matrix, variants, builds, this_month(host.clock));
  if (options.format == PlanFormat::json) {
    streams.json(report::upstream_json(upstream));
  } else {
    streams.lines(report::upstream_text(upstream, streams.data_columns()));
  }
  for (report::Annotation& notice : report::upstream_notices(upstream)) {
    streams.annotate(std::move(notice));
  }
  return 0;
}

}  // namespace pinwheel::cli
