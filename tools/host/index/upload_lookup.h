#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/index/upload_target.h"
#include "publish/artifact.h"
#include "publish/index_file.h"

namespace pinwheel::host {

/// The result of looking up a file name in an index.
enum class IndexPresence { absent, identical, different };

struct FileLookup {
  IndexPresence presence = IndexPresence::absent;
  std::string sha256 = {};  ///< of the index's file, if it has one
};

/// The current page of the project; empty if the index does not have the project (404, 410, or a
/// redirect to a different host, by which a local index defers to its upstream). Redirects on the
/// same host, including from http to https, are followed. Credentials are sent only to the host
/// that accepts the uploads. Kind `transient` if there is no response or the server is busy,
/// `publish` if it rejects the request.
Result<std::vector<publish::IndexFile>> read_project(const OpenIndex& index,
                                                     const std::string& name, ports::Http& http);

/// Compares `file` with the page. If the page has no SHA-256, the file is downloaded and hashed as
/// a stream; redirects to any https host are then followed. Errors as above.
Result<FileLookup> look_up(const publish::Artifact& file,
                           const std::vector<publish::IndexFile>& page, const OpenIndex& index,
                           ports::Http& http);

}  // namespace pinwheel::host
