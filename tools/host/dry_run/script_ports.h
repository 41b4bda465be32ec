#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/dry_run/dry_container.h"
#include "host/dry_run/script.h"
#include "host/steps/supplier.h"
#include "ports/files.h"
#include "ports/process.h"

namespace pinwheel::host {

/// Files: those that the script creates are written by the script, the others are the machine's.
class ScriptFiles final : public ports::Files {
 public:
  ScriptFiles(ports::Files& machine, Script& script) : machine_(machine), script_(script) {}

  Done write(const std::filesystem::path& path, std::string_view bytes, uint32_t mode) override;
  Result<ports::FileStatus> status(const std::filesystem::path& path) override;
  ports::FileType resolved_type(const std::filesystem::path& path) override;
  Result<std::filesystem::path> without_links(const std::filesystem::path& path) override;
  Result<std::vector<std::string>> list(const std::filesystem::path& path) override;
  Done make_directories(const std::filesystem::path& path) override;
  Done remove_all(const std::filesystem::path& path) override;
  Done rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  Result<uint64_t> free_bytes(const std::filesystem::path& path) override;
  Result<std::unique_ptr<ports::FileLock>> lock(const std::filesystem::path& path,
                                                ports::IfLocked if_locked) override;
  Result<std::unique_ptr<ports::FileLock>> share_lock(const std::filesystem::path& path) override;

 private:
  Result<std::string> read_up_to(const std::filesystem::path& path,
                                 const ByteLimit& limit) override;
  bool made(const std::filesystem::path& path) const { return script_.makes(path.string()); }

  ports::Files& machine_;
  Script& script_;
};

/// Runs no commands of a step: they become lines of the script, and succeed with no output. A
/// command that neither names a path of the script nor writes to a step's log is a query about the
/// machine, which answers it.
class ScriptProcess final : public ports::Process {
 public:
  /// `container` runs the commands of the script; nullptr: the host does.
  ScriptProcess(ports::Process& machine, Script& script, const DryContainer* container)
      : machine_(machine), script_(script), container_(container) {}

  Result<ports::Captured> capture(const ports::Command& command) override;
  Result<ports::Exit> log(const ports::Command& command, const std::filesystem::path& log) override;

 private:
  void record(const ports::Command& command);

  ports::Process& machine_;
  Script& script_;
  const DryContainer* container_;
};

/// Supplies the steps of the script. The inputs do not exist while the script is written, so these
/// lines describe the actions of a `LocalSupplier`.
class ScriptSupplier final : public Supplier {
 public:
  explicit ScriptSupplier(Script& script) : script_(script) {}

  Result<env::Toolkit> toolkit(const EnvMachine& machine, const env::Request& request,
                               const BaseEnvironment& base,
                               const std::filesystem::path& completed) override;
  Done source(const plan::Source& source, const std::filesystem::path& destination,
              int64_t epoch) override;
  std::error_code link(const std::filesystem::path& directory, const Links& links) override;

 private:
  Script& script_;
};

}  // namespace pinwheel::host
