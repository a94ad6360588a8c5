// SPDX-License-Identifier: Apache-2.0
#include "nvrtc_program.hpp"

#include <kerntune/core/errors.hpp>

#include "standard_headers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kerntune::cuda {
namespace {

/// Reads a text or binary result by NVRTC's size-then-data protocol.
template <typename SizeOf, typename DataOf>
std::string read_result(nvrtcProgram program, SizeOf size_of, DataOf data_of) {
  std::size_t size = 0;
  if (size_of(program, &size) != NVRTC_SUCCESS || size == 0) return {};
  std::string bytes(size, '\0');
  return data_of(program, bytes.data()) == NVRTC_SUCCESS ? bytes : std::string();
}

/// NVRTC's texts end in a zero byte that is counted.
std::string without_terminator(std::string text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace

NvrtcProgram::NvrtcProgram(const NvrtcApi& api, const CompileJob& job) : api_(api) {
  std::vector<const char*> texts, names;
  const auto add = [&](const std::pair<std::string, std::string>& header) {
    names.push_back(header.first.c_str());
    texts.push_back(header.second.c_str());
  };
  const auto standard = standard_headers_for(job);
  std::ranges::for_each(job.headers, add);
  std::ranges::for_each(standard, add);
  const nvrtcResult made = api_.create_program(&program_, job.source.c_str(), job.file.c_str(),
                                               static_cast<int>(names.size()), texts.data(), names.data());
  if (made != NVRTC_SUCCESS)
    throw DeviceError(fmt::format("compile '{}': nvrtcCreateProgram failed: {}", job.file, api_.error_string(made)));
  for (const std::string& entry : job.entries) api_.add_name_expression(program_, entry.c_str());
}

NvrtcProgram::~NvrtcProgram() { api_.destroy_program(&program_); }

nvrtcResult NvrtcProgram::compile(const std::vector<std::string>& options) {
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  return api_.compile_program(program_, static_cast<int>(pointers.size()), pointers.data());
}

std::string NvrtcProgram::log() const { return without_terminator(read_result(program_, api_.log_size, api_.log)); }
std::string NvrtcProgram::cubin() const { return read_result(program_, api_.cubin_size, api_.cubin); }
std::string NvrtcProgram::ptx() const { return without_terminator(read_result(program_, api_.ptx_size, api_.ptx)); }

std::string NvrtcProgram::lowered_name(const std::string& entry) const {
  const char* name = nullptr;
  return api_.lowered_name(program_, entry.c_str(), &name) == NVRTC_SUCCESS && name != nullptr ? name : "";
}

}  // namespace kerntune::cuda
