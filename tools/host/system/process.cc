#include "host/system/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/exec_arguments.h"
#include "base/parse_integer.h"
#include "base/text.h"
#include "host/system/mount_namespace.h"
#include "host/system/program.h"
#include "host/system/secluded.h"
#include "host/system/supervisor.h"
#include "host/system/system_error.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {
namespace {

std::string read_small(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The rest of the line that starts with `prefix`.
std::optional<std::string_view> line_after(std::string_view text, std::string_view prefix) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(prefix)) return trim(line.substr(prefix.size()));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> cgroup_path(std::string_view proc_self_cgroup) {
  return line_after(proc_self_cgroup, "0::");
}

std::optional<uint64_t> oom_kills(std::string_view memory_events) {
  const std::optional<std::string_view> digits = line_after(memory_events, "oom_kill ");
  return digits ? parse_unsigned(*digits) : std::nullopt;
}

namespace {

/// The current count for pinwheel's own cgroup; nullopt if it is not available.
std::optional<uint64_t> current_oom_kills() {
  const std::string groups = read_small("/proc/self/cgroup");
  const std::optional<std::string_view> path = cgroup_path(groups);
  if (!path) return std::nullopt;
  return oom_kills(read_small("/sys/fs/cgroup" + std::string(*path) + "/memory.events"));
}

}  // namespace

bool killed_for_memory(const ports::Exit& exit, std::optional<uint64_t> before,
                       std::optional<uint64_t> after) {
  if (exit.ok() || exit.timed_out || exit.canceled) return false;
  return exit.signal == SIGKILL || (before && after && *after > *before);
}

namespace {

using SteadyClock = std::chrono::steady_clock;

/// The supervisor uses the descriptors 0 to 4, so those passed to it must be higher.
UniqueFd above_standard(UniqueFd fd) {
  return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 10));
}

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(system_error("made", "a pipe", errno));
  Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  pipe.write = above_standard(std::move(pipe.write));
  if (!pipe.write.valid()) return fail(system_error("made", "a pipe", errno));
  return pipe;
}

Result<UniqueFd> open_for_child(const std::filesystem::path& path, int flags) {
  UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (fd.valid()) fd = above_standard(std::move(fd));
  if (!fd.valid()) return fail(system_error("opened", path, errno));
  return fd;
}

/// Blocks every signal in this thread while it exists: the supervisor inherits the mask and
/// receives its signals synchronously.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &old_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t old_ = {};
};

/// The destination of a child's stream: a descriptor for the child, and for a capture the read end.
struct Stream {
  UniqueFd child;
  UniqueFd ours = {};
  std::string text = {};
  std::function<void(std::string_view)> take = {};  ///< called instead of storing the text
};

/// Reads the available bytes; false at the end of the stream.
bool read_available(Stream& stream) {
  std::array<char, 65536> buffer = {};
  const ssize_t got = ::read(stream.ours.get(), buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  const std::string_view text(buffer.data(), static_cast<size_t>(got));
  if (stream.take) {
    stream.take(text);
  } else {
    stream.text.append(text);
  }
  return got > 0;
}

struct Child {
  pid_t supervisor = -1;
  UniqueFd verdict;
};

/// The map of a user namespace that preserves one id.
std::string own_id(unsigned id) {
  return fmt::format("{0} {0} 1", id);
}

Result<Child> start(const ports::Command& command, const std::string& program, int64_t grace_ms,
                    const Stream& out, const Stream& err) {
  TRY(UniqueFd null, open_for_child("/dev/null", O_RDONLY));
  TRY(Pipe verdict, make_pipe());
  const ExecArguments argv(command.argv);
  const ExecArguments environ(command.environment);
  Supervised work;
  work.program = program.c_str();
  work.argv = argv.data();
  work.environ = environ.data();
  work.directory = command.directory.empty() ? nullptr : command.directory.c_str();
  const std::string uid_map = own_id(::geteuid());
  const std::string gid_map = own_id(::getegid());
  work.loopback_only = command.network == ports::Network::loopback;
  work.uid_map = uid_map.c_str();
  work.gid_map = gid_map.c_str();
  work.user_namespace = prepared_user_namespace();
  work.traces_as_root = command.tracing == ports::Tracing::privileged;
  work.in = null.get();
  work.out = out.child.get();
  work.err = err.child.get();
  work.verdict = verdict.write.get();
  work.grace_ms = grace_ms;
  work.parent = ::getpid();

  const AllSignalsBlocked blocked;
  const pid_t pid = ::fork();
  if (pid == 0) supervise(work);
  if (pid < 0) {
    Error error = system_error("started", program, errno);
    error.kind = ErrorKind::environment;
    return fail(std::move(error));
  }
  return Child{pid, std::move(verdict.read)};
}

/// Makes a stop request readable by poll.
class StopEvent {
 public:
  explicit StopEvent(const std::stop_token& token)
      : fd_(::eventfd(0, EFD_CLOEXEC)), callback_(token, Raise{fd_.get()}) {}
  int fd() const { return fd_.get(); }

 private:
  struct Raise {
    int fd;
    void operator()() const noexcept {
      const uint64_t one = 1;
      if (::write(fd, &one, sizeof one) < 0)
        return;  // a full counter means that it is already signaled
    }
  };
  UniqueFd fd_;
  std::stop_callback<Raise> callback_;
};

int poll_limit(std::optional<SteadyClock::time_point> deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - SteadyClock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 3'600'000));
}

/// Watches a child until its supervisor has reported or died.
class Watch {
 public:
  Watch(const Child& child, const std::stop_token& cancel, Stream& out, Stream& err)
      : child_(child), stop_(cancel), streams_{&out, &err} {}

  /// nullopt if the supervisor died without reporting.
  std::optional<Verdict> run(std::optional<std::chrono::milliseconds> timeout, ports::Exit& exit) {
    std::optional<SteadyClock::time_point> deadline;
    if (timeout) deadline = SteadyClock::now() + *timeout;
    for (;;) {
      const bool may_stop = !exit.timed_out && !exit.canceled;
      std::array<pollfd, 4> fds = {
          pollfd{child_.verdict.get(), POLLIN, 0}, pollfd{may_stop ? stop_.fd() : -1, POLLIN, 0},
          pollfd{streams_[0]->ours.get(), POLLIN, 0}, pollfd{streams_[1]->ours.get(), POLLIN, 0}};
      const int ready = ::poll(fds.data(), fds.size(), may_stop ? poll_limit(deadline) : -1);
      if (ready < 0) continue;  // EINTR
      for (size_t i = 0; i < 2; ++i) {
        if (fds[2 + i].revents != 0 && !read_available(*streams_[i])) streams_[i]->ours.reset();
      }
      if (fds[0].revents != 0) return finish();
      if (!may_stop) continue;
      exit.canceled = fds[1].revents != 0;
      exit.timed_out = !exit.canceled && deadline && SteadyClock::now() >= *deadline;
      if (exit.canceled || exit.timed_out) ::kill(child_.supervisor, kStopGently);
    }
  }

 private:
  /// Every descendant is dead, so all their output is in the pipes by now.
  std::optional<Verdict> finish() {
    for (Stream* stream : streams_) {
      while (stream->ours.valid()) {
        pollfd one{stream->ours.get(), POLLIN, 0};
        if (::poll(&one, 1, 0) <= 0 || !read_available(*stream)) stream->ours.reset();
      }
    }
    Verdict verdict;
    if (::read(child_.verdict.get(), &verdict, sizeof verdict) != sizeof verdict) {
      return std::nullopt;
    }
    return verdict;
  }

  const Child& child_;
  StopEvent stop_;
  std::array<Stream*, 2> streams_;
};

void reap(pid_t supervisor) {
  while (::waitpid(supervisor, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<ports::Exit> read_verdict(const ports::Command& command, const std::string& program,
                                 std::optional<Verdict> verdict, ports::Exit exit) {
  if (!verdict) {
    exit.signal = SIGKILL;
    return exit;
  }
  Error error;
  switch (verdict->kind) {
    case Verdict::Kind::no_directory:
      error = system_error("entered", command.directory, verdict->value);
      error.kind = ErrorKind::environment;
      return fail(std::move(error));
    case Verdict::Kind::no_program:
      error = system_error("started", program, verdict->value);
      error.kind = ErrorKind::environment;
      if (verdict->value == ENOENT) error.hint = "its interpreter or loader is missing";
      return fail(std::move(error));
    case Verdict::Kind::no_network:
      return fail(ErrorKind::environment,
                  fmt::format("{} could not get a network of its own: {}", quoted(program),
                              std::generic_category().message(verdict->value)),
                  "set `build.network: true`");
    case Verdict::Kind::ended:
      break;
  }
  exit.peak_memory = static_cast<uint64_t>(verdict->peak_kib) * 1024;
  exit.cpu_time = std::chrono::milliseconds(verdict->cpu_ms);
  if (WIFSIGNALED(verdict->value)) {
    exit.signal = WTERMSIG(verdict->value);
  } else {
    exit.code = WEXITSTATUS(verdict->value);
  }
  return exit;
}

}  // namespace

ChildProcesses::ChildProcesses(std::stop_token cancel, std::chrono::milliseconds grace,
                               std::shared_ptr<const HiddenText> hidden)
    : cancel_(std::move(cancel)), grace_(grace), hidden_(std::move(hidden)) {}

namespace {

Result<ports::Exit> run(const ports::Command& asked, const std::stop_token& cancel,
                        std::chrono::milliseconds grace, Stream& out, Stream& err) {
  if (asked.argv.empty())
    return fail(ErrorKind::internal, "attempt to run a command without a program");
  const ports::Command command = in_mount_namespace(asked);
  if (cancel.stop_requested()) {
    return ports::Exit{.signal = SIGTERM, .canceled = true};
  }
  TRY(const std::string program, find_program(command.argv[0], command.environment));
  const std::optional<uint64_t> oom_before = current_oom_kills();
  TRY(const Child child, start(command, program, grace.count(), out, err));
  out.child.reset();
  err.child.reset();
  ports::Exit exit;
  const std::optional<Verdict> verdict = Watch(child, cancel, out, err).run(command.timeout, exit);
  reap(child.supervisor);
  TRY(exit, read_verdict(command, program, verdict, exit));
  exit.out_of_memory = killed_for_memory(exit, oom_before, current_oom_kills());
  return exit;
}

/// Writes as much as the file accepts: a full disk does not end the program whose log it is.
void write_to(const UniqueFd& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

Result<ports::Captured> ChildProcesses::capture(const ports::Command& command) {
  TRY(Pipe out_pipe, make_pipe());
  TRY(Pipe err_pipe, make_pipe());
  Stream out{std::move(out_pipe.write), std::move(out_pipe.read)};
  Stream err{std::move(err_pipe.write), std::move(err_pipe.read)};
  TRY(const ports::Exit exit, run(command, cancel_, grace_, out, err));
  return ports::Captured{exit, std::move(out.text), std::move(err.text)};
}

Result<ports::Exit> ChildProcesses::log(const ports::Command& command,
                                        const std::filesystem::path& log) {
  TRY(UniqueFd file, open_for_child(log, O_WRONLY | O_CREAT | O_APPEND));
  if (hidden_ && !hidden_->empty()) {
    TRY(Pipe pipe, make_pipe());
    HidingStream hiding(*hidden_);
    Stream out{UniqueFd(::fcntl(pipe.write.get(), F_DUPFD_CLOEXEC, 10)), std::move(pipe.read)};
    out.take = [&](std::string_view text) { write_to(file, hiding.pass(text)); };
    Stream err{std::move(pipe.write)};
    Result<ports::Exit> exit = run(command, cancel_, grace_, out, err);
    write_to(file, hiding.end());
    return exit;
  }
  Stream out{UniqueFd(::fcntl(file.get(), F_DUPFD_CLOEXEC, 10))};
  Stream err{std::move(file)};
  return run(command, cancel_, grace_, out, err);
}

}  // namespace pinwheel::host
