#include "init/proof.h"

namespace pinwheel::init {

MatrixDraft draft_to_prove(MatrixDraft draft, const std::string& directory) {
  for (MatrixLine& line : draft.lines) {
    if (line.key == "package.source") line.value = directory;
    if (line.key == "abi.python") line.value = "version";
    if (line.key == "abi.torch" && line.value != LineValue("none")) line.value = "minor";
  }
  return draft;
}

TorchChoice with_proven_abi(const ProjectFacts& facts, TorchChoice choice, const Proof& proof) {
  if (choice.needed_because.empty()) return choice;
  choice.abi = proof.torch;
  choice.abi_because = proof.torch_because;
  choice.left_out.clear();
  return with_releases(facts, std::move(choice));
}

}  // namespace pinwheel::init
