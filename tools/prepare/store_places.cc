#include "prepare/store_places.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/text.h"
#include "store/domain.h"

namespace pinwheel::prepare {
namespace {

namespace fs = std::filesystem;
using Places = std::vector<store::PlaceDescription>;

bool is_on_disk(const store::PlaceDescription& place) {
  return place.kind == store::PlaceKind::directory || place.kind == store::PlaceKind::artifacts;
}

/// The places of `--store`, else of PINWHEEL_STORE.
Result<Places> named_places(const StoreOptions& options, const Host& host) {
  if (options.places.empty()) return host.stores;
  Places places;
  for (const std::string& text : options.places) {
    TRY(store::PlaceDescription place, store::parse_place(text));
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace

Result<Places> variable_places(const std::map<std::string, std::string>& variables) {
  return store::parse_places(value_at(variables, "PINWHEEL_STORE"));
}

Places matrix_places(const matrix::Matrix& matrix,
                     const std::map<std::string, std::string>& variables) {
  const bool read_only = store::event_of(variables) == store::CiEvent::pull_request;
  Places places = matrix.stores;
  for (store::PlaceDescription& place : places) {
    if (read_only) place.access = store::PlaceAccess::read_only;
    if (is_on_disk(place)) {
      place.path = (fs::path(matrix.directory) / place.path).lexically_normal().string();
    }
  }
  return places;
}

std::vector<std::string> directories_of(const Places& places) {
  std::vector<std::string> directories;
  for (const store::PlaceDescription& place : places) {
    if (is_on_disk(place)) directories.push_back(place.path);
  }
  return directories;
}

Result<RunStore> read_run_store(const StoreOptions& options, const Host& host) {
  RunStore store;
  TRY(store.places, named_places(options, host));
  TRY(store.domain, store::choose_domain(options.domain, host.variables));
  store.writes =
      store::may_store(options.domain, host.variables) ? StoreWrites::yes : StoreWrites::no;
  return store;
}

}  // namespace pinwheel::prepare
