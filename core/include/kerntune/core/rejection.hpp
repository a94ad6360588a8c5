// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kerntune {

/// Why one configuration has no time. Names are stored in databases: append only.
enum class Reason {
  not_applicable,  // an applicability condition is false for this size or device
  device_limit,    // asks for more threads, shared memory, registers, ... than the device has
  compile_error,
  compile_timeout,
  compile_crash,
  cap_not_effective,  // the register cap was ignored by the compiler
  unsupported,        // the kernel said so
  launch_error,       // refused at launch, nothing ran
  out_of_memory,
  fault,             // illegal address, misaligned access, device assert: the context is lost
  crash,             // the worker process died: signal or exit
  timeout,           // did not end in time
  wrong_result,      // differs from the reference
  out_of_bounds,     // wrote into a guard zone or into an input
  unwritten_output,  // left poison in an output
  internal_error,
  bad_expression,  // an expression of the spec cannot be evaluated here, or gives a number that makes no sense in its
                   // place
  device_lost,     // the device itself failed or has gone; nobody's fault, never stored as a configuration's result
};
std::string_view name_of(Reason reason) noexcept;    // "compile_error"
Reason reason_from(std::string_view name) noexcept;  // unknown: internal_error

/// One configuration's failure as a value. `message` is for a person: what happened, to what, numbers.
struct Rejection {
  Reason reason = Reason::internal_error;
  std::string message;
};

}  // namespace kerntune
