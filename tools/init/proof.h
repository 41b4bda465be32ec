#pragma once
#include <string>

#include "init/draft.h"
#include "init/project_facts.h"
#include "init/python_abi.h"
#include "init/torch_choice.h"

namespace pinwheel::init {

/// The ABI that a built wheel proved.
struct Proof {
  std::string wheel;  ///< its file name
  PythonAbiChoice python;
  std::string torch = "none";  ///< `abi.torch`, if the project needs torch
  std::string torch_because = {};
};

/// The matrix to build for a proof: the draft with the narrowest `abi`, which any wheel satisfies.
/// `directory` is the project's, absolute; empty for an sdist, which the draft names.
MatrixDraft draft_to_prove(MatrixDraft draft, const std::string& directory);

/// The choice with the proven ABI, and the releases of torch for it.
TorchChoice with_proven_abi(const ProjectFacts& facts, TorchChoice choice, const Proof& proof);

}  // namespace pinwheel::init
