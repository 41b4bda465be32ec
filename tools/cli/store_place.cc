#include "cli/store_place.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/text.h"
#include "host/store/open_store.h"
#include "prepare/host.h"
#include "prepare/workplace.h"
#include "store/place_description.h"

namespace pinwheel::cli {

namespace fs = std::filesystem;

Result<OwnPlace> open_own_place(const prepare::Host& host, const StoreCommandOptions& options,
                                PlaceUse use) {
  TRY(const store::PlaceDescription place, store::parse_place(options.place));
  const bool on_this_machine =
      place.kind == store::PlaceKind::local || place.kind == store::PlaceKind::directory;
  if (on_this_machine && use == PlaceUse::changing &&
      place.access == store::PlaceAccess::read_only) {
    return fail(ErrorKind::usage, fmt::format("{} is read-only", quoted(store::to_string(place))),
                "remove `,ro` to change it");
  }
  switch (place.kind) {
    case store::PlaceKind::local: {
      TRY(const fs::path cache, prepare::cache_directory(host));
      return OwnPlace{cache / "store", host::Sharing::machine};
    }
    case store::PlaceKind::directory:
      return OwnPlace{place.path, host::Sharing::shared};
    case store::PlaceKind::artifacts:
      return fail(ErrorKind::usage,
                  fmt::format("{} is several places", quoted(store::to_string(place))),
                  fmt::format("name the directory of one artifact: {}",
                              quoted("dir:" + (fs::path(place.path) / "NAME").string())));
    case store::PlaceKind::http:
    case store::PlaceKind::s3:
      break;
  }
  return fail(
      ErrorKind::usage, fmt::format("{} is not on this machine", quoted(store::to_string(place))),
      "`store` works on `local` and `dir:PATH`; a server removes old entries by its own rules");
}

host::TreePlace place_at(const std::map<std::string, std::string>& variables, const OwnPlace& place,
                         std::string name, store::Domain domain, Streams& streams) {
  return host::TreePlace({std::move(name),
                          place.root,
                          store::PlaceAccess::read_write,
                          place.sharing,
                          {host::run_id(variables), domain},
                          host::Presence::digest,
                          [&streams](const std::string& line) { streams.note(line); }});
}

void print_of_store(const StoreCommandOptions& options, const nlohmann::ordered_json& json,
                    const std::string& text, Streams& streams) {
  if (!options.json) return streams.lines(text);
  using Json = nlohmann::ordered_json;
  streams.json(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace pinwheel::cli
