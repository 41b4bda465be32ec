#include "project/setup_py.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "project/abi_macros.h"
#include "project/python_text.h"

namespace pinwheel::project {
namespace {

using Arguments = std::map<std::string, std::string>;

/// The expression itself, or the expression assigned to it if it is a name.
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

/// The literals of a list or tuple; a computed list yields nothing.
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
    if (extras.size() >= kMostNames) break;
    const size_t at = rest.find(key);
    if (at == std::string_view::npos) break;
    std::string_view after = trim(rest.substr(std::min(at + key.size() + 1, rest.size())));
    if (!after.starts_with(':')) continue;
    after = trim(after.substr(1));
    const std::string_view items = argument_at(after, 0);
    const std::string list(items.starts_with('[') ? items.substr(0, items.find(']') + 1)
                                                  : items.substr(0, items.find_first_of(",}\n")));
    extras[key] = string_literals(resolved_expression(code, list));
    rest = after;
  }
  return extras;
}

std::vector<std::string> environment_reads(std::string_view code) {
  std::vector<std::string> variables;
  for (const std::string_view call : {"getenv(", "environ.get(", "environ["}) {
    for (size_t at = code.find(call); at != std::string_view::npos; at = code.find(call, at + 1)) {
      const std::string_view rest = argument_at(code, at + call.size());
      const std::vector<std::string> found =
          string_literals(rest.substr(0, rest.find_first_of(",)]")));
      if (found.size() == 1) add_name(variables, found[0]);
    }
  }
  return variables;
}

void add_libraries(const std::vector<std::string>& names, std::vector<std::string>& libraries) {
  for (const std::string& name : names) {
    if (!name.empty()) add_name(libraries, name);
  }
}

/// The literals of a list, in code without spaces: `["z","zfp"]...`.
std::vector<std::string> list_at(std::string_view packed) {
  return packed.starts_with('[') ? string_literals(packed.substr(0, packed.find(']')))
                                 : std::vector<std::string>{};
}

/// Names of libraries in lists called `libraries`, and in flags: `libraries=["z"]`, `"-lz"`.
std::vector<std::string> linked_libraries(const std::string& code) {
  const std::string packed = replace_all(code, " ", "");
  constexpr std::array<std::string_view, 8> kLists = {
      "libraries=",  "libraries+=", "libraries.extend(",    "libraries\":",
      "libraries':", "libs=",       "libraries:list[str]=", "libraries.append("};
  std::vector<std::string> libraries;
  for (const std::string_view list : kLists) {
    for (size_t at = packed.find(list); at != std::string::npos; at = packed.find(list, at + 1)) {
      const std::string_view rest = argument_at(packed, at + list.size());
      add_libraries(list.ends_with("append(") ? string_literals(rest.substr(0, rest.find(')')))
                                              : list_at(rest),
                    libraries);
    }
  }
  for (const std::string& literal : string_literals(code)) {
    for (const std::string& word : split(literal, ' ')) {
      const bool flag = word.starts_with("-l") && word.size() > 2 && is_alphanumeric(word[2]);
      if (flag) add_libraries({word.substr(2)}, libraries);
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

size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

/// Whether a block around this line is conditional: `if`, `else`, `try`, `except`. A block is not
/// longer than `kLongestBlock`.
bool is_guarded(const std::vector<std::string>& lines, size_t at) {
  constexpr size_t kLongestBlock = 1000;
  const size_t first = at - std::min(at, kLongestBlock);
  size_t indent = indent_of(lines[at]);
  while (at > first && indent > 0) {
    const std::string& line = lines[--at];
    const std::string_view text = trim(line);
    if (text.empty() || indent_of(line) >= indent) continue;
    indent = indent_of(line);
    for (const std::string_view word : {"if", "elif", "else", "try", "except", "with"}) {
      const bool begins = text.starts_with(word) && text.size() > word.size() &&
                          !is_alphanumeric(text[word.size()]) && text[word.size()] != '_';
      if (begins) return true;
    }
  }
  return false;
}

/// The text after the brackets that open at a position, and after the enclosing ones.
std::string_view behind_brackets(std::string_view code, size_t open) {
  constexpr size_t kLongestCall = 32'000;
  code = code.substr(0, std::min(code.size(), open + kLongestCall));
  int depth = 0;
  size_t end = open;
  while (end < code.size()) {
    depth += (code[end] == '(') - (code[end] == ')');
    ++end;
    if (depth == 0) break;
  }
  // Only a closing bracket continues the expression on another line.
  size_t next = end;
  while ((next = code.find_first_not_of(" \t\n", next)) != std::string_view::npos &&
         std::string_view(",])").find(code[next]) != std::string_view::npos) {
    end = ++next;
  }
  return trim(code.substr(end, code.find('\n', end) - end));
}

/// Whether a `CUDAExtension` is the only extension, and is built on every machine.
bool makes_cuda_alone(std::string_view code) {
  constexpr std::string_view kName = "CUDAExtension";
  for (const char* other : {"CppExtension", "Extension", "Pybind11Extension", "CMakeExtension",
                            "SyclExtension", "cythonize", "rust_extensions", "cffi_modules"}) {
    if (names(code, other)) return false;
  }
  const std::vector<std::string> lines = split(code, '\n');
  bool made = false;
  size_t begin = 0;
  for (size_t at = 0; at < lines.size(); begin += lines[at].size() + 1, ++at) {
    const std::string& line = lines[at];
    const size_t found = line.find(kName);
    const bool import = trim(line).starts_with("from ") || trim(line).starts_with("import ");
    if (found == std::string::npos || import) continue;
    const std::string_view rest = trim(std::string_view(line).substr(found + kName.size()));
    const std::string_view before = trim(std::string_view(line).substr(0, found));
    if (!rest.starts_with('(') && !before.ends_with('=')) continue;
    // `[CUDAExtension(...)] if CUDA_HOME else []`
    const size_t open = code.find('(', begin + found);
    const bool chosen = names(before, "else") || rest.starts_with("if ") ||
                        (rest.starts_with('(') && behind_brackets(code, open).starts_with("if "));
    if (chosen || is_guarded(lines, at)) return false;
    made = true;
  }
  return made;
}

/// `options={"bdist_wheel": {"py_limited_api": "cp310"}}`.
std::string bdist_option(std::string_view code) {
  constexpr std::string_view kKey = "py_limited_api";
  for (size_t at = code.find(kKey); at != std::string_view::npos; at = code.find(kKey, at + 1)) {
    const std::string_view rest = argument_at(code, at + kKey.size());
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

/// "cp310" of a `get_tag` that returns `"cp310", "abi3"`, in code without spaces; `python` is
/// "cp3".
std::string python_tag_of(const std::string& code, const std::string& python,
                          const std::string& abi) {
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

/// "3.12" of `sys.version_info >= (3, 12)` and `sys.version_info[:2] < (3, 12)`, in code without
/// spaces: the newest version in a comparison.
std::string asked_python(const std::string& packed) {
  constexpr std::string_view kName = "version_info";
  int newest = 0;
  for (size_t at = packed.find(kName); at != std::string::npos; at = packed.find(kName, at + 1)) {
    std::string_view rest = std::string_view(packed).substr(at + kName.size());
    if (rest.starts_with("[:2]")) rest.remove_prefix(4);
    if (!rest.starts_with(">=(3,") && !rest.starts_with("<(3,")) continue;
    rest.remove_prefix(rest.find(',') + 1);
    newest = std::max(newest, std::atoi(std::string(rest.substr(0, 3)).c_str()));
  }
  return newest == 0 ? std::string() : "3." + std::to_string(newest);
}

/// Whether the code checks for a free-threaded Python.
bool asks_for_threads(std::string_view code) {
  constexpr std::array kNames = {"Py_GIL_DISABLED", "_is_gil_enabled", "abiflags",
                                 "free_threaded",   "freethreaded",    "FREE_THREADED",
                                 "is_freethreaded"};
  return std::ranges::any_of(
      kNames, [code](const char* name) { return code.find(name) != std::string_view::npos; });
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
  result.plain_extension = names(code, "Extension") && !names(code, "py_limited_api");
  result.cuda_only = result.cuda_extension && makes_cuda_alone(code);
  const std::string packed = replace_all(code, " ", "");
  for (const std::string_view flag : {"-gencode", "-arch=", "TORCH_CUDA_ARCH_LIST"}) {
    result.gpu_architectures |= packed.find(flag) != std::string::npos;
  }
  for (const std::string_view argument : {"packages=", "py_modules="}) {
    result.packages |= packed.find(argument) != std::string::npos;
  }
  result.ninja = result.torch_extension && packed.find("use_ninja=False") == std::string::npos;
  result.limited_api = packed.find("py_limited_api=True") != std::string::npos;
  if (!is_switched_off(code)) result.py_limited_api = bdist_option(code);
  result.python_tag_of_abi3 = python_tag_of(packed, "cp3", "abi3");
  result.python_tag_of_none = python_tag_of(packed, "py3", "none");
  result.asked_python = asked_python(packed);
  result.asks_for_threads = asks_for_threads(code);
  result.limited_api_version = limited_api_macro(code);
  result.torch_target = torch_target_macro(code);
  return result;
}

}  // namespace pinwheel::project
