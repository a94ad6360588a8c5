// SPDX-License-Identifier: Apache-2.0
// C++17: production code includes this header.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kerntune::query {

/// How an answer was found.
enum class Found {
  exact,         // tuned at this batch
  bucket,        // the smallest tuned batch above it serves it (ceil), with a bound
  extrapolated,  // above the largest tuned batch: the largest serves, no bound
  fallback,      // nothing tuned for this kernel, sizes and device: the default, if the file knows one. Printed as "default"
};
std::string_view name_of(Found found) noexcept;  // exact bucket extrapolated default

/// Who asks: hardware class as `kerntune devices --json` prints it. Empty: unknown, the answer is the default.
struct Key {
  std::string kernel;
  std::string other_dims;    // dims without the batch, "k=4096,n=4096", sorted by name
  std::string device_class;
  std::string policy;        // empty: the file's only policy, else "l2=cold,mode=eager,method=1"
};

/// One answer. Views live as long as the TunedConfigs that gave it.
struct Decision {
  Found found = Found::fallback;
  std::string_view config;       // empty only if the file does not know the kernel at all
  std::int64_t tuned_batch = 0;  // 0 for fallback
  double time_ns = 0;            // measured at tuned_batch; 0 if unknown
  double bound = 0;              // at most this many times slower than the best possible; 0: no bound is known
  std::string_view reason;       // one sentence: why this answer
};

/// Batches and winners of one kernel on one device, sorted: what a call site keeps.
class Family {
 public:
  Decision pick(std::int64_t batch) const noexcept;

 private:
  friend class TunedConfigs;
  struct Data;
  std::shared_ptr<const Data> data_;
};

/// An immutable snapshot of the current winners of a store. Threads: any number may read it.
class TunedConfigs {
 public:
  /// Reads the file once. Never throws: whatever is wrong is in error(), and every answer is then a fallback.
  static TunedConfigs open(const std::string& path) noexcept;
  const std::string& error() const noexcept;  // empty if all is well

  /// May allocate; call once per call site, then pick().
  Family resolve(const Key& key) const;
  std::vector<std::string> kernels() const;

 private:
  struct Snapshot;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace kerntune::query
