#pragma once
#include <cstddef>

namespace pinwheel::cli {

/// The columns for a table on a file descriptor: those of the terminal, which `COLUMNS` may
/// replace. Where there is no terminal only a `COLUMNS` below 80 counts: 80 is what launchers set
/// for programs without one. At least 20; 0 if nothing is known: what is printed may be for a
/// program.
size_t terminal_columns(int descriptor);

/// The columns for help, which nothing parses: `COLUMNS`, else those of the terminal; 0 if neither
/// is known.
size_t help_columns(int descriptor);

/// The columns of the terminal alone, as they are now; 0 if it is none.
size_t window_columns(int descriptor);

}  // namespace pinwheel::cli
