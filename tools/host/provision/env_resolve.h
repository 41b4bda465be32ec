#pragma once
#include <string>
#include <vector>

#include "env/resolution.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

enum class Refresh { no, yes };

/// A resolution, with warnings for the user.
struct Resolved {
  env::Resolution resolution;
  std::vector<Error> warnings = {};  ///< such as an index of torch that did not respond
};

/// The exact packages of a request: the recorded resolution if there is one for this interpreter
/// version, else resolved with pip, using the user's pip configuration, and recorded in
/// `<state>/resolutions/<request digest>.json`. `Refresh::yes` and nightly requests resolve again.
/// For a request with conda packages, those are solved first (host/provision/conda_solve.h); pip
/// then resolves for their interpreter, whose prefix is created for that. A request without a
/// Python, such as a toolkit's, has only conda packages.
///
/// Requests that choose torch in the same way (`env::torch_digest`) get the same version: the first
/// records it for the others, so that a wheel is tested with the torch that it was built with.
///
/// The index of torch is used only for torch: no other name is requested from it, and torch comes
/// from nowhere else. If it does not respond, a torch of the user's configuration replaces it, with
/// a warning, if that is a build for the same compute (env/torch_index.h). Errors: `config` for a
/// requirement that nothing satisfies, `transient` for an index that does not respond at the
/// moment, `environment` for a missing interpreter.
Result<Resolved> resolve(const EnvMachine& machine, const env::Request& request,
                         Refresh refresh = Refresh::no);

/// Packages to retain while others are upgraded.
struct Upgrade {
  env::Resolution locked;                    ///< the present packages of the request
  std::vector<pep::Requirement> upgraded{};  ///< at least one; with versions or without
};

/// Like `resolve`, but anew, with the present versions of the packages of `locked` that are not
/// upgraded, and its conda packages. Recorded like any other resolution.
Result<Resolved> resolve_upgrade(const EnvMachine& machine, const env::Request& request,
                                 const Upgrade& upgrade);

/// Records a resolution, as JSON text, for a request digest; replaces an earlier one.
Done record_resolution(const EnvMachine& machine, const std::string& request_digest,
                       const std::string& json);

/// The resolution given for a request digest (`EnvMachine::given`), else the recorded one;
/// `environment` if there is none or it is corrupt.
Result<env::Resolution> load_resolution(const EnvMachine& machine,
                                        const std::string& request_digest);

}  // namespace pinwheel::host
