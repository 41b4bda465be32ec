#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "host/net/credentials.h"
#include "ports/http.h"
#include "publish/endpoints.h"

namespace pinwheel::host {

/// Where a release goes. Credentials are absent for an index that asks for none.
struct UploadTarget {
  std::string name;  ///< of the target in the matrix or on the command line, for messages
  publish::Endpoint endpoint = {};
  std::optional<Credentials> credentials = std::nullopt;
};

/// The same while a release goes there: its credentials exist.
struct OpenIndex {
  std::string name;
  publish::Endpoint endpoint = {};
  std::optional<ports::BasicCredentials> credentials = std::nullopt;
};

/// Mints what is minted at the last moment. Errors of the source.
Result<OpenIndex> open_index(const UploadTarget& target);

}  // namespace pinwheel::host
