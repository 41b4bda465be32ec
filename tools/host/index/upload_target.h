#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/hidden_text.h"
#include "base/result.h"
#include "host/net/credentials.h"
#include "ports/http.h"
#include "publish/endpoints.h"

namespace pinwheel::host {

/// The destination of a release. Credentials are absent for an index that needs none.
struct UploadTarget {
  std::string name;  ///< target name in the matrix or on the command line, for messages
  publish::Endpoint endpoint = {};
  std::optional<Credentials> credentials = std::nullopt;
};

/// The target during an upload: its credentials exist.
struct OpenIndex {
  std::string name;
  publish::Endpoint endpoint = {};
  std::optional<ports::BasicCredentials> credentials = std::nullopt;
  /// Replaced credentials: messages hide them, too.
  std::vector<ports::BasicCredentials> earlier = {};
  std::string denied = {};  ///< the hint if it is not readable (401, 403); empty: the usual one
};

/// Its credentials, for messages: a server may echo them, in plain form or as it received them.
HiddenText hidden_of(const OpenIndex& index);

}  // namespace pinwheel::host
