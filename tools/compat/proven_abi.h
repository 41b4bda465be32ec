#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compat/evaluate.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::compat {

/// A wider ABI that a wheel's binaries would allow and its tags do not claim.
struct WiderAbi {
  std::string value;    ///< "limited(3.10)"
  std::string because;  ///< "its 2 libraries take only symbols of the Stable ABI of 3.10"
};

/// A value of `abi.python` or `abi.torch` that a built wheel satisfies, and the evidence.
struct ProvenAbi {
  std::string value;
  std::string because;
  std::optional<WiderAbi> wider = std::nullopt;
};

/// The widest `abi.python` that the wheel satisfies. `claimed` is the claim of its tags: "none",
/// "limited(3.10)" or "version"; a wheel for one Python satisfies no more than that, because pip
/// installs it on no other. `oldest` is the minor release of the oldest Python that it is for: no
/// wider ABI is older. Kind `check` if its binaries need more than its tags claim. Pure.
Result<ProvenAbi> prove_python_abi(const inspect::WheelFacts& facts, const std::string& claimed,
                                   int oldest);

/// The widest `abi.torch`: "none" for a wheel that uses no part of torch, "stable(2.10)" from the
/// first release that has every shim it calls, else "minor". Pure.
ProvenAbi prove_torch_abi(const TorchVerdicts& torch);

}  // namespace pinwheel::compat
