#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/index_place.h"
#include "host/index/index_directory.h"
#include "prepare/host.h"
#include "publish/yank.h"

namespace pinwheel::cli {
namespace {

Result<publish::YankRequest> yank_request(const IndexYankOptions& options) {
  publish::YankRequest request;
  TRY(request.version, publish::parse_pinned_version(options.version));
  if (options.undo) request.change = publish::YankChange::undo;
  if (options.reason.empty()) return request;
  TRY_DONE(publish::check_yank_reason(options.reason));
  request.reason = options.reason;
  return request;
}

std::string yank_json(const IndexYankOptions& options, const publish::YankRequest& request,
                      const std::vector<publish::YankedFile>& files) {
  nlohmann::json list = nlohmann::json::array();
  for (const publish::YankedFile& file : files) {
    list.push_back({{"file", file.filename}, {"changed", file.changed}});
  }
  return nlohmann::json{{"schema", "pinwheel-index-yank/1"},
                        {"index", options.index},
                        {"version", publish::to_string(request.version)},
                        {"yanked", !options.undo},
                        {"files", list}}
             .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

Result<publish::Yanking> yank(const prepare::Host& host, const std::string& place,
                              const publish::YankRequest& request, Streams& streams) {
  if (!host::is_bucket(place)) {
    return host::yank_in_directory(host.directory / place, request, host.files);
  }
  TRY(host::BucketIndex index, open_bucket(host, place, streams));
  return index.yank(request, host.clock);
}

}  // namespace

Result<int> cmd_index_yank(const prepare::Host& host, const prepare::GlobalOptions& /*global*/,
                           const IndexYankOptions& options, Streams& streams) {
  TRY(const publish::YankRequest request, yank_request(options));
  TRY(const publish::Yanking yanking, yank(host, options.index, request, streams));
  if (options.json) {
    streams.json(yank_json(options, request, yanking.files));
    return 0;
  }
  for (const publish::YankedFile& file : yanking.files) {
    streams.data(fmt::format("{} {}{}\n", file.filename, file.changed ? "" : "was already ",
                             options.undo ? "available" : "yanked"));
  }
  return 0;
}

}  // namespace pinwheel::cli
