#pragma once
// What Slurm prints about jobs, as values. The text forms are used, not `--json`: squeue has it
// since 21.08, scontrol and sacct since 23.02, and the types of its fields changed in 23.02 and
// 23.11. The formats below are the same from 20.11 to 24.11. All commands need the variable
// `SLURM_TIME_FORMAT=%s`, so that times are seconds since 1970.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::slurm {

/// The states of `JobState` (slurm.h), and `unknown` for a word that is none of them.
enum class JobState {
  pending,
  configuring,
  running,
  suspended,
  stopped,
  signaling,
  stage_out,
  resizing,
  completing,
  requeued,
  requeue_hold,
  requeue_fed,
  special_exit,
  completed,
  failed,
  timeout,
  deadline,
  out_of_memory,
  cancelled,
  preempted,
  node_fail,
  boot_fail,
  launch_failed,
  revoked,
  unknown,
};

/// Reads "RUNNING", "CANCELLED by 1000" (sacct), "COMPLETING,FAILED" (the end, of a job whose node
/// is still cleaned up, counts).
JobState parse_job_state(std::string_view text);
/// Whether a job in this state has ended and will not start again by itself.
bool has_ended(JobState state);

/// A job, or a task of an array. What a command does not print is empty or 0.
struct Job {
  std::string id = {};      ///< as scancel takes it: "17", or "17_3" for a task of an array
  std::string number = {};  ///< its own: "19"; Slurm may reuse it after a crash
  JobState state = JobState::unknown;
  std::string reason = {};      ///< "NonZeroExitCode", "Resources"; blanks are `_`
  std::string node = {};        ///< "n1"
  int64_t submitted = 0;        ///< seconds since 1970; 0: unknown
  int64_t started = 0;          ///< of a job that has not started: when Slurm expects it to
  int64_t ended = 0;            ///< of a job that has not ended: when its time limit ends it
  std::string time_limit = {};  ///< "10:00", "1-00:00:00", "UNLIMITED"
  std::string comment = {};     ///< whole, even if it has several lines
  int exit_code = 0;
  int signal = 0;            ///< that ended the job; after a success, it and `exit_code` are 0
  int restarts = 0;          ///< how often Slurm has started it again
  uint64_t peak_memory = 0;  ///< bytes, from sacct
  bool operator==(const Job&) const = default;
};

/// The argv that prints the jobs of a user (a name or a number) which the controller remembers: all
/// that have not ended, and those that ended within `MinJobAge` (300 s by default).
std::vector<std::string> squeue_command(const std::string& user);
/// Reads its output. The separators are control characters; a comment is last and may have any
/// text. Only the user can forge a record, in a comment of one of the user's jobs. Incomplete
/// records are omitted.
std::vector<Job> read_squeue(std::string_view output);

/// The argv that prints one job, or all tasks of an array, with the exit code. Ends with exit code
/// 1 if the controller has forgotten it.
std::vector<std::string> scontrol_command(const std::string& id);
/// Reads its output. A record in which a field occurs twice is omitted: names, commands and
/// comments are text of users, and could otherwise replace the state. Two records with the same
/// number are omitted as well. The comment ends at its first line break, and at the first blank
/// followed by a field.
std::vector<Job> read_scontrol(std::string_view output);

/// The argv that prints the jobs of a user in the last seconds from the accounting, which many
/// clusters do not have.
std::vector<std::string> sacct_command(const std::string& user, std::chrono::seconds last);
/// Reads its output: the memory is the largest of the job's steps.
std::vector<Job> read_sacct(std::string_view output);

}  // namespace pinwheel::slurm
