// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <kerntune/storage/result_store.hpp>

#include "support/child.hpp"
#include "support/files.hpp"
#include "support/sample_records.hpp"
#include "support/temp_dir.hpp"

namespace kerntune::storage {
namespace {

using namespace kerntune::testing;
using ::testing::Each;
using ::testing::ElementsAre;
using Mode = ResultStore::Mode;

// Runs `work(i)` in `count` processes at once; gives what each answered.
std::vector<std::string> in_children(int count, const std::function<std::string(int)>& work) {
  std::vector<std::string> answers(static_cast<std::size_t>(count));
  std::vector<std::pair<pid_t, int>> children;
  for (int i = 0; i < count; ++i) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      std::string answer;
      try {
        answer = work(i);
      } catch (const std::exception& error) {
        answer = error.what();
      }
      ::_exit(::write(ends[1], answer.data(), answer.size()) < 0);
    }
    ::close(ends[1]);
    children.emplace_back(child, ends[0]);
  }
  for (std::size_t i = 0; i < children.size(); ++i) {
    char buffer[1000];
    const ssize_t got = ::read(children[i].second, buffer, sizeof buffer);
    answers[i].assign(buffer, got > 0 ? static_cast<std::size_t>(got) : 0);
    ::close(children[i].second);
    ::waitpid(children[i].first, nullptr, 0);
  }
  return answers;
}

TEST(StoreProcesses, CommitToOneStoreWithoutLosingARow) {
  constexpr int kProcesses = 6, kCommits = 50;
  const TempDir dir;
  const std::string path = dir.file("a.db");
  {
    const auto store = ResultStore::open(path, Mode::create);
  }
  const auto answers = in_children(kProcesses, [&](int process) -> std::string {
    auto store = ResultStore::open(path, Mode::read_write);
    for (int i = 0; i < kCommits; ++i) {
      const auto record = sample_evaluation(std::to_string(process) + "." + std::to_string(i));
      store.commit({&record, 1}, {});
    }
    return "done";
  });
  EXPECT_THAT(answers, Each("done"));
  EXPECT_EQ(ResultStore::open(path, Mode::read_only).recent("", 10'000).size(), std::size_t{kProcesses * kCommits});
}

TEST(StoreProcesses, MayAllCreateTheSameStoreAtOnce) {
  const TempDir dir;
  for (int round = 0; round < 10; ++round) {
    const std::string path = dir.file(std::to_string(round) + "/a.db");
    const auto answers = in_children(6, [&](int process) -> std::string {
      auto store = ResultStore::open(path, Mode::create);
      const auto record = sample_evaluation(std::to_string(process));
      store.commit({&record, 1}, {});
      return "done";
    });
    EXPECT_THAT(answers, Each("done"));
    EXPECT_EQ(ResultStore::open(path, Mode::read_only).recent("", 100).size(), 6u);
  }
}

TEST(StoreProcesses, MayAllFillTheSameEmptyFileAtOnce) {
  const TempDir dir;
  const std::string path = dir.file("a.db");
  for (int round = 0; round < 10; ++round) {
    write_file(path, "");
    const auto answers = in_children(6, [&](int process) -> std::string {
      auto store = ResultStore::open(path, Mode::create);
      const auto record = sample_evaluation(std::to_string(process));
      store.commit({&record, 1}, {});
      return "done";
    });
    EXPECT_THAT(answers, Each("done"));
    EXPECT_EQ(ResultStore::open(path, Mode::read_only).recent("", 100).size(), 6u);
  }
}

}  // namespace
}  // namespace kerntune::storage
