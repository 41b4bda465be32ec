#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "plan/attempt_trace.h"

namespace pinwheel::plan {

/// What a process of a build is, by its arguments: one that starts others (a shell, make, Python),
/// ninja, which writes a log of its own, a compiler, linker or archiver that makes a file, or one
/// of these that only answers a question (`gcc --version`).
enum class BuildProcess { parent, ninja, command, question };

struct BuildProcessFacts {
  BuildProcess process = BuildProcess::parent;
  CommandKind kind = CommandKind::other;
  std::string output = {};  ///< of a command; its input if it names no output
};

/// Compilers are recognized by their names, with the prefix of a target and the suffix of a
/// version, also behind a launcher such as ccache.
BuildProcessFacts build_process(const std::vector<std::string>& argv);

/// By the name of the file that a command makes: "a.cu.o" is device code.
CommandKind kind_of_output(std::string_view output);
/// By the name of its rule in a `build.ninja` of CMake, meson or torch; `other` for other rules.
CommandKind kind_of_rule(std::string_view rule);

/// The name of an output as a trace lists it: valid UTF-8, at most `kMostOutputName` bytes of its
/// end.
std::string listed_output(std::string_view output);

}  // namespace pinwheel::plan
