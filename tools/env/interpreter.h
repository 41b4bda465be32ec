#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ports/process.h"

namespace pinwheel::env {

/// A Python as it described itself when it was run.
struct Interpreter {
  std::string path = {};               ///< the real file, outside any virtual environment
  std::string version = {};            ///< "3.11.7"
  std::string implementation = {};     ///< "cpython"
  bool free_threaded = false;          ///< built without the GIL (PEP 703), "3.13t"
  std::string platform = {};           ///< "linux-x86_64", as sysconfig names it
  std::string soabi = {};              ///< "cpython-311-x86_64-linux-gnu"
  std::string include_directory = {};  ///< where Python.h belongs
  bool has_headers = false;
  bool makes_environments = false;  ///< the modules venv and ensurepip are there

  bool operator==(const Interpreter&) const = default;
};

/// The exact version with the free-threaded mark, "3.13.0t".
std::string full_version(const Interpreter& interpreter);

/// Whether it is CPython of the version asked for: "3.11" takes 3.11.7, "3.13t" takes only a
/// free-threaded 3.13, and "3.13" never takes one.
bool fits(const Interpreter& interpreter, std::string_view wanted);

/// Runs a program that may be Python and lets it describe itself in one line of JSON.
ports::Command probe_interpreter(const std::string& program,
                                 const std::map<std::string, std::string>& variables);

/// Reads what `probe_interpreter` printed; `environment` when it is something else.
Result<Interpreter> parse_interpreter(std::string_view output);

/// The names under which PATH may hold it, the most exact first.
std::vector<std::string> program_names(std::string_view wanted);

/// The error for a version that nobody has: names what was found, and the commands that mend it.
Error no_interpreter(std::string_view wanted, const std::vector<Interpreter>& found);

}  // namespace pinwheel::env
