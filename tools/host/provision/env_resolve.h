#pragma once
#include <string>
#include <vector>

#include "env/resolution.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

enum class Refresh { no, yes };

/// A resolution, and what the user should hear about how it came about.
struct Resolved {
  env::Resolution resolution;
  std::vector<Error> warnings = {};  ///< an extra index that did not answer
};

/// The exact packages of a request: the recorded resolution when there is one for this interpreter
/// version, else found with pip, by the user's own pip configuration, and recorded in
/// `<state>/resolutions/<request digest>.json`. `Refresh::yes` and nightly requests resolve anew.
/// A request with conda packages has those solved first (host/provision/conda_solve.h); pip then
/// resolves for the interpreter among them, whose prefix is made for that; one without a Python, as
/// a toolkit's is, has conda packages alone.
///
/// The extra index of torch serves torch alone: no other name is asked of it. When it does not
/// answer, the user's configuration decides and a warning says so. Errors: `config` for a
/// requirement that nothing satisfies, `transient` for an index that does not answer now,
/// `environment` for a missing interpreter.
Result<Resolved> resolve(const EnvMachine& machine, const env::Request& request,
                         Refresh refresh = Refresh::no);

/// Records a resolution, as its own JSON text, as the one that the request digest means from now
/// on.
Done record_resolution(const EnvMachine& machine, const std::string& request_digest,
                       const std::string& json);

/// The recorded resolution of a request digest; `environment` when there is none or it is damaged.
Result<env::Resolution> load_resolution(const EnvMachine& machine,
                                        const std::string& request_digest);

}  // namespace pinwheel::host
