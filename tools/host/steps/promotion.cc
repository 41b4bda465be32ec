#include "host/steps/promotion.h"

#include <fmt/format.h>

#include <utility>

#include "base/digest.h"
#include "base/limits.h"
#include "base/text.h"
#include "host/index/publish_target.h"
#include "host/index/upload_lookup.h"
#include "host/log/logged_http.h"
#include "host/net/counted_http.h"
#include "host/net/http.h"
#include "host/net/http_bounds.h"
#include "plan/step_id.h"
#include "publish/promotion.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Requests without credentials: logged, and ended when the run is stopped.
struct ReadingNetwork {
  ReadingNetwork(const StepContext& context, const HttpBounds& bounds)
      : curl({.ca_bundle = ca_bundle_from(context.workplace.variables), .bounds = bounds},
             context.stop),
        counted(curl, received_by(context)),
        http(counted, *context.workplace.log, context.machine.clock) {}

  CurlHttp curl;
  CountedHttp counted;
  LoggedHttp http;
};

Result<publish::ReleaseRecord> read_record(const StepContext& context, const plan::Output& output) {
  TRY(const std::string text,
      host_of(context.machine).files.read(output.path, limits::kReleaseRecord));
  if (sha256_hex(text) != output.sha256) {
    return fail(ErrorKind::check,
                fmt::format("{} is not the record that the release wrote", quoted(output.path)),
                "remove it and run again: the step is then repeated");
  }
  return publish::parse_release_record(text);
}

}  // namespace

Result<std::vector<publish::ReleaseRecord>> first_records(const StepContext& context,
                                                          const matrix::PublishTarget& first) {
  std::vector<publish::ReleaseRecord> records;
  for (const plan::StepOutcome& need : context.attempt.needs) {
    if (need.id != plan::publish_id(first.name)) continue;
    for (const plan::Output& output : need.outputs) {
      TRY(publish::ReleaseRecord record, read_record(context, output));
      records.push_back(std::move(record));
    }
  }
  if (!records.empty()) return records;
  return fail(ErrorKind::internal,
              fmt::format("the publication to {} wrote no record", quoted(first.name)));
}

Done check_listed(const StepContext& context, const matrix::PublishTarget& first,
                  const publish::ReleaseRecord& record) {
  TRY(const HttpBounds bounds, http_bounds_from(context.workplace.variables));
  TRY(const publish::Endpoint endpoint, endpoint_of(first));
  ReadingNetwork network(context, bounds);
  TRY(const std::vector<publish::IndexFile> page,
      read_project({.name = first.name,
                    .endpoint = endpoint,
                    .denied = fmt::format("{} must be readable without credentials: releases are "
                                          "installed from it before they are promoted",
                                          quoted(first.name))},
                   record.project, network.http));
  return publish::select_recorded(record, page, quoted(first.name)).map([](const auto&) {});
}

Result<ReceivedRelease> receive_release(const StepContext& context,
                                        const matrix::PublishTarget& first,
                                        const std::vector<publish::ReleaseRecord>& records) {
  TRY(const HttpBounds bounds, http_bounds_from(context.workplace.variables));
  TRY(const publish::Endpoint endpoint, endpoint_of(first));
  ReadingNetwork network(context, bounds);
  const publish::ReleaseSource source{publish::SourceKind::index, quoted(first.name),
                                      endpoint.simple_url};
  ReceivedRelease received;
  for (const publish::ReleaseRecord& record : records) {
    TRY(ReleaseDownloads downloads,
        release_downloads(context.machine.files, context.workplace.cache, record));
    TRY(const std::vector<fs::path> paths,
        fetch_release(network.http, {record, source, downloads.directory}, {}));
    for (const fs::path& path : paths) received.files[path.filename().string()] = path;
    received.downloads.push_back(std::move(downloads));
  }
  append_log(context, fmt::format("received {} from {}\n", plural(received.files.size(), "file"),
                                  first.name));
  return received;
}

Done remove_received(const StepContext& context, const ReceivedRelease& received) {
  for (const ReleaseDownloads& each : received.downloads) {
    TRY_DONE(context.machine.files.remove_all(each.directory));
  }
  return {};
}

}  // namespace pinwheel::host
