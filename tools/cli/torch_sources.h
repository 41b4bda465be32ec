#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "exports/table.h"
#include "host/net/http.h"
#include "host/torch/torch_index.h"
#include "prepare/host.h"

namespace pinwheel::cli {

/// The table read from one source.
struct ExportsRead {
  exports::Table table;
  uint64_t bytes = 0;  ///< downloaded
};

/// A source of torch exports, and how to read it.
struct ExportsSource {
  std::string name;  ///< for people: a path, "torch 2.13.0 x86_64 (cp311, cp312)"
  std::function<Result<ExportsRead>()> read;
};

/// The sources on a command line. They refer to this object.
class TorchSources {
 public:
  TorchSources(const prepare::Host& host, Streams& streams);

  /// Files and directories, the torch of an interpreter, wheels of an index. Kind `usage` if there
  /// is none.
  Result<std::vector<ExportsSource>> named(const TorchExportsOptions& options);
  /// The releases on the index that are missing from the table, since torch 1.13.0.
  Result<std::vector<ExportsSource>> missing(const TorchExportsOptions& options,
                                             const exports::Table& table);

 private:
  Result<std::vector<ExportsSource>> local(const TorchExportsOptions& options);
  /// The wheels of the index from the option, else from pip's configuration, else PyPI.
  Result<std::vector<host::TorchFile>> ask_index(const TorchExportsOptions& options);
  ExportsSource remote(host::BuildToRead build);

  const prepare::Host& host_;
  Streams& streams_;
  std::shared_ptr<ports::Http> http_;
  std::optional<host::RemoteAccess> access_;
};

}  // namespace pinwheel::cli
