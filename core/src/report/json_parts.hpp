// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <kerntune/core/report.hpp>

namespace kerntune::report {

using Json = nlohmann::ordered_json;

/// Canonical text as an object of typed values.
Json config_json(std::string_view config);
/// Null for 0 and for what JSON cannot say.
Json number_or_null(double value);
Json facts_json(const Facts& facts);
Json dims_json(const Dims& dims);
Json literal_json(const expr::Literal& literal);
Json param_json(const ParamSpec& param);
/// Counts and indices are exact; those beyond 64 bits are decimal text.
Json count_json(search::Count count);
Json index_json(const std::string& digits);
Json device_json(const DeviceInfo& device);
/// Null if nothing is known of it.
Json board_json(const std::optional<BoardFacts>& board);
Json roofline_json(const Roofline& roofline);
/// Reason to count.
Json failures_json(const BatchResult& batch);
/// What a verification measured; null if there was none.
Json verification_json(const Verification& verification);
/// The same from a store's column; null if it holds none.
Json verification_json(const std::string& stored);
Json final_json(const storage::FinalRecord& record);
Json optional_number(const std::optional<double>& value);

/// Two blanks of indentation and a newline at the end; bytes that are not UTF-8 (a compiler may print anything) are
/// replaced.
std::string document(const Json& json);

}  // namespace kerntune::report
