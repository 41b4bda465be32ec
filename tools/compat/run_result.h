#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::compat {

struct BuildVerdict;

/// What trying a wheel beside an installed torch came to.
enum class RunState {
  loaded,  ///< every library loads with RTLD_NOW and the modules import; no command was asked for
  ran,     ///< that, and the smoke command ended well
  failed,
  skipped,  ///< it could not be tried here
};
/// "loaded", "ran", "failed", "skipped".
std::string_view to_string(RunState state);
/// The same for people, beside the verdict of the symbols: "run failed".
std::string_view to_words(RunState state);

/// A library that does other than its symbols said.
struct Disagreement {
  std::string member;
  std::string error = {};  ///< the dynamic linker's; empty: it loads, and was to fail
};

struct RunResult {
  RunState state = RunState::skipped;
  std::string evidence;     ///< lines: what was done, or what failed and its last output
  std::string torch = {};   ///< the build that was installed, "2.13.0+cpu"; empty: none
  std::string python = {};  ///< "3.11.7"
  std::vector<Disagreement> disagreements = {};
};

/// A library of the wheel that was opened in a process of its own, after `import torch`.
struct OpenedMember {
  std::string name;        ///< in the wheel
  std::string error = {};  ///< empty: it loaded
};

/// How a command ended.
struct Ended {
  std::string what;          ///< "importing `demo`"
  std::string failure = {};  ///< "exit code 3"; empty: it ended well
  std::string output = {};   ///< its end, both streams
};

enum class Gpu { as_is, stubs };

/// What was seen beside one torch.
struct RunSeen {
  std::string torch;
  std::string python;
  Gpu gpu = Gpu::as_is;
  std::vector<OpenedMember> opened = {};
  std::vector<Ended> commands = {};  ///< in order; the first that failed is the last
  bool smoke = false;                ///< the last of them is the smoke command
};

/// Pure. `predicted` is the verdict of the symbols on the very torch that was installed. What a
/// library lacks that no symbol of torch's decides (one that nobody brings) fails no run as long as
/// it was foreseen. Beside stub libraries a command can only have run on the CPU, and that is said.
RunResult judge_run(const RunSeen& seen, const std::optional<BuildVerdict>& predicted);

}  // namespace pinwheel::compat
