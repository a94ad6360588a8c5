// SPDX-License-Identifier: Apache-2.0
#include "process/worker_process.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

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
  EXPECT_EQ(worker.reap().text(), "killed by signal 11 (Segmentation fault)");
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
  EXPECT_EQ((Exit{true, SIGKILL}.text()), "killed by signal 9 (Killed)");
}

}  // namespace
}  // namespace kerntune::process
