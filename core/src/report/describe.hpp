// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kerntune/core/report.hpp>

namespace kerntune::report {

/// Short texts that the terminal and the page share.
/// "1.860× (1.850–1.870)"; "-" if there is none.
std::string speedup_text(const BatchResult& batch, const Style& style);
/// "345.6 GFLOP/s" or "1.2 TB/s": the rate that belongs to the limit shown; "-" if the kernel does not state its work.
std::string achieved_text(const Roofline& roofline);
/// "71 % of bandwidth", "limit unknown" or "-".
std::string limit_text(const Roofline& roofline);
/// Roofline of the best configuration.
Roofline roofline_of_best(const BatchResult& batch, const DeviceInfo& device);
/// "k=4096, n=4096": sizes without the batch.
std::string other_dims_text(const TuneReport& report, const BatchResult& batch);
/// How one asks for the batch's result.
std::string query_command(const TuneReport& report, const BatchResult& batch);

/// "largest error 1.2e-07 absolute, 3e-06 relative, 4e-08 in the 2-norm; 3 seeds, 4 sizes"; says if runs differed.
std::string precision_text(const Verification& verification);
/// A verification as the store keeps it; nothing if the text holds none.
std::optional<Verification> stored_verification(const std::string& json);
/// Why a stored winner's times are not to be relied on; empty if they are.
std::string provisional_of(const storage::FinalRecord& record);

}  // namespace kerntune::report
