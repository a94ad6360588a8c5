// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kerntune/core/kernel_spec.hpp>

#include "spec/json_document.hpp"

namespace kerntune {

/// The structure of a spec document: members, types, names of enumerators. What the parts mean together is checked by
/// compile_spec. Source texts may be absent. Errors: JsonError.
KernelSpec read_spec(const JsonCursor& root);

// Parts that T1 extensions share with specs. Errors: JsonError.
Dim read_dim(const JsonCursor& cursor);
Derived read_derived(const JsonCursor& cursor);
Fill read_fill(const JsonCursor& cursor, DType dtype);
Reference read_reference(const JsonCursor& cursor);
Tolerance read_tolerance(const JsonCursor& cursor);
Work read_work(const JsonCursor& cursor);
Role read_role(const JsonCursor& cursor);

/// An expression: text, or a number or boolean as text.
ExprText read_expression(const JsonCursor& cursor);
std::vector<ExprText> read_expressions(const JsonCursor& cursor);
/// One to three expressions; the rest stay empty.
std::array<ExprText, 3> read_triple(const JsonCursor& cursor);

/// The document of a spec, defaults left out.
JsonValue spec_to_value(const KernelSpec& spec);

/// "kernel 'sgemm': " for the messages of a document whose name is known, "spec 'ORIGIN': " otherwise.
std::string spec_prefix(const JsonCursor& root, std::string_view origin);

}  // namespace kerntune
