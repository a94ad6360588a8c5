// SPDX-License-Identifier: Apache-2.0
#include "process/worker_process.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process/printable.hpp"

namespace kerntune::process {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

auto soon() { return steady_clock::now() + seconds(20); }

TEST(WorkerProcess, AnswersOverItsChannel) {
  auto worker = WorkerProcess::spawn("describe");
  worker.send({R"({"op":"devices"})", ""});
  const auto answer = worker.wait(soon());
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->text, testing::HasSubstr("\"host\""));
}

TEST(WorkerProcess, SaysHowItEnded) {
  auto worker = WorkerProcess::spawn("describe");
  ASSERT_EQ(::kill(worker.pid(), SIGSEGV), 0);
  EXPECT_FALSE(worker.wait(soon()));
  EXPECT_EQ(worker.reap().text(), "was killed by signal 11 (Segmentation fault)");
}

TEST(WorkerProcess, KeepsWhatItPrinted) {
  auto worker = WorkerProcess::spawn("no-such-kind");
  EXPECT_FALSE(worker.wait(soon()));
  EXPECT_EQ(worker.reap().text(), "exited with code 0");
  EXPECT_THAT(worker.log_tail(), testing::HasSubstr("unknown kind of worker: no-such-kind"));
}

TEST(WorkerProcess, GivesUpAtTheDeadline) {
  auto worker = WorkerProcess::spawn("describe");
  EXPECT_FALSE(worker.wait(steady_clock::now() + std::chrono::milliseconds(50)));
  EXPECT_TRUE(worker.pump()) << "it still runs: it was only not asked anything";
}

TEST(WorkerProcess, IsGoneWhenItsOwnerIs) {
  pid_t pid = 0;
  {
    auto worker = WorkerProcess::spawn("describe");
    pid = worker.pid();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(WorkerProcess, RunsInAGroupOfItsOwn) {
  auto worker = WorkerProcess::spawn("describe");
  EXPECT_EQ(::getpgid(worker.pid()), worker.pid());
}

TEST(Exit, NamesCodesAndSignals) {
  EXPECT_EQ((Exit{false, 3}.text()), "exited with code 3");
  EXPECT_EQ((Exit{true, SIGABRT}.text()), "was killed by signal 6 (Aborted)");
}

TEST(Exit, TellsAKillByUsFromOneByOthers) {
  EXPECT_THAT((Exit{true, SIGKILL}.text()), testing::HasSubstr("by the kernel because memory ran out or by somebody"));
  EXPECT_TRUE((Exit{true, SIGKILL}.killed_from_outside()));
  EXPECT_FALSE((Exit{true, SIGKILL, Exit::By::us}.killed_from_outside()));
  EXPECT_EQ((Exit{true, SIGKILL, Exit::By::us}.text()), "did not end by itself and was killed");
}

TEST(WorkerProcess, SaysTheSameHoweverOftenItIsAsked) {
  auto worker = WorkerProcess::spawn("describe");
  ASSERT_EQ(::kill(worker.pid(), SIGABRT), 0);
  EXPECT_FALSE(worker.wait(soon()));
  EXPECT_EQ(worker.reap().text(), "was killed by signal 6 (Aborted)");
  EXPECT_EQ(worker.kill().text(), "was killed by signal 6 (Aborted)");
}

TEST(WorkerProcess, IsEndedEvenWhenItIsStopped) {
  auto worker = WorkerProcess::spawn("describe");
  ASSERT_EQ(::kill(worker.pid(), SIGSTOP), 0);
  const Exit exit = worker.kill();
  EXPECT_EQ(exit.by, Exit::By::us);
  EXPECT_EQ(exit.code, SIGKILL);
}

TEST(WorkerProcess, KnowsThatItsStatusWasTakenByOthers) {
  ::signal(SIGCHLD, SIG_IGN);  // the kernel reaps
  auto worker = WorkerProcess::spawn("describe");
  ASSERT_EQ(::kill(worker.pid(), SIGSEGV), 0);
  EXPECT_FALSE(worker.wait(soon()));
  EXPECT_EQ(worker.reap().by, Exit::By::unknown);
  ::signal(SIGCHLD, SIG_DFL);
}

/// A program may be started without standard streams: its first descriptors then have their numbers.
TEST(WorkerProcess, CanBeMadeWithoutStandardStreams) {
  const std::array<int, 3> kept{::dup(0), ::dup(1), ::dup(2)};
  for (const int fd : {0, 1, 2}) ::close(fd);
  std::optional<Message> answer;
  {
    auto worker = WorkerProcess::spawn("describe");
    worker.send({R"({"op":"devices"})", ""});
    answer = worker.wait(soon());
  }
  for (const int fd : {0, 1, 2}) ::dup2(kept[static_cast<std::size_t>(fd)], fd);
  for (const int fd : kept) ::close(fd);
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->text, testing::HasSubstr("\"host\""));
}

TEST(WorkerProcess, LeaksNoDescriptors) {
  const auto count = [] {
    const std::filesystem::directory_iterator folder("/proc/self/fd");
    return std::distance(begin(folder), end(folder));
  };
  const auto before = count();
  for (int i = 0; i < 3; ++i) (void)WorkerProcess::spawn("describe");
  EXPECT_EQ(count(), before);
}

/// What this process was started with is no business of a worker's, and neither are its own files.
TEST(WorkerProcess, InheritsNoDescriptors) {
  const int inheritable = ::dup2(2, 150);
  auto worker = WorkerProcess::spawn("describe");
  worker.send({R"({"op":"devices"})", ""});
  ASSERT_TRUE(worker.wait(soon()));
  std::vector<std::string> open;
  for (const auto& fd : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", worker.pid())))
    open.push_back(fd.path().filename());
  ::close(inheritable);
  EXPECT_THAT(open, testing::UnorderedElementsAre("0", "1", "2", std::to_string(kWorkerChannelFd),
                                                  std::to_string(kWorkerStatusFd)));
}

TEST(Channel, DoesNotReadForEverFromOneWhoNeverStops) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  Channel ours{UniqueFd(ends[0])};
  std::atomic<bool> enough = false;
  std::thread writer([&] {
    const std::string bytes(1 << 16, 'x');
    while (!enough && ::send(ends[1], bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0) {
    }
  });
  pollfd arrived{ours.fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&arrived, 1, 20'000), 1);
  (void)ours.pump();  // comes back
  enough = true;
  EXPECT_NE(ours.pump(), Channel::Pumped::closed);
  EXPECT_THROW((void)ours.next(), ProtocolError);
  ::shutdown(ends[1], SHUT_RDWR);
  writer.join();
  ::close(ends[1]);
}

TEST(StatusPage, TellsWhatTheOtherSideIsAt) {
  const StatusPage supervisor = StatusPage::create();
  StatusPage worker = StatusPage::attach(supervisor.fd());
  EXPECT_FALSE(supervisor.step()) << "at nothing";
  worker.begin(42, StatusPage::Phase::verifying, 0.5);
  const auto step = supervisor.step();
  ASSERT_TRUE(step);
  EXPECT_EQ(step->item, 42U);
  EXPECT_EQ(step->phase, StatusPage::Phase::verifying);
  EXPECT_EQ(step->allowed_s, 0.5);
  EXPECT_GE(step->running_s, 0);
  worker.rest();
  EXPECT_FALSE(supervisor.step());
}

TEST(StatusPage, KnowsWhatIsOverdue) {
  EXPECT_TRUE((StatusPage::Step{1, StatusPage::Phase::timing, 2, 1}.overdue()));
  EXPECT_FALSE((StatusPage::Step{1, StatusPage::Phase::timing, 1, 2}.overdue()));
}

TEST(StatusPage, OutlivesItsWriterAndBoundsWhatItClaims) {
  const StatusPage supervisor = StatusPage::create();
  StatusPage::attach(supervisor.fd()).begin(1, StatusPage::Phase::timing, 1e300);
  ASSERT_TRUE(supervisor.step());
  EXPECT_LE(supervisor.step()->allowed_s, 1.001e9);
}

TEST(PrintableCopy, KeepsTextAndReplacesTheRest) {
  EXPECT_EQ(printable_copy("tab\t, line\n, \u00b5s", 100), "tab\t, line\n, \u00b5s");
  EXPECT_EQ(printable_copy("\x1b[31m\x07\x7f\xff\xc0\xaf", 100), "?[31m?????");
  EXPECT_EQ(printable_copy("0123456789", 4), "0123");
}

}  // namespace
}  // namespace kerntune::process
