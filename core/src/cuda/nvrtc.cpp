// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/compile.hpp>
#include <kerntune/core/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

#include "digest.hpp"
#include "nvrtc_api.hpp"
#include "nvrtc_program.hpp"
#include "ptxas_log.hpp"
#include "toolkit.hpp"

namespace kerntune::nvrtc {
namespace {

using cuda::NvrtcApi;
using cuda::NvrtcProgram;
using cuda::PtxasReport;

// What a kernel may declare statically on every architecture so far; more must be dynamic.
constexpr std::int64_t kMaxStaticSharedBytes = 49152;
constexpr std::size_t kLogLimit = 6000;

const NvrtcApi& require_api(const std::string& doing) {
  std::string why_not;
  const NvrtcApi* api = cuda::nvrtc_api(&why_not);
  if (api == nullptr) throw DeviceError(fmt::format("{}: {}", doing, why_not));
  return *api;
}

/// The release with its patch level, "13.0.88", from the comment that the compiler puts above its PTX: two patch levels
/// may generate different code, and nvrtcVersion does not tell them apart.
std::string full_version(const NvrtcApi& api) {
  const std::string plain = fmt::format("{}.{}", api.major, api.minor);
  const std::vector<int> known = architectures();
  if (known.empty()) return plain;
  CompileJob empty;
  empty.file = "version.cu";
  NvrtcProgram program(api, empty);
  if (program.compile({fmt::format("--gpu-architecture=compute_{}", known.front())}) != NVRTC_SUCCESS) return plain;
  const std::string ptx = program.ptx();
  const std::size_t at = ptx.find(", V" + plain + ".");
  if (at == std::string::npos) return plain;
  return ptx.substr(at + 3, ptx.find_first_not_of("0123456789.", at + 3) - at - 3);
}

/// "sm_90a" -> 90; 0 if it is no real architecture.
int number_of(std::string_view arch) {
  int number = 0;
  if (arch.starts_with("sm_")) std::from_chars(arch.data() + 3, arch.data() + arch.size(), number);
  return number;
}

/// The architecture that the author's options ask for, if any ("sm_90a" to use instructions of that chip only).
std::string_view arch_option(const std::string& option) {
  for (std::string_view flag : {"--gpu-architecture=", "-arch="})
    if (option.starts_with(flag)) return std::string_view(option).substr(flag.size());
  return {};
}

struct Options {
  std::vector<std::string> all;
  std::string arch;
};

/// Author's options first; the engine's follow. An author may refine the architecture by a suffix, not change it.
tl::expected<Options, Rejection> options_for(const CompileJob& job, const NvrtcApi& api) {
  Options options{{}, job.arch};
  for (const std::string& option : job.options) {
    const std::string_view arch = arch_option(option);
    if (arch.empty()) {
      options.all.push_back(option);
    } else if (number_of(arch) == number_of(job.arch)) {
      options.arch = arch;
    } else {
      return tl::unexpected(
          Rejection{Reason::compile_error,
                    fmt::format("compile '{}': option '{}' does not fit the device, which is {}; leave it out",
                                job.file, option, job.arch)});
    }
  }
  options.all.push_back("--gpu-architecture=" + options.arch);
  options.all.emplace_back("--ptxas-options=-v");
  // From 12.9 on NVRTC looks into the driver's compute cache, which would hide ptxas' report and the true compile time.
  if (api.major > 12 || (api.major == 12 && api.minor >= 9)) options.all.emplace_back("--no-cache");
  if (job.register_cap > 0) options.all.push_back(fmt::format("--maxrregcount={}", job.register_cap));
  if (cuda::includes_foreign_headers(job))
    for (const std::string& folder : cuda::toolkit().include_folders) options.all.push_back("-I" + folder);
  return options;
}

std::string shortened(const std::string& log) {
  if (log.size() <= kLogLimit) return log;
  return log.substr(0, kLogLimit) + fmt::format("\n... ({} more bytes)", log.size() - kLogLimit);
}

/// ptxas fails without a word when static shared memory is too large; its report still has the number.
std::string too_much_shared(const PtxasReport& report) {
  for (const auto& [name, facts] : report.entries)
    if (facts.shared_bytes > kMaxStaticSharedBytes)
      return fmt::format("{} declares {} bytes of static shared memory, {} are allowed; make it dynamic (shared_bytes)",
                         name, facts.shared_bytes, kMaxStaticSharedBytes);
  return {};
}

Rejection compile_failure(const CompileJob& job, const NvrtcApi& api, nvrtcResult result, const PtxasReport& report) {
  if (const std::string shared = too_much_shared(report); !shared.empty())
    return {Reason::device_limit, fmt::format("compile '{}' for {}: {}", job.file, job.arch, shared)};
  std::string message = fmt::format("compile '{}' for {}: {}", job.file, job.arch, api.error_string(result));
  if (result == NVRTC_ERROR_OUT_OF_MEMORY)
    return {Reason::out_of_memory,
            message + fmt::format("; {} bytes are allowed (--memory-limit)", job.memory_limit_bytes)};
  if (!report.rest.empty()) message += "\n" + shortened(report.rest);
  if (report.rest.find("open source file") != std::string::npos)
    message +=
        cuda::toolkit().include_folders.empty()
            ? "\nno CUDA toolkit headers were found on this machine; set CUDA_HOME, or declare the header in the spec"
            : "\ndeclare the header in the spec (\"headers\"), or add its folder to the options (-I)";
  return {Reason::compile_error, message};
}

struct Compiled {
  std::string cubin;
  PtxasReport report;
  std::map<std::string, std::string> lowered;  // by entry
};

tl::expected<Compiled, Rejection> compile_once(const CompileJob& job, const NvrtcApi& api,
                                               const std::vector<std::string>& options) {
  NvrtcProgram program(api, job);
  const nvrtcResult result = program.compile(options);
  Compiled compiled;
  compiled.report = cuda::parse_ptxas_log(program.log());
  if (result != NVRTC_SUCCESS) return tl::unexpected(compile_failure(job, api, result, compiled.report));
  compiled.cubin = program.cubin();
  for (const std::string& entry : job.entries) {
    compiled.lowered[entry] = program.lowered_name(entry);
    if (compiled.lowered[entry].empty() || compiled.cubin.empty())
      return tl::unexpected(
          Rejection{Reason::compile_error, fmt::format("compile '{}': NVRTC made no code for '{}'; is it a "
                                                       "__global__ function of this source?",
                                                       job.file, entry)});
  }
  return compiled;
}

std::int64_t regs_of(const Compiled& compiled, const std::string& entry) {
  const auto at = compiled.report.entries.find(compiled.lowered.at(entry));
  return at != compiled.report.entries.end() ? at->second.regs : 0;
}

/// Entries that use more registers than the cap.
std::vector<std::string> over_cap(const CompileJob& job, const Compiled& compiled) {
  std::vector<std::string> over;
  if (job.register_cap <= 0) return over;
  for (const std::string& entry : job.entries)
    if (regs_of(compiled, entry) > job.register_cap) over.push_back(entry);
  return over;
}

Rejection cap_rejection(const CompileJob& job, const std::string& entry, std::int64_t regs) {
  return {Reason::cap_not_effective,
          fmt::format("compile '{}': '{}' uses {} registers although the cap is {}: its __launch_bounds__ or the "
                      "chip's lower bound "
                      "decides; move the register limit into the kernel's launch bounds, or leave this cap out",
                      job.file, entry, regs, job.register_cap)};
}

/// The entry that defeats the cap even under the override, and its registers: one that is still over the cap, or the
/// one for which the override was needed if it would raise another entry's count.
std::optional<std::pair<std::string, std::int64_t>> defeats_cap(const CompileJob& job, const Compiled& plain,
                                                                const Compiled& forced) {
  const std::string needs_override = over_cap(job, plain).front();
  for (const std::string& entry : job.entries) {
    const std::int64_t before = regs_of(plain, entry), after = regs_of(forced, entry);
    if (after > job.register_cap) return std::pair(entry, after);
    if (before <= job.register_cap && after > before) return std::pair(needs_override, regs_of(plain, needs_override));
  }
  return std::nullopt;
}

/// A kernel with __launch_bounds__ ignores --maxrregcount. ptxas can be told to obey, but then the cap also *raises*
/// the limit of a kernel whose launch bounds imply a lower one (measured: 1024-thread bounds, cap 128: 128 registers,
/// which cannot be launched). So the override is used only when the plain cap did not work, and only if it raises no
/// entry.
tl::expected<Compiled, Rejection> compile_capped(const CompileJob& job, const NvrtcApi& api,
                                                 std::vector<std::string> options) {
  auto plain = compile_once(job, api, options);
  if (!plain || over_cap(job, *plain).empty()) return plain;
  options.emplace_back("--ptxas-options=--override-directive-values");
  auto forced = compile_once(job, api, options);
  if (!forced) return forced;
  if (const auto culprit = defeats_cap(job, *plain, *forced))
    return tl::unexpected(cap_rejection(job, culprit->first, culprit->second));
  return forced;
}

EntryFacts facts_of(const Compiled& compiled, const std::string& entry) {
  EntryFacts facts;
  facts.lowered_name = compiled.lowered.at(entry);
  const auto at = compiled.report.entries.find(facts.lowered_name);
  if (at == compiled.report.entries.end()) return facts;
  facts.regs = at->second.regs;
  facts.stack_bytes = at->second.stack_bytes;
  facts.spill_store_bytes = at->second.spill_store_bytes;
  facts.spill_load_bytes = at->second.spill_load_bytes;
  facts.static_shared_bytes = at->second.shared_bytes;
  facts.constant_bytes = at->second.constant_bytes;
  return facts;
}

/// Without ptxas' word on an entry neither its facts nor the cap can be trusted.
std::string entry_without_facts(const CompileJob& job, const Compiled& compiled) {
  for (const std::string& entry : job.entries) {
    const auto at = compiled.report.entries.find(compiled.lowered.at(entry));
    if (at == compiled.report.entries.end() || !at->second.complete) return entry;
  }
  return {};
}

}  // namespace

std::string version(std::string* why_not) {
  const NvrtcApi* api = cuda::nvrtc_api(why_not);
  if (api == nullptr) return {};
  static const std::string once = full_version(*api);
  return once;
}

std::vector<int> architectures() {
  const NvrtcApi* api = cuda::nvrtc_api();
  int count = 0;
  if (api == nullptr || api->supported_arch_count(&count) != NVRTC_SUCCESS || count <= 0) return {};
  std::vector<int> numbers(static_cast<std::size_t>(count));
  return api->supported_archs(numbers.data()) == NVRTC_SUCCESS ? numbers : std::vector<int>{};
}

tl::expected<CompiledModule, Rejection> compile(const CompileJob& job) {
  const NvrtcApi& api = require_api(fmt::format("compile '{}'", job.file));
  const auto started = std::chrono::steady_clock::now();
  const std::vector<int> known = architectures();
  if (std::ranges::find(known, number_of(job.arch)) == known.end())
    return tl::unexpected(Rejection{
        Reason::unsupported, fmt::format("compile '{}': this NVRTC ({}.{}) does not compile for {}, but for sm_{}",
                                         job.file, api.major, api.minor, job.arch, fmt::join(known, " sm_"))});
  const auto options = options_for(job, api);
  if (!options) return tl::unexpected(options.error());
  auto compiled = compile_capped(job, api, options->all);
  if (!compiled) return tl::unexpected(compiled.error());
  if (const std::string entry = entry_without_facts(job, *compiled); !entry.empty())
    return tl::unexpected(
        Rejection{Reason::internal_error,
                  fmt::format("compile '{}': the compiler's log says nothing about '{}' ({}); log:\n{}", job.file,
                              entry, compiled->lowered.at(entry), shortened(compiled->report.rest))});
  CompiledModule module;
  module.key = compile_key(job, version());
  module.cubin_digest = cuda::sha256_hex(compiled->cubin);
  for (const std::string& entry : job.entries) module.entries[entry] = facts_of(*compiled, entry);
  module.cubin = std::move(compiled->cubin);
  module.log = std::move(compiled->report.rest);
  module.compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
  return module;
}

}  // namespace kerntune::nvrtc
