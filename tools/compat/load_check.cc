#include "compat/load_check.h"

#include "base/text.h"

namespace pinwheel::compat {
namespace {

// Arguments: the modules, joined by commas, then the operators. Each operator is called as a user
// would call it, with tensors on a CUDA device: torch says there that it has none.
constexpr const char* kCheck = R"(
import importlib, sys
import torch

def example(kind):
    if "Tensor" in kind:
        tensor = torch.ones(2, device="cuda")
        return [tensor] if kind.startswith("List[") else tensor
    if kind.startswith("List["):
        return []
    return {"bool": False, "float": 1.0, "str": "", "Device": torch.device("cuda")}.get(kind, 1)

def call(operator):
    needed = [each for each in operator._schema.arguments if not each.has_default_value()]
    try:
        operator(*[example(str(each.type)) for each in needed])
    except Exception as error:
        return str(error).split("\n")[0]
    return "it returned"

for module in sys.argv[1].split(","):
    importlib.import_module(module)
lacking, unclear = [], []
for name in sys.argv[2:]:
    space, bare = name.split("::")
    try:
        packet = getattr(getattr(torch.ops, space), bare)
        operator = getattr(packet, packet.overloads()[0])
    except (AttributeError, RuntimeError):
        lacking.append(name)
        continue
    if not torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "CUDA"):
        print(name + ": registered, without a kernel for CUDA")
        continue
    said = call(operator)
    print(name + ": registered; called on a CUDA device: " + said)
    if not any(word in said for word in ("CUDA", "NVIDIA", "GPU")):
        unclear.append(name)
if lacking:
    sys.exit("not registered: " + ", ".join(lacking))
if unclear:
    sys.exit("called without a CUDA device, these do not say so: " + ", ".join(unclear))
)";

}  // namespace

std::vector<std::string> load_check(const std::string& python,
                                    const std::vector<std::string>& modules,
                                    const std::vector<std::string>& operators) {
  std::vector<std::string> argv = {python, "-c", kCheck, join(modules, ",")};
  argv.insert(argv.end(), operators.begin(), operators.end());
  return argv;
}

}  // namespace pinwheel::compat
