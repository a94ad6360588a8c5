// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kerntune {

/// Makes this process the parent of what its children leave behind when they end, whatever session or group that went
/// to, so that it can be ended with them. For programs that have no orphans of their own to care about: it changes who
/// the parent of every orphan below this process is.
void adopt_orphans() noexcept;

/// A process that belongs to this program, such as a worker: end_orphans() leaves it alone. Threads: any.
void claim_child(int process);
void disclaim_child(int process) noexcept;

/// When a process was started, in the kernel's ticks since the machine was; 0 if there is no such process.
std::uint64_t start_of(int process) noexcept;

/// Ends and reaps what a process that was started at `start`, and has ended, left behind: children of this process that
/// it did not start itself, and that are younger. They come to this process only after adopt_orphans();
/// without it, and where the kernel does not list children, nothing happens.
void end_orphans(std::uint64_t start) noexcept;

}  // namespace kerntune
