#pragma once
#include "base/result.h"
#include "ports/process.h"

namespace pinwheel::host {

/// Whose business a Ctrl-C is while a program runs in the foreground.
enum class Interrupts {
  of_program,  ///< it gets the signal from the terminal, and decides
  end_it,      ///< it may never see the signal (PID 1 of a container): it is ended
};

/// Runs a program in pinwheel's own place: with its streams, its terminal and its process group, so
/// that a shell has job control. Ends when the program has ended; the terminal is then as it was.
/// SIGTERM and SIGHUP are handed on, and what does not end within a second is killed. The time
/// limit of the command does not count here. `environment` when the program cannot be started.
Result<ports::Exit> run_in_foreground(const ports::Command& command, Interrupts interrupts);

}  // namespace pinwheel::host
