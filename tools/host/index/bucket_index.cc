#include "host/index/bucket_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/limits.h"
#include "base/mask.h"
#include "base/parallel.h"
#include "base/parse_integer.h"
#include "base/text.h"
#include "host/net/counted_http.h"
#include "host/net/http.h"
#include "publish/attestation.h"
#include "publish/upload_time.h"
#include "store/place_description.h"

namespace pinwheel::host {

/// The index as one publisher saw it.
struct BucketIndex::Held {
  publish::BucketState state;
  std::string etag;  ///< of the object with the state; empty: it does not exist
};

/// A file to store.
struct BucketIndex::Upload {
  const publish::Artifact* file = nullptr;
  std::string path;  ///< of the object
  size_t number = 1;
  size_t count = 1;
};

namespace {

constexpr const char* kStatePath = ".pinwheel/index.json";
constexpr const char* kProbePath = ".pinwheel/probe";
// Each lost attempt is another publisher's success.
constexpr int kMostAttempts = 100;
constexpr unsigned kConnections = 8;

constexpr std::string_view kForever = "public, max-age=31536000, immutable";
constexpr std::string_view kRevalidate = "no-cache";

ObjectToPut object_of(std::string bytes, std::vector<std::pair<std::string, std::string>> headers) {
  ObjectToPut object;
  object.sha256 = sha256_hex(bytes);
  object.contents = std::make_shared<ports::MemorySource>(std::move(bytes));
  object.headers = std::move(headers);
  object.replace = Replace::yes;
  return object;
}

uint64_t milliseconds_of(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  return static_cast<uint64_t>(std::max<int64_t>(since.count(), 0));
}

std::string type_of_page(std::string_view path) {
  if (path.ends_with(".html")) return "text/html; charset=utf-8";
  if (publish::is_variants_file(path)) return "application/json";
  return "application/vnd.pypi.simple.v1+json";
}

}  // namespace

BucketIndex::BucketIndex(std::unique_ptr<S3Server> server, std::string name)
    : server_(std::move(server)), name_(std::move(name)) {}

Error BucketIndex::error_of(PlaceFault fault) const {
  Error error = std::move(fault.error);
  switch (fault.kind) {
    case FaultKind::full:
      error.hint = "remove objects from the bucket, or raise its quota";
      [[fallthrough]];
    case FaultKind::refused:
    case FaultKind::wrong_bytes:
      error.kind = ErrorKind::publish;
      break;
    case FaultKind::stopped:
      error.kind = ErrorKind::interrupted;
      break;
    case FaultKind::unreachable:
    case FaultKind::busy:
      break;
  }
  error.message = fmt::format("{}: {}", quoted(name_), error.message);
  return error;
}

Result<std::optional<BucketIndex::Held>> BucketIndex::held() {
  const auto object = server_->read(kStatePath, limits::kBucketState);
  if (!object) return fail(error_of(object.error()));
  if (!*object) return std::nullopt;
  Result<publish::BucketState> state = publish::parse_bucket_state((*object)->bytes);
  if (!state) return fail(Error(std::move(state).error()));
  return Held{*std::move(state), (*object)->etag};
}

Result<std::optional<publish::Catalog>> BucketIndex::find() {
  TRY(std::optional<Held> found, held());
  if (!found) return std::nullopt;
  if (found->state.complete == found->state.generation) return std::move(found->state.catalog);
  return fail(ErrorKind::publish,
              fmt::format("the last publication to {} did not write all pages", quoted(name_)),
              "if it is not running any more, publish again, which writes them");
}

Result<publish::Catalog> BucketIndex::read() {
  TRY(std::optional<Held> found, held());
  if (found) return std::move(found->state.catalog);
  return fail(ErrorKind::config, fmt::format("{} has no package index of pinwheel", quoted(name_)),
              "name the `bucket` of a target of kind `s3`");
}

Done BucketIndex::check_new() {
  const auto page = server_->head("index.html");
  if (!page) return fail(error_of(page.error()));
  if (*page) {
    // Another publisher may have created the index meanwhile.
    TRY(const std::optional<Held> now, held());
    if (now) return {};
    return fail(ErrorKind::config,
                fmt::format("{} has an `index.html` that pinwheel did not write", quoted(name_)),
                "choose a different prefix for the index, or remove the old one");
  }
  // The first write may find the object of an earlier attempt; the others must fail.
  for (const auto& [etag, may_succeed] :
       {std::pair{"", true}, std::pair{"", false}, std::pair{"\"0\"", false}}) {
    const auto written = server_->put_if(kProbePath, object_of("probe\n", {}), etag);
    if (!written) return fail(error_of(written.error()));
    if (!*written || may_succeed) continue;
    return fail(
        ErrorKind::environment,
        fmt::format("the server of {} ignores conditions of writes (`If-Match`)", quoted(name_)),
        "publishers would overwrite each other: update the server, or publish to a "
        "directory");
  }
  return {};
}

Result<bool> BucketIndex::put_state(const publish::BucketState& state, const std::string& etag) {
  std::string text = publish::to_json(state);
  // A larger one could never be read again.
  TRY_DONE(check_size("the state of the index", text.size(), limits::kBucketState));
  const auto written =
      server_->put_if(kStatePath,
                      object_of(std::move(text), {{"Content-Type", "application/json"},
                                                  {"Cache-Control", std::string(kRevalidate)}}),
                      etag);
  if (!written) return fail(error_of(written.error()));
  return *written;
}

Done BucketIndex::change(const Decide& decide, const ports::Clock& clock) {
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    TRY(std::optional<Held> found, held());
    if (!found) TRY_DONE(check_new());
    const Held before = found ? *std::move(found) : Held{};
    TRY(std::optional<publish::Catalog> next, decide(before.state.catalog));
    const bool complete_before = before.state.complete == before.state.generation;
    if (!next && complete_before) return {};
    publish::BucketState state = before.state;
    if (next) {
      state.catalog = publish::with_projects_of(before.state.catalog, *std::move(next));
    }
    // Above that of every page, even if somebody restored an earlier state.
    state.generation = std::max(state.generation + 1, milliseconds_of(clock.now()));
    // If the last publisher was killed, any page may be old.
    const Pages pages = complete_before
                            ? publish::changed_pages(before.state.catalog, state.catalog)
                            : publish::pages_of(state.catalog);
    TRY_DONE(publish::check_pages(pages));
    TRY(const bool won, put_state(state, before.etag));
    if (!won) continue;
    TRY_DONE(write_pages(pages, state.generation));
    return complete(std::move(state));
  }
  return fail(
      ErrorKind::publish,
      fmt::format("other publishers changed {} {} times meanwhile", quoted(name_), kMostAttempts),
      "publish again later");
}

Done BucketIndex::complete(publish::BucketState state) {
  TRY(const std::optional<Held> now, held());
  // A publisher that came later writes all pages.
  if (!now || now->state.generation != state.generation) return {};
  state.complete = state.generation;
  TRY_DONE(put_state(state, now->etag));
  return {};
}

Done BucketIndex::write_pages(const Pages& pages, uint64_t generation) {
  // A page is there before another one links to it.
  std::map<ptrdiff_t, std::vector<Pages::const_iterator>, std::greater<>> by_depth;
  for (auto page = pages.begin(); page != pages.end(); ++page) {
    by_depth[std::ranges::count(page->first, '/')].push_back(page);
  }
  for (const auto& [depth, level] : by_depth) {
    const auto write_one = [&, &list = level](size_t i) {
      return write_page(list[i]->first, list[i]->second, generation);
    };
    TRY_DONE(try_jobs(std::vector<uint64_t>(level.size(), 1), {kConnections}, write_one));
  }
  return {};
}

Done BucketIndex::write_page(const std::string& path, const std::string& page,
                             uint64_t generation) {
  const ObjectToPut object = object_of(publish::with_generation(path, page, generation),
                                       {{"Content-Type", type_of_page(path)},
                                        {"Cache-Control", std::string(kRevalidate)},
                                        {"x-amz-meta-generation", fmt::to_string(generation)}});
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    const auto head = server_->head(path);
    if (!head) return fail(error_of(head.error()));
    const std::optional<uint64_t> there =
        *head ? parse_unsigned((*head)->generation) : std::optional<uint64_t>(0);
    if (!there) {
      return fail(
          ErrorKind::config,
          fmt::format("{} has a {} that pinwheel did not write", quoted(name_), quoted(path)),
          "remove that object, and publish again");
    }
    if (*there >= generation) return {};
    const auto written = server_->put_if(path, object, *head ? (*head)->etag : std::string());
    if (!written) return fail(error_of(written.error()));
    if (*written) return {};
  }
  return fail(ErrorKind::publish,
              fmt::format("other programs write {} in {}", quoted(path), quoted(name_)),
              "only pinwheel may write the index");
}

Done BucketIndex::read_back(const std::string& path, const std::string& sha256) {
  Sha256 hash;
  const ObjectSink sink{[&hash] { hash = Sha256(); },
                        [&hash](std::string_view piece) { hash.update(piece); },
                        limits::kWheel.most};
  const auto found = server_->get(path, sink);
  if (!found) return fail(error_of(found.error()));
  if (*found && to_hex(hash.finish()) == sha256) return {};
  if (!*found) {
    return fail(
        ErrorKind::publish,
        fmt::format("{} does not return {}, which was stored there", quoted(name_), quoted(path)),
        "publish again; no page lists it yet");
  }
  return fail(ErrorKind::publish,
              fmt::format("{} has other bytes at {} than the file that was stored there",
                          quoted(name_), quoted(path)),
              "remove that object and publish again; no page lists it yet");
}

Done BucketIndex::store_file(const Upload& upload) {
  const publish::Artifact& file = *upload.file;
  const auto there = server_->has(upload.path, file.size);
  if (!there) return fail(error_of(there.error()));
  if (!*there) {
    const PlaceDone stored = server_->put(
        upload.path,
        {file.contents,
         file.sha256,
         Replace::no,
         {{"Content-Type", "application/octet-stream"}, {"Cache-Control", std::string(kForever)}}});
    if (!stored) return fail(error_of(stored.error()));
  }
  TRY_DONE(read_back(upload.path, file.sha256));
  for (const publish::Attestation& bundle : file.attestations) {
    // Another publisher of the same bytes may have stored its own bundle, which is as good.
    const PlaceDone stored = server_->put(
        publish::bundle_name(upload.path),
        object_of(bundle.document,
                  {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache"}}));
    if (!stored) return fail(error_of(stored.error()));
  }
  if (file.kind != publish::FileKind::wheel) return {};
  ObjectToPut metadata = object_of(file.metadata, {{"Content-Type", "text/plain; charset=utf-8"},
                                                   {"Cache-Control", std::string(kForever)}});
  metadata.replace = Replace::no;
  const std::string path = upload.path + ".metadata";
  const PlaceDone stored = server_->put(path, metadata);
  if (!stored) return fail(error_of(stored.error()));
  return read_back(path, metadata.sha256);
}

Done BucketIndex::store_files(const std::vector<Upload>& uploads, const BucketHooks& hooks) {
  std::vector<uint64_t> costs;
  costs.reserve(uploads.size());
  for (const Upload& upload : uploads) costs.push_back(upload.file->size);
  return try_jobs(costs, {kConnections}, [&](size_t i) -> Done {
    const Upload& upload = uploads[i];
    publish::UploadEvent event{publish::UploadStage::sending,
                               name_,
                               upload.file->filename,
                               upload.file->sha256,
                               upload.file->size,
                               upload.number,
                               upload.count};
    if (hooks.event) hooks.event(event);
    TRY_DONE(store_file(upload));
    event.stage = publish::UploadStage::sent;
    if (hooks.event) hooks.event(event);
    return {};
  });
}

Result<IndexPublication> BucketIndex::publish(const std::vector<IndexEntry>& entries,
                                              const RetentionOptions& options,
                                              const ports::Clock& clock, const BucketHooks& hooks) {
  TRY_DONE(check_entries(entries));
  std::vector<std::string> homes;
  homes.reserve(entries.size());
  for (const IndexEntry& entry : entries) {
    homes.push_back(publish::bucket_home(entry.file.sha256, entry.file.filename));
  }
  std::optional<IndexPublication> publication;
  std::set<std::string> stored;
  const Decide decide =
      [&](const publish::Catalog& held) -> Result<std::optional<publish::Catalog>> {
    TRY(NextContent next,
        next_content(held, entries, homes, options, publish::to_upload_time(clock.now())));
    std::vector<Upload> uploads;
    for (size_t i = 0; i < entries.size(); ++i) {
      const bool is_new = next.merge.outcomes[i] == publish::Outcome::uploaded;
      if (!is_new || !entries[i].url.empty() || !stored.insert(homes[i]).second) continue;
      uploads.push_back({&entries[i].file, homes[i], uploads.size() + 1});
    }
    for (Upload& upload : uploads) upload.count = uploads.size();
    TRY_DONE(store_files(uploads, hooks));
    // A write whose answer was lost makes the next attempt find its own files.
    if (!publication || next.is_new()) publication = publication_of(entries, next);
    if (!next.is_new()) return std::nullopt;
    return std::move(next.merge.catalog);
  };
  TRY_DONE(change(decide, clock));
  return *std::move(publication);
}

Result<publish::Yanking> BucketIndex::yank(const publish::YankRequest& request,
                                           const ports::Clock& clock) {
  TRY_DONE(read());
  std::optional<publish::Yanking> yanking;
  const Decide decide =
      [&](const publish::Catalog& held) -> Result<std::optional<publish::Catalog>> {
    TRY(publish::Yanking now, publish::yank(held, request));
    const bool changes = now.catalog != held;
    // A write whose answer was lost makes the next attempt find its own change.
    if (!yanking || changes) yanking = std::move(now);
    if (!changes) return std::nullopt;
    return yanking->catalog;
  };
  TRY_DONE(change(decide, clock));
  return *std::move(yanking);
}

Result<publish::Pruning> BucketIndex::prune(const publish::PruneRules& rules,
                                            const ports::Clock& clock) {
  TRY_DONE(read());
  std::optional<publish::Pruning> pruning;
  const Decide decide =
      [&](const publish::Catalog& held) -> Result<std::optional<publish::Catalog>> {
    TRY(publish::Pruning now, publish::prune(held, rules, clock.now()));
    const bool changes = !now.retired.empty();
    if (!pruning || changes) pruning = std::move(now);
    if (!changes) return std::nullopt;
    return pruning->catalog;
  };
  TRY_DONE(change(decide, clock));
  return *std::move(pruning);
}

namespace {

/// Sends requests to a bucket and counts the bytes of its responses.
struct BucketNetwork {
  BucketNetwork(HttpOptions options, std::stop_token cancel, std::function<void(uint64_t)> received)
      : curl(std::move(options), std::move(cancel)), counted(curl, std::move(received)) {}

  CurlHttp curl;
  CountedHttp counted;
};

}  // namespace

bool is_bucket(const std::string& place) {
  return place.starts_with("s3://");
}

Result<BucketIndex> open_bucket_index(const BucketSetup& setup) {
  TRY(const store::PlaceDescription place, store::parse_place(setup.url));
  if (place.kind != store::PlaceKind::s3) {
    return fail(ErrorKind::usage, fmt::format("{} is not a bucket", quoted_url(setup.url)),
                "write `s3://BUCKET/PREFIX`");
  }
  HttpOptions options;
  TRY(options.bounds, http_bounds_from(setup.environment));
  options.user_agent = setup.user_agent;
  options.ca_bundle = ca_bundle_from(setup.environment);
  options.connections = Connections::reused;
  const auto network =
      std::make_shared<BucketNetwork>(std::move(options), setup.cancel, setup.received);
  // The pointer to its member owns all of it.
  const std::shared_ptr<ports::Http> http(network, &network->counted);
  auto credentials =
      std::make_shared<AwsCredentials>(AwsSetup{setup.environment, http, setup.mask});
  return BucketIndex(
      std::make_unique<S3Server>(http, s3_place(place.bucket, place.prefix, setup.environment),
                                 std::move(credentials)),
      setup.url);
}

}  // namespace pinwheel::host
