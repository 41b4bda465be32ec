#include "project/setup_py.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "project/abi_macros.h"
#include "project/python_text.h"

namespace pinwheel::project {
namespace {

using Arguments = std::map<std::string, std::string>;

/// The expression itself, or what was assigned to it if it is a name.
std::string resolved_expression(std::string_view code, const std::string& expression) {
  const std::string value = assigned_to(code, expression);
  return value.empty() ? expression : value;
}

std::string text_argument(std::string_view code, const Arguments& call, const std::string& key) {
  return string_literal(resolved_expression(code, value_at(call, key))).value_or("");
}

VersionArgument version_argument(const Arguments& call) {
  const std::string written = value_at(call, "version");
  if (written.empty()) return VersionArgument::none;
  return string_literal(written) ? VersionArgument::literal : VersionArgument::expression;
}

/// The literals of a list or tuple; a list that is computed gives nothing.
std::vector<std::string> list_argument(std::string_view code, const Arguments& call,
                                       const std::string& key) {
  const std::string value = resolved_expression(code, value_at(call, key));
  if (const auto text = string_literal(value)) return {*text};
  const bool is_list = value.starts_with('[') || value.starts_with('(');
  return is_list ? string_literals(value) : std::vector<std::string>{};
}

/// `extras_require={"test": ["pytest"], "docs": names}`.
std::map<std::string, std::vector<std::string>> extras_argument(std::string_view code,
                                                                const Arguments& call) {
  std::map<std::string, std::vector<std::string>> extras;
  const std::string value = resolved_expression(code, value_at(call, "extras_require"));
  std::string_view rest = value;
  for (const std::string& key : string_literals(value)) {
    const size_t at = rest.find(key);
    if (at == std::string_view::npos) break;
    std::string_view after = trim(rest.substr(std::min(at + key.size() + 1, rest.size())));
    if (!after.starts_with(':')) continue;
    after = trim(after.substr(1));
    const std::string list(after.starts_with('[') ? after.substr(0, after.find(']') + 1)
                                                  : after.substr(0, after.find_first_of(",}\n")));
    extras[key] = string_literals(resolved_expression(code, list));
    rest = after;
  }
  return extras;
}

std::vector<std::string> environment_reads(std::string_view code) {
  std::vector<std::string> variables;
  for (const std::string_view call : {"getenv(", "environ.get(", "environ["}) {
    for (size_t at = code.find(call); at != std::string_view::npos; at = code.find(call, at + 1)) {
      const std::string_view rest = code.substr(at + call.size());
      const std::vector<std::string> found =
          string_literals(rest.substr(0, rest.find_first_of(",)]")));
      if (found.size() == 1 && std::ranges::find(variables, found[0]) == variables.end()) {
        variables.push_back(found[0]);
      }
    }
  }
  return variables;
}

std::vector<std::string> linked_libraries(std::string_view code) {
  constexpr std::string_view kKeyword = "libraries=[";
  std::vector<std::string> libraries;
  for (size_t at = code.find(kKeyword); at != std::string_view::npos;
       at = code.find(kKeyword, at + 1)) {
    const std::string_view rest = code.substr(at + kKeyword.size());
    for (std::string& name : string_literals(rest.substr(0, rest.find(']')))) {
      if (std::ranges::find(libraries, name) == libraries.end()) {
        libraries.push_back(std::move(name));
      }
    }
  }
  return libraries;
}

bool makes_extensions(std::string_view code) {
  constexpr std::array kMakers = {
      "skbuild",           "Extension",      "CppExtension", "CUDAExtension", "SyclExtension",
      "Pybind11Extension", "cythonize",      "ext_modules",  "cffi_modules",  "rust_extensions",
      "CMakeExtension",    "NinjaExtension", "mypycify"};
  return std::ranges::any_of(kMakers, [code](const char* name) { return names(code, name); });
}

/// `options={"bdist_wheel": {"py_limited_api": "cp310"}}`.
std::string bdist_option(std::string_view code) {
  constexpr std::string_view kKey = "py_limited_api";
  for (size_t at = code.find(kKey); at != std::string_view::npos; at = code.find(kKey, at + 1)) {
    const std::string_view rest = code.substr(at + kKey.size());
    const size_t tag = rest.substr(0, rest.find_first_of("}\n")).find("cp3");
    if (tag == std::string_view::npos) continue;
    return std::string(rest.substr(tag, rest.find_first_not_of("cp0123456789", tag) - tag));
  }
  return {};
}

/// Whether the flag of `options={...} if py_limited_api else {}` is `False`: by its last
/// assignment, or in every branch of an `if` (`True` for a new torch and `False` for an old one is
/// usual).
bool is_switched_off(const std::string& code) {
  bool on = true;
  bool branch_on = false;
  for (const std::string& line : split(code, '\n')) {
    const std::string packed = replace_all(line, " ", "");
    const bool value = packed == "py_limited_api=True";
    if (!value && packed != "py_limited_api=False") continue;
    const bool branch = line.starts_with(' ') || line.starts_with('\t');
    branch_on = value || (branch && branch_on);
    on = branch_on;
  }
  return !on;
}

/// "cp310" of a `get_tag` that says `"cp310", "abi3"`, in code without spaces; `python` is "cp3".
std::string tag_beside(const std::string& code, const std::string& python, const std::string& abi) {
  for (const std::string quote : {"\"", "'"}) {
    const std::string second = quote + "," + quote + abi + quote;
    const size_t end = code.find(second);
    if (end == std::string::npos || end == 0) continue;
    const size_t begin = code.rfind(quote, end - 1);
    if (begin == std::string::npos) continue;
    std::string tag = code.substr(begin + 1, end - begin - 1);
    const bool digits = tag.find_first_not_of("0123456789", python.size()) == std::string::npos;
    if (tag.starts_with(python) && digits) return tag;
  }
  return {};
}

}  // namespace

SetupPy parse_setup_py(std::string_view text) {
  const std::string code = without_python_comments(text);
  const Arguments call = keyword_arguments(code, "setup");
  SetupPy result;
  result.name = text_argument(code, call, "name");
  result.version = text_argument(code, call, "version");
  result.version_argument = version_argument(call);
  result.python_requires = text_argument(code, call, "python_requires");
  result.install_requires = list_argument(code, call, "install_requires");
  result.setup_requires = list_argument(code, call, "setup_requires");
  result.classifiers = list_argument(code, call, "classifiers");
  result.extras = extras_argument(code, call);
  result.imports = imported_modules(code);
  result.environment = environment_reads(code);
  result.libraries = linked_libraries(code);
  result.extensions = makes_extensions(code);
  result.cuda_extension = names(code, "CUDAExtension");
  result.torch_extension = result.cuda_extension || names(code, "CppExtension");
  const std::string packed = replace_all(code, " ", "");
  for (const std::string_view flag : {"-gencode", "-arch=", "TORCH_CUDA_ARCH_LIST"}) {
    result.gpu_architectures |= packed.find(flag) != std::string::npos;
  }
  result.ninja = result.torch_extension && packed.find("use_ninja=False") == std::string::npos;
  result.limited_api = packed.find("py_limited_api=True") != std::string::npos;
  if (!is_switched_off(code)) result.py_limited_api = bdist_option(code);
  result.tag_beside_abi3 = tag_beside(packed, "cp3", "abi3");
  result.tag_beside_none = tag_beside(packed, "py3", "none");
  result.limited_api_version = limited_api_macro(code);
  result.torch_target = torch_target_macro(code);
  return result;
}

}  // namespace pinwheel::project
