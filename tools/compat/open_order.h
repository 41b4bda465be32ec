#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "compat/run_result.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::compat {

/// The order of opening one library of a wheel: first the wheel's own libraries that it needs,
/// because packages open theirs in order, or find them by a search path.
struct OpenOrder {
  std::string member;              ///< in the wheel
  std::vector<std::string> paths;  ///< relative to site-packages; the last is the library itself
};

/// The shared libraries that a wheel installs in site-packages, in wheel order.
std::vector<OpenOrder> open_orders(const inspect::WheelFacts& facts);

/// The input of the script in `host/open_libraries`.
struct OpenRequest {
  std::vector<std::string> imports;  ///< first: torch, other wheels' modules
  std::vector<OpenOrder> orders =
      {};  ///< each is opened after the imports, in a process of its own
  std::vector<std::string> modules = {};  ///< imported last
};
std::string to_json(const OpenRequest& request);
/// Parses the output of the script. `internal` when it is malformed.
Result<std::vector<OpenedMember>> parse_opened(const std::string& json);

/// The importable modules of a wheel that contain libraries: others, such as tests and tools
/// installed by mistake, are unrelated to torch. All modules if none has libraries.
std::vector<std::string> modules_to_import(const std::vector<std::string>& modules,
                                           const inspect::WheelFacts& facts);

/// The wheel's requirements on projects other than torch, in pip's format: torch is installed
/// already, whatever the metadata requires. Malformed requirements and those of extras are omitted.
std::vector<std::string> other_requirements(const inspect::WheelFacts& facts);

inline constexpr int kImportsFailed = 9;

/// The argv that opens libraries with RTLD_NOW as importing extensions does, each in its own
/// process, after torch and the other modules of the request were imported; then it imports the
/// wheel's modules. `request` is a file with the result of `to_json`, with paths below
/// `site_packages`; the answer for `parse_opened` is in the file `answer` once all are open. Exits
/// with `kImportsFailed` if one of the first imports fails, else as Python does.
std::vector<std::string> open_libraries(const std::string& python, const std::string& request,
                                        const std::string& site_packages,
                                        const std::string& answer);

/// The argv that imports the modules, then calls torch's operators on a machine without a GPU: each
/// must be registered, and each with a kernel for CUDA must, called with tensors of a CUDA device,
/// raise an exception that reports the missing GPU. It prints its observations and exits with 1
/// naming the operators that do otherwise.
std::vector<std::string> load_check(const std::string& python,
                                    const std::vector<std::string>& modules,
                                    const std::vector<std::string>& operators);

}  // namespace pinwheel::compat
