#include "launch/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "support/error.h"

namespace skelgen::launch {
namespace {

Error no_such(const std::string& program) {
  return {Code::launch,
          program,
          {},
          "command not found",
          program.find('/') == std::string::npos ? "check the spelling and PATH; is the MPI module loaded?"
                                                 : "check the path"};
}

std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

/// Signals are taken from the mask, not by handlers: nothing global, nothing asynchronous.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigemptyset(&held_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) sigaddset(&held_, number);
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
    // A parent may have left SIGCHLD ignored; then children would vanish without a status.
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &usual, &child_before_);
  }
  ~SignalsHeld() {
    sigaction(SIGCHLD, &child_before_, nullptr);
    // A SIGCHLD of the reaped child may still be pending: harmless, its default is to be ignored.
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  const sigset_t& held() const { return held_; }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t held_{}, before_{};
  struct sigaction child_before_ {};
};

/// What a child leaves behind when it ends becomes ours, not init's.
class OrphansKept {
 public:
  OrphansKept() {
    prctl(PR_GET_CHILD_SUBREAPER, &before_);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  ~OrphansKept() { prctl(PR_SET_CHILD_SUBREAPER, static_cast<unsigned long>(before_)); }
  OrphansKept(const OrphansKept&) = delete;
  OrphansKept& operator=(const OrphansKept&) = delete;

 private:
  int before_ = 0;
};

/// A process of our group that does nothing, with signals blocked. A signal that it got, too, was for the whole group:
/// the program has it already, and launchers take a second one for impatience and kill their ranks.
class Witness {
 public:
  Witness() { begin(); }
  ~Witness() { end(); }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  bool got(int number) {
    constexpr timespec kWhole{0, 50'000'000};  // until all of the group have got it
    nanosleep(&kWhole, nullptr);
    const std::string key = "ShdPnd:";
    std::ifstream in("/proc/" + std::to_string(process_) + "/status");
    std::uint64_t pending = 0;
    for (std::string line; std::getline(in, line);)
      if (line.starts_with(key)) pending = std::strtoull(line.c_str() + key.size(), nullptr, 16);
    if (!(pending >> (number - 1) & 1)) return false;
    end();
    begin();
    return true;
  }
  void end() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }

 private:
  void begin() {
    process_ = fork();
    if (process_ != 0) return;
    prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL));
    for (;;) pause();
  }
  pid_t process_ = -1;
};

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream in(thread.path() / "children");
    for (pid_t one = 0; in >> one;) found.push_back(one);
  }
  return found;
}

/// Ends what the child has left behind, and what that leaves: by the signal that ended the child, what does not heed it
/// by SIGKILL.
void end_orphans(int number) {
  constexpr int kPatience = 200, kRounds = 300;  // of 10 ms
  std::set<pid_t> told;
  for (int round = 0; round < kRounds; ++round) {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    const auto left = children();
    if (left.empty()) return;
    for (const pid_t one : left)
      if (round >= kPatience || told.insert(one).second) kill(one, round < kPatience ? number : SIGKILL);
    constexpr timespec kRound{0, 10'000'000};
    nanosleep(&kRound, nullptr);
  }
}

/// In the child: redirections and exec. Only returns by failing.
int execute(const Launch& what, std::vector<char*>& arguments, const sigset_t& mask) {
  for (const auto& [name, value] : what.environment) setenv(name.c_str(), value.c_str(), 1);
  if (what.output) {
    const int file = open(what.output->c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0) return errno;
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    close(file);
  } else if (what.output_to_stderr) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  execvp(arguments[0], arguments.data());
  return errno;
}

}  // namespace

Outcome launch(const Launch& what) {
  if (what.command.empty()) throw Error(Code::invalid_argument, "no program to start was given");
  std::vector<char*> arguments;
  for (const auto& argument : what.command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  const SignalsHeld signals;
  Witness witness;  // before the pipe, which it would keep open
  int failure[2];   // closed by a successful exec, carries errno otherwise
  if (pipe2(failure, O_CLOEXEC) != 0) throw Error(Code::io, std::string("no pipe: ") + std::strerror(errno));
  const OrphansKept orphans;
  Outcome outcome;
  outcome.spawned_ns = monotonic_ns();
  const pid_t child = fork();
  if (child == 0) {
    const int problem = execute(what, arguments, signals.before());
    [[maybe_unused]] const auto written = write(failure[1], &problem, sizeof problem);
    _exit(127);
  }
  const int fork_problem = errno;
  close(failure[1]);
  int problem = 0;
  const bool failed = child > 0 && read(failure[0], &problem, sizeof problem) == sizeof problem;
  close(failure[0]);
  if (child < 0)
    throw Error(Code::io, what.command[0], {}, std::string("cannot be started: ") + std::strerror(fork_problem));

  int status = 0;
  constexpr timespec kRound{0, 100'000'000};
  constexpr int kPatience = 100;  // rounds
  for (int since = 0; waitpid(child, &status, WNOHANG) == 0;) {
    siginfo_t info{};
    const int number =
        what.enough ? sigtimedwait(&signals.held(), &info, &kRound) : sigwaitinfo(&signals.held(), &info);
    if (what.enough && (outcome.enough || what.enough())) {
      if (!outcome.enough) kill(child, what.end_by);
      outcome.enough = true;
      if (number < 0 && ++since == kPatience) kill(child, SIGKILL);
    }
    if (number > 0 && number != SIGCHLD) outcome.asked = number;
    if (number > 0 && number != SIGCHLD && info.si_code <= 0 && !witness.got(number)) kill(child, number);
  }
  witness.end();
  outcome.ended_ns = monotonic_ns();
  // The launcher may end before the signal for its process group reaches this process.
  constexpr timespec kNow{0, 0};
  for (int number = 0; (number = sigtimedwait(&signals.held(), nullptr, &kNow)) > 0;)
    if (number != SIGCHLD) outcome.asked = number;
  if (outcome.asked && status != 0) end_orphans(outcome.asked);
  if (outcome.enough) end_orphans(what.end_by);
  if (failed) {
    if (problem == ENOENT || problem == ENOTDIR) throw no_such(what.command[0]);
    throw Error(Code::io, what.command[0], {}, std::string("cannot be executed: ") + std::strerror(problem),
                "check its permissions");
  }
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome.status = outcome.signal ? 128 + outcome.signal : WEXITSTATUS(status);
  return outcome;
}

std::optional<std::filesystem::path> find_program(const std::string& program) {
  const auto runs = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
  };
  if (program.empty()) return {};
  if (program.find('/') != std::string::npos)
    return runs(program) ? std::optional(std::filesystem::path(program)) : std::nullopt;
  const char* search = std::getenv("PATH");
  std::istringstream folders(search ? search : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto path = std::filesystem::path(folder.empty() ? "." : folder) / program;
    if (runs(path)) return path;
  }
  return {};
}

void require_program(const std::string& program) {
  if (!find_program(program)) throw no_such(program);
}

Captured capture(const std::vector<std::string>& command, const std::filesystem::path& scratch,
                 const Launcher& launcher) {
  const auto file = scratch / "output.txt";
  std::filesystem::remove(file);
  Launch what;
  what.command = command;
  what.output = file;
  Captured captured;
  captured.outcome = launcher(what);
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  captured.text = text.str();
  return captured;
}

std::string last_line(const std::string& text) {
  const char* blanks = " \t\r\n";
  const auto end = text.find_last_not_of(blanks);
  if (end == std::string::npos) return {};
  auto begin = text.find_last_of('\n', end);
  begin = text.find_first_not_of(blanks, begin == std::string::npos ? 0 : begin);
  return text.substr(begin, end - begin + 1);
}

}  // namespace skelgen::launch
