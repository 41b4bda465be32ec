#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "env/pip_index.h"
#include "host/net/get_remote.h"
#include "ports/http.h"
#include "publish/index_file.h"

namespace pinwheel::host {

/// A file on an index or in a directory.
struct IndexCandidate {
  publish::IndexFile file;
  std::string url;  ///< absolute; with the scheme `file` for a local one
  std::optional<RemoteAddress> index = std::nullopt;  ///< for the credentials
};

/// Chooses among the files of a project; `config` if none is right.
using ChooseIndexFile =
    std::function<Result<publish::IndexFile>(const std::vector<publish::IndexFile>& files)>;

/// Finds a file on the user's indexes through the simple API (PEP 503, PEP 691), in pip's order:
/// the index, the extra ones, the find-links directories. The first place that has it counts; the
/// error of the first place if none does. `mask` is called with the password of an index.
Result<IndexCandidate> find_on_indexes(ports::Http& http, const env::PipIndexes& indexes,
                                       const std::string& project, const ChooseIndexFile& choose,
                                       const MaskSecret& mask);

/// The path of a candidate on this machine; nullopt for one on a server.
std::optional<std::filesystem::path> local_file(const IndexCandidate& candidate);

}  // namespace pinwheel::host
