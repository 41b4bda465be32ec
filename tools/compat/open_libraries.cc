#include "compat/open_libraries.h"

namespace pinwheel::compat {
namespace {

// A library that ends the process, or that leaves something behind, must not decide about the next.
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

}  // namespace pinwheel::compat
