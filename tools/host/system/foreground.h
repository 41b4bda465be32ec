#pragma once
#include "base/result.h"
#include "ports/process.h"

namespace pinwheel::host {

/// The process that handles Ctrl-C while a program runs in the foreground.
enum class Interrupts {
  of_program,  ///< the program gets the signal from the terminal, and decides
  end_it,      ///< the program may never see the signal (PID 1 of a container), so it is terminated
};

/// Runs a program in the foreground: with pinwheel's streams, terminal and process group, so that a
/// shell has job control. Returns when the program has exited, and restores the terminal. SIGTERM
/// and SIGHUP are forwarded, and a program that does not exit within a second is killed. The
/// command's time limit is ignored. `environment` if the program cannot be started.
Result<ports::Exit> run_in_foreground(const ports::Command& command, Interrupts interrupts);

}  // namespace pinwheel::host
