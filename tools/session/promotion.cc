#include "session/promotion.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "base/throttle.h"
#include "host/index/fetch_release.h"
#include "prepare/store_places.h"
#include "prepare/workplace.h"
#include "session/run_store.h"

namespace pinwheel::session {
namespace {

namespace fs = std::filesystem;

Result<std::vector<fs::path>> fetch_from_store(const prepare::Host& host,
                                               const PromotionRequest& request,
                                               const fs::path& downloads, Console& console) {
  TRY(const prepare::RunStore own, prepare::read_run_store(request.store, host));
  if (own.places.empty()) {
    return fail(ErrorKind::usage, "`--from store` needs a store",
                "name its places with `--store` or PINWHEEL_STORE");
  }
  host::Workplace workplace = prepare::outside_run(host, console.log());
  TRY(workplace.cache, prepare::cache_directory(host));
  TRY(const std::shared_ptr<host::Store> store,
      open_run_store(host.files, {own, {}, StoreUse::read}, workplace, console));
  std::vector<fs::path> paths;
  std::vector<Error> missing;
  for (const publish::RecordedFile& file : request.record.files) {
    const fs::path path = downloads / file.filename;
    TRY(const bool found, store->fetch_blob({file.sha256, file.size}, path));
    if (!found) missing.push_back(publish::missing_at(file, request.source.name));
    paths.push_back(path);
  }
  for (const Error& warning : store->finish()) console.warn(warning);
  if (missing.empty()) return paths;
  return fail(publish::not_as_recorded(request.record, request.source.name, std::move(missing)));
}

}  // namespace

Result<PromotedFiles> fetch_promotion(const prepare::Host& host, const PromotionRequest& request,
                                      ports::Http& http, Console& console) {
  PromotedFiles promoted;
  if (request.source.kind != publish::SourceKind::directory) {
    TRY(const fs::path cache, prepare::cache_directory(host));
    TRY(host::ReleaseDownloads downloads,
        host::release_downloads(host.files, cache, request.record));
    promoted.downloads = std::move(downloads.directory);
    promoted.lock = std::move(downloads.lock);
  }
  if (request.source.kind == publish::SourceKind::store) {
    TRY(promoted.files, fetch_from_store(host, request, promoted.downloads, console));
    return promoted;
  }
  publish::ReleaseSource source = request.source;
  if (source.kind == publish::SourceKind::directory) source.place = host.at(source.place).string();
  Throttle throttle;
  const auto progress = [&console, &throttle](const host::FetchProgress& now) {
    if (!throttle.passes()) return;
    console.note(fmt::format("received {} of {}, {} of {}\n", now.files, plural(now.all, "file"),
                             format_bytes(now.bytes), format_bytes(now.all_bytes)));
  };
  TRY(promoted.files,
      host::fetch_release(http,
                          {request.record, source, promoted.downloads,
                           [&console](const Secret& secret) { console.mask(secret); }},
                          progress));
  return promoted;
}

Done end_promotion(ports::Files& files, const PromotedFiles& promoted) {
  if (promoted.downloads.empty()) return {};
  return files.remove_all(promoted.downloads);
}

}  // namespace pinwheel::session
