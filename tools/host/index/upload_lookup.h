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

/// What an index holds under one file name.
enum class Held { absent, identical, different };

struct Holding {
  Held held = Held::absent;
  std::string sha256 = {};  ///< of the index's file, when it holds one
};

/// The project's page as it is now; empty when the index does not know the project (404, 410, or a
/// redirect away from its own host, by which a local index passes on to another). Redirects on the
/// same host, and from http to https of it, are followed. Credentials go only to the host that
/// takes the uploads. Kind `transient` when no answer came or the server is
/// busy, `publish` when it refuses.
Result<std::vector<publish::IndexFile>> read_project(const OpenIndex& index,
                                                     const std::string& name, ports::Http& http);

/// Compares `file` with what the page says. Where the page gives no SHA-256 the file is downloaded
/// and hashed, never held in memory; redirects to any host that speaks https are followed then.
/// Errors as above.
Result<Holding> look_up(const publish::Artifact& file, const std::vector<publish::IndexFile>& page,
                        const OpenIndex& index, ports::Http& http);

}  // namespace pinwheel::host
