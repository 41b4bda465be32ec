#include "host/steps/supplier.h"

#include <optional>

#include "host/git/source_tree.h"
#include "host/provision/completed_toolkit.h"
#include "host/provision/toolkit.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

bool is_cached(const Workplace& workplace, const env::Toolkit& toolkit) {
  return toolkit.prefix.starts_with(workplace.cache.string() + "/");
}

Result<env::Toolkit> LocalSupplier::toolkit(const EnvMachine& machine, const env::Request& request,
                                            const BaseEnvironment& base,
                                            const fs::path& completed) {
  TRY(const env::Toolkit found, find_toolkit(machine, request));
  // The toolkit of an image is not accessible, and is complete for builds.
  const bool out_of_reach = machine.host != nullptr && !is_cached(workplace_, found);
  if (out_of_reach || base.resolution.find("torch") == nullptr) return found;
  TRY(const std::optional<env::Toolkit> whole,
      complete_toolkit(machine.files, found, fs::path(base.site_packages) / "nvidia", completed));
  return whole ? *whole : found;
}

Done LocalSupplier::source(const plan::Source& source, const fs::path& destination, int64_t epoch) {
  return export_source(git_, source, not_source(workplace_), destination, epoch);
}

std::error_code LocalSupplier::link(const fs::path& directory, const Links& links) {
  std::error_code error;
  fs::create_directories(directory, error);
  for (const auto& [name, target] : links) {
    if (!error) fs::create_symlink(target, directory / name, error);
  }
  return error;
}

}  // namespace pinwheel::host
