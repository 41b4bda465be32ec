#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pep/tag.h"
#include "ports/process.h"

namespace pinwheel::env {

/// A Python interpreter, as it describes itself.
struct Interpreter {
  std::string path = {};               ///< the real file, outside any virtual environment
  std::string version = {};            ///< "3.11.7"
  std::string implementation = {};     ///< "cpython"
  bool free_threaded = false;          ///< built without the GIL (PEP 703), "3.13t"
  std::string platform = {};           ///< "linux-x86_64", from sysconfig
  std::string soabi = {};              ///< "cpython-311-x86_64-linux-gnu"
  std::string include_directory = {};  ///< the directory for Python.h
  bool has_headers = false;
  bool makes_environments = false;  ///< it has the modules venv and ensurepip

  bool operator==(const Interpreter&) const = default;
};

/// The exact version with the free-threaded mark, "3.13.0t".
std::string full_version(const Interpreter& interpreter);

/// Whether it is CPython of the requested version: "3.11" matches 3.11.7, "3.13t" only a
/// free-threaded 3.13, and "3.13" never a free-threaded one.
bool fits(const Interpreter& interpreter, std::string_view wanted);

/// Whether it was built for musl, by the suffix of its modules: "cpython-312-x86_64-linux-musl".
bool is_for_musl(const Interpreter& interpreter);

/// Checks an interpreter against a value of the axis `libc`, "musl" or "glibc"; empty: any.
/// `environment` for the other one.
Done check_libc(const Interpreter& interpreter, std::string_view libc);

/// Why the interpreter cannot import a wheel with these tags: they are for the other C library.
std::optional<std::string> other_libc(const Interpreter& interpreter, const pep::TagSet& tags);

/// Runs a program that may be Python and makes it describe itself in one line of JSON.
ports::Command probe_interpreter(const std::string& program,
                                 const std::map<std::string, std::string>& variables);

/// Parses the output of `probe_interpreter`; `environment` for anything else.
Result<Interpreter> parse_interpreter(std::string_view output);

/// Its possible program names on PATH, the most specific first.
std::vector<std::string> program_names(std::string_view wanted);

/// The error for a version that was not found: names the interpreters found, and the commands that
/// fix it.
Error no_interpreter(std::string_view wanted, const std::vector<Interpreter>& found);

/// Sorts "3.11.10" above "3.11.9": numerically if both have a number.
bool is_newer_name(const std::string& left, const std::string& right);

}  // namespace pinwheel::env
