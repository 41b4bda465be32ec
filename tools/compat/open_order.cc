#include "compat/open_order.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/json.h"
#include "base/text.h"
#include "inspect/installed_path.h"
#include "pep/name.h"
#include "pep/requirement.h"

namespace pinwheel::compat {
namespace {

using Json = nlohmann::json;

/// The libraries to open, by their index in the facts, and their names for lookup.
struct OwnLibraries {
  std::vector<std::string> paths = {};  ///< empty: not opened
  std::map<std::string, size_t> names = {};
};

bool is_shared_library(std::string_view path) {
  return last_part(path).find(".so") != std::string_view::npos;
}

OwnLibraries own_libraries(const inspect::WheelFacts& facts) {
  OwnLibraries out;
  for (size_t i = 0; i < facts.libraries.size(); ++i) {
    const inspect::ElfMember& library = facts.libraries[i];
    const std::optional<std::string> path = inspect::library_path(facts, library.name);
    const bool opened = path && is_shared_library(*path);
    out.paths.push_back(opened ? *path : std::string());
    if (!opened) continue;
    if (!library.elf.soname.empty()) out.names.emplace(library.elf.soname, i);
    out.names.emplace(last_part(*path), i);
  }
  return out;
}

void add_in_order(size_t root, const inspect::WheelFacts& facts, const OwnLibraries& own,
                  std::set<size_t>& seen, std::vector<std::string>& paths) {
  seen.insert(root);
  for (const std::string& soname : facts.libraries[root].elf.needed) {
    const auto found = own.names.find(soname);
    if (found == own.names.end() || seen.contains(found->second)) continue;
    add_in_order(found->second, facts, own, seen, paths);
  }
  paths.push_back(own.paths[root]);
}

}  // namespace

std::vector<OpenOrder> open_orders(const inspect::WheelFacts& facts) {
  const OwnLibraries own = own_libraries(facts);
  std::vector<OpenOrder> out;
  for (size_t i = 0; i < own.paths.size(); ++i) {
    if (own.paths[i].empty()) continue;
    OpenOrder order{facts.libraries[i].name, {}};
    std::set<size_t> seen;
    add_in_order(i, facts, own, seen, order.paths);
    out.push_back(std::move(order));
  }
  return out;
}

std::string to_json(const OpenRequest& request) {
  Json libraries = Json::array();
  for (const OpenOrder& order : request.orders) {
    libraries.push_back({{"member", order.member}, {"paths", order.paths}});
  }
  const Json json = {{"imports", request.imports},
                     {"libraries", std::move(libraries)},
                     {"modules", request.modules}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::vector<OpenedMember>> parse_opened(const std::string& text) {
  const Json json = read_json(text);
  const auto unreadable = [] {
    return fail(ErrorKind::internal, "the output of the script that opens libraries is malformed");
  };
  if (!json.is_array()) return unreadable();
  std::vector<OpenedMember> out;
  for (const Json& row : json) {
    const bool whole = row.is_object() && row.contains("member") && row["member"].is_string() &&
                       row.contains("error") && row["error"].is_string();
    if (!whole) return unreadable();
    out.push_back({row["member"].get<std::string>(), row["error"].get<std::string>()});
  }
  return out;
}

std::vector<std::string> modules_to_import(const std::vector<std::string>& modules,
                                           const inspect::WheelFacts& facts) {
  std::vector<std::string> native;
  for (const std::string& module : modules) {
    const bool holds_libraries = std::any_of(
        facts.libraries.begin(), facts.libraries.end(), [&](const inspect::ElfMember& library) {
          const std::string path =
              inspect::library_path(facts, library.name).value_or(std::string());
          return path.starts_with(module + "/") || path.starts_with(module + ".");
        });
    if (holds_libraries) native.push_back(module);
  }
  return native.empty() ? modules : native;
}

std::vector<std::string> other_requirements(const inspect::WheelFacts& facts) {
  std::vector<std::string> out;
  if (!facts.metadata) return out;
  for (const std::string& line : facts.metadata->requires_dist()) {
    if (wheel::is_of_extra(line)) continue;
    const Result<pep::Requirement> requirement = pep::parse_requirement(line);
    if (!requirement || pep::normalize_name(requirement->name) == "torch") continue;
    out.push_back(pep::to_string(*requirement));
  }
  return out;
}

namespace {

// A library that ends the process, or that leaves some state behind, must not affect the next.
constexpr const char* kOpenEach = R"(
import ctypes, importlib, json, os, sys, traceback

imports_failed, request_file, root, answer_file = sys.argv[1:]
with open(request_file) as file:
    request = json.load(file)
try:
    for module in request["imports"]:
        importlib.import_module(module)
except BaseException:
    traceback.print_exc()
    sys.exit(int(imports_failed))

def error_of(paths):
    error = ""
    for path in paths:
        try:
            ctypes.CDLL(os.path.join(root, path), mode=os.RTLD_NOW | os.RTLD_LOCAL)
            error = ""
        except OSError as failure:
            error = str(failure).replace(root + os.sep, "") or "it cannot be opened"
    return error

def opened_apart(paths):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, error_of(paths).encode(errors="replace")[:4000])
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        error = pipe.read().decode(errors="replace")
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return "ended by signal %d while it was opened" % os.WTERMSIG(status)
    return "exit code %d while it was opened" % os.WEXITSTATUS(status) if status else error

answer = [{"member": each["member"], "error": opened_apart(each["paths"])}
          for each in request["libraries"]]
with open(answer_file, "w") as file:
    json.dump(answer, file)
for module in request["modules"]:
    importlib.import_module(module)
)";

}  // namespace

std::vector<std::string> open_libraries(const std::string& python, const std::string& request,
                                        const std::string& site_packages,
                                        const std::string& answer) {
  return {python, "-c", kOpenEach, std::to_string(kImportsFailed), request, site_packages, answer};
}

namespace {

// Arguments: the modules, joined by commas, then the operators. Each operator is called as a user
// would call it, with tensors on a CUDA device: torch then reports that it has none.
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
