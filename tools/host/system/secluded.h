#pragma once

namespace pinwheel::host {

/// Opens `/dev/null` in place of each standard descriptor that the process was started without, as
/// some daemons do: else the next file gets that number, and messages are written into it. Called
/// before anything else.
void open_missing_descriptors();

/// Makes what this process knows unreadable for the programs that it starts: copies the environment
/// to where only the process finds it, overwrites the memory that /proc/PID/environ shows, and
/// makes the process non-dumpable, so that its memory is closed to others of the same user
/// (ptrace(2)). Called once, before there are threads and secrets.
void seclude_process();

/// A descriptor of a user namespace with this user's ids, made by `seclude_process`: a process that
/// is not dumpable cannot write the maps of one. -1 if it was not called, or none is needed, or the
/// machine allows none.
int prepared_user_namespace();

}  // namespace pinwheel::host
