#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>

#include "base/result.h"
#include "env/request.h"
#include "env/toolkit.h"
#include "host/git/git.h"
#include "host/machine/env_machine.h"
#include "host/machine/workplace.h"
#include "host/provision/python_environments.h"
#include "plan/action.h"

namespace pinwheel::host {

/// Symbolic links of one directory: name -> target.
using Links = std::map<std::string, std::filesystem::path>;

/// Supplies a step with the files that no port of its machine makes.
class Supplier {
 public:
  Supplier() = default;
  virtual ~Supplier() = default;
  Supplier(const Supplier&) = delete;
  Supplier& operator=(const Supplier&) = delete;

  /// The toolkit of a request, completed with the headers that torch's headers include and it
  /// lacks. `completed` is the directory for such a prefix if it is needed.
  virtual Result<env::Toolkit> toolkit(const EnvMachine& machine, const env::Request& request,
                                       const BaseEnvironment& base,
                                       const std::filesystem::path& completed) = 0;
  /// Copies the files of a source to `destination`, with `epoch` as their time.
  virtual Done source(const plan::Source& source, const std::filesystem::path& destination,
                      int64_t epoch) = 0;
  /// Makes the directory if it is missing, and the links in it.
  virtual std::error_code link(const std::filesystem::path& directory, const Links& links) = 0;
};

/// Supplies the steps of a run.
class LocalSupplier final : public Supplier {
 public:
  /// `workplace` must outlive the object.
  explicit LocalSupplier(const Workplace& workplace) : workplace_(workplace) {}

  /// Errors are those of `find_toolkit` and `complete_toolkit`.
  Result<env::Toolkit> toolkit(const EnvMachine& machine, const env::Request& request,
                               const BaseEnvironment& base,
                               const std::filesystem::path& completed) override;
  /// Errors are those of `export_source`.
  Done source(const plan::Source& source, const std::filesystem::path& destination,
              int64_t epoch) override;
  std::error_code link(const std::filesystem::path& directory, const Links& links) override;

 private:
  const Workplace& workplace_;
  LibGit2 git_;
};

/// Whether a toolkit is in the cache, so that builds see it at a fixed path; a toolkit of the
/// machine is visible at its own path.
bool is_cached(const Workplace& workplace, const env::Toolkit& toolkit);

}  // namespace pinwheel::host
