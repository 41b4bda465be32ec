#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::compat {

struct BuildVerdict;

/// The result of trying a wheel with an installed torch.
enum class RunState {
  loaded,  ///< every library loads with RTLD_NOW and the modules import; no command was given
  ran,     ///< the same, and the smoke command succeeded
  failed,
  skipped,  ///< it could not be tried on this machine
};
/// "loaded", "ran", "failed", "skipped".
std::string_view to_string(RunState state);
/// The state in words, shown next to the verdict by symbols: "run failed".
std::string_view to_words(RunState state);

/// A library whose loading contradicts the verdict by symbols.
struct Disagreement {
  std::string member;
  std::string error = {};  ///< the dynamic linker's error; empty: it loads but was expected to fail
};

struct RunResult {
  RunState state = RunState::skipped;
  std::string evidence;     ///< lines: what was done, or what failed and the end of its output
  std::string torch = {};   ///< the build that was installed, "2.13.0+cpu"; empty: none
  std::string python = {};  ///< "3.11.7"
  std::vector<Disagreement> disagreements = {};
};

/// A library of the wheel, opened in a process of its own after `import torch`.
struct OpenedMember {
  std::string name;        ///< in the wheel
  std::string error = {};  ///< empty: it loaded
};

/// The exit of a command.
struct Ended {
  std::string what;          ///< "importing `demo`"
  std::string failure = {};  ///< "exit code 3"; empty: it succeeded
  std::string output = {};   ///< the end of its output, both streams
};

enum class Gpu { as_is, stubs };

/// The observations with one torch.
struct RunSeen {
  std::string torch;
  std::string python;
  Gpu gpu = Gpu::as_is;
  std::vector<OpenedMember> opened = {};
  std::vector<Ended> commands = {};  ///< in order; the first that failed is the last
  bool smoke = false;                ///< the last of them is the smoke command
};

/// Pure. `predicted` is the verdict by symbols for the installed torch. A missing library unrelated
/// to torch's symbols does not fail the run if it was predicted. With stub libraries a command can
/// only have run on the CPU, which the evidence states.
RunResult judge_run(const RunSeen& seen, const std::optional<BuildVerdict>& predicted);

}  // namespace pinwheel::compat
