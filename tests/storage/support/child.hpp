// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <string>

namespace kerntune::testing {

/// Runs `work` in a child that ends without destructors, as a killed process does, and gives back the text it returned.
inline std::string in_child(const std::function<std::string()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) return "cannot make a pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    std::string answer;
    try {
      answer = work();
    } catch (const std::exception& error) {
      answer = error.what();
    }
    const ssize_t written = ::write(ends[1], answer.data(), answer.size());
    ::_exit(written == static_cast<ssize_t>(answer.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string answer;
  char buffer[4096];
  for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    answer.append(buffer, static_cast<std::size_t>(got));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return answer;
}

/// The same as a user whom file permissions bind; tests often run as root, whom they do not.
inline std::string in_unprivileged_child(const std::function<std::string()>& work) {
  return in_child([&]() -> std::string {
    constexpr unsigned kNobody = 65534;
    if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
      return "cannot give up root";
    }
    return work();
  });
}

}  // namespace kerntune::testing
