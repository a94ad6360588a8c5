// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <kerntune/core/kernel_spec.hpp>

#include "spec/json_document.hpp"

namespace kerntune {

/// A T1 file asks for something that kerntune cannot run (another language, a fill from a file). The space stays
/// usable.
class UnsupportedT1 : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The KernelSpecification of a T1 file on its way into a spec whose params and dims are set.
struct T1Kernel {
  JsonCursor specification;
  std::optional<JsonCursor> extension;  // the "kerntune" object
  std::vector<ExprText> problem_size;   // ProblemSize, or the extension's
};

/// True for a document that has the members of a T1 file, or of a bare space definition.
bool is_t1(const JsonCursor& root);
bool is_definition(const JsonCursor& root);

/// A T1 document as a spec; the source is read from `folder`. The result is not checked yet. Errors: JsonError.
KernelSpec read_t1(const JsonCursor& root, const std::string& folder);
KernelSpec read_definition(const JsonCursor& root);

// t1_space.cpp
std::vector<ParamSpec> read_t1_params(const JsonCursor& space);
std::vector<ExprText> read_t1_conditions(const JsonCursor& space);
/// Makes the defaults a valid configuration: T1 defaults may violate conditions or be absent. The nearest by number of
/// changed parameters, up to two; else the space's first. Nothing changes if there is no valid configuration.
void repair_defaults(KernelSpec& spec);

// t1_arguments.cpp: buffers, symbols and the launch step's args and shared memory. Errors: JsonError, UnsupportedT1.
void read_t1_arguments(const T1Kernel& kernel, KernelSpec& spec, LaunchStep& step);
/// A T1 size expression in our terms: ProblemSize[i] and max(PARAMETER) over its values replaced.
ExprText t1_expression(const std::string& text, const T1Kernel& kernel, const KernelSpec& spec);

}  // namespace kerntune
