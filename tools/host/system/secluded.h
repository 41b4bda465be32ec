#pragma once

namespace pinwheel::host {

/// Opens `/dev/null` for each standard descriptor that was closed when the process started, as some
/// daemons do: otherwise the next file gets that number, and messages are written into it. Called
/// before anything else.
void open_missing_descriptors();

/// Hides the memory of this process from the programs that it starts: copies the environment to a
/// place that only the process can find, overwrites the memory that /proc/PID/environ shows, and
/// makes the process non-dumpable, so that other processes of the same user cannot read its memory
/// (ptrace(2)). Called once, before there are threads and secrets.
void seclude_process();

/// A descriptor of a user namespace with this user's ids, made by `seclude_process`: a process that
/// is not dumpable cannot write the maps of a namespace. -1 if it was not called, or none is
/// needed, or the machine allows none.
int prepared_user_namespace();

}  // namespace pinwheel::host
