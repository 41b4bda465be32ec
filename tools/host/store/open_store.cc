#include "host/store/open_store.h"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"
#include "host/net/http.h"
#include "host/store/artifacts_place.h"
#include "host/store/http_server.h"
#include "host/store/remote_place.h"
#include "host/store/s3_server.h"
#include "host/store/tree_place.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

Result<std::shared_ptr<ports::Http>> client(const StoreSetup& setup, const fs::path& netrc) {
  HttpOptions options;
  TRY(options.bounds, http_bounds_from(setup.environment));
  options.user_agent = setup.user_agent;
  options.ca_bundle = ca_bundle_from(setup.environment);
  options.bounds.window = setup.patience;
  options.connections = Connections::reused;
  options.netrc = netrc;
  return std::make_shared<CurlHttp>(std::move(options), setup.cancel);
}

/// A secret of the environment, hidden from now on; empty without one.
Result<Secret> secret_of(const StoreSetup& setup, const std::string& variable) {
  Secret secret{value_at(setup.environment, variable)};
  if (secret.empty()) return secret;
  if (!secret.can_be_hidden()) {
    return fail(ErrorKind::usage,
                fmt::format("{} has fewer than {} characters", variable, Secret::kShortest),
                "messages could not hide so short a secret; check where it comes from");
  }
  if (setup.mask) setup.mask(secret);
  return secret;
}

/// Plain http can be read by anyone on the network path, except to this machine.
bool is_private(const std::string& url) {
  const std::optional<UrlParts> parts = split_url(url);
  return parts && (parts->scheme == "https" || is_loopback(parts->host));
}

Result<std::unique_ptr<Place>> open_http(const store::PlaceDescription& place,
                                         const StoreSetup& setup) {
  HttpServerAccess access{place.url};
  if (place.named_by == store::NamedBy::user) {
    TRY(access.token, secret_of(setup, "PINWHEEL_STORE_TOKEN"));
    TRY(Secret password, secret_of(setup, "PINWHEEL_STORE_PASSWORD"));
    if (!password.empty()) {
      access.credentials = ports::BasicCredentials{
          value_at(setup.environment, "PINWHEEL_STORE_USER"), std::move(password)};
    }
  }
  const bool has_secret = access.credentials || !access.token.empty();
  if (has_secret && !is_private(place.url)) {
    return fail(ErrorKind::usage,
                fmt::format("the credentials of the store would be sent without encryption to {}",
                            quoted_url(place.url)),
                "use a URL that starts with https://");
  }
  const fs::path netrc = is_private(place.url) ? netrc_from(setup.environment) : fs::path();
  TRY(std::shared_ptr<ports::Http> http, client(setup, netrc));
  auto server = std::make_unique<HttpServer>(std::move(http), std::move(access));
  return std::make_unique<RemotePlace>(place.url, std::move(server));
}

Result<std::unique_ptr<Place>> open_s3(const store::PlaceDescription& place,
                                       const StoreSetup& setup) {
  TRY(const std::shared_ptr<ports::Http> http, client(setup, {}));
  auto credentials =
      std::make_shared<AwsCredentials>(AwsSetup{setup.environment, http, setup.mask});
  auto server = std::make_unique<S3Server>(
      http, s3_place(place.bucket, place.prefix, setup.environment), std::move(credentials));
  return std::make_unique<RemotePlace>(store::to_string(place), std::move(server));
}

Result<std::unique_ptr<Place>> open_place(const store::PlaceDescription& place,
                                          const StoreSetup& setup, const StoreUser& user) {
  TreeOptions tree{store::to_string(place), place.path, place.access, Sharing::shared, user};
  tree.waiting = setup.waiting;
  tree.cancel = setup.cancel;
  switch (place.kind) {
    case store::PlaceKind::local:
      tree.root = setup.cache / "store";
      tree.sharing = Sharing::machine;
      break;
    case store::PlaceKind::directory:
      break;
    case store::PlaceKind::artifacts:
      return std::make_unique<ArtifactsPlace>(store::to_string(place), place.path, user);
    case store::PlaceKind::http:
      return open_http(place, setup);
    case store::PlaceKind::s3:
      return open_s3(place, setup);
  }
  return std::make_unique<TreePlace>(std::move(tree));
}

}  // namespace

std::string run_id(const std::map<std::string, std::string>& environment) {
  for (const char* name : {"GITHUB_RUN_ID", "CI_PIPELINE_ID", "BUILDKITE_BUILD_ID", "BUILD_BUILDID",
                           "CIRCLE_WORKFLOW_ID", "BUILD_TAG"}) {
    if (std::string value = value_at(environment, name); !value.empty()) return value;
  }
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

Result<std::unique_ptr<Store>> open_store(const StoreSetup& setup) {
  const std::string run = setup.run.empty() ? run_id(setup.environment) : setup.run;
  const StoreUser user{run, setup.domain, setup.publishes};
  std::vector<StorePlace> places;
  for (const store::PlaceDescription& place : setup.places) {
    TRY(std::unique_ptr<Place> opened, open_place(place, setup, user));
    places.push_back({std::move(opened), place.access});
  }
  return std::make_unique<Store>(std::move(places), Store::Options{setup.domain, run, setup.log});
}

}  // namespace pinwheel::host
