// SPDX-License-Identifier: Apache-2.0
// C++17: production code includes this header.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kerntune::query {

namespace detail {
struct FamilyData;
struct Snapshot;
}  // namespace detail

/// How an answer was found.
enum class Found {
  exact,         // tuned at this batch
  bucket,        // the smallest tuned batch above it serves it (ceil), with a bound
  extrapolated,  // above the largest tuned batch: the largest serves, no bound
  fallback,      // nothing tuned for this kernel, sizes and device: the default, if the file knows one. Printed as
                 // "default"
};
std::string_view name_of(Found found) noexcept;  // exact bucket extrapolated default

/// Who asks: hardware class as `kerntune devices --json` prints it. Empty: unknown, the answer is the default.
struct Key {
  std::string kernel;
  std::string other_dims;  // dims without the batch, "k=4096,n=4096", sorted by name
  std::string device_class;
  std::string policy;  // empty: the file's only policy, else "l2=cold,mode=eager,method=1"
};

/// One answer. Views live as long as the TunedConfigs that gave it, or the Family, whichever is longer.
struct Decision {
  Found found = Found::fallback;
  std::string_view config;       // empty only if the file does not know the kernel at all
  std::int64_t tuned_batch = 0;  // 0 for fallback
  double time_ns = 0;            // measured at tuned_batch; 0 if unknown
  /// At most this many times slower than the best known to the tuner at this batch; 0: no bound is known.
  /// exact: 1. bucket, between adjacent tuned batches a < batch <= b: time(b) / time(a), which holds as long as no
  /// configuration gets faster when the batch grows: chosen(batch) <= time(b), and best(batch) >= best(a) = time(a).
  /// Below the smallest tuned batch nothing is known from below: 0. Both times come from one code and toolchain.
  double bound = 0;
  std::string_view reason;  // one sentence: why this answer
};

/// Batches and winners of one kernel on one device, sorted: what a call site keeps. Copies share their content.
class Family {
 public:
  /// Neither allocates, locks nor fails. A batch below 1 gets the default. Cost: a binary search, a few nanoseconds.
  Decision pick(std::int64_t batch) const noexcept;

 private:
  friend class TunedConfigs;
  std::shared_ptr<const detail::FamilyData> data_;  // shared with the TunedConfigs it came from, which it keeps alive
};

/// An immutable snapshot of the current winners of a store. Threads: any number may read it.
class TunedConfigs {
 public:
  /// Reads the file once and closes it. Creates and changes no file; works on read-only files and folders, and on a
  /// store whose writer was killed half-way. Never throws: whatever is wrong is in error(), and every answer is then a
  /// fallback. Refused: files over 1 GiB, files whose content does not match its checks. Waits up to 2 s for a writer.
  static TunedConfigs open(const std::string& path) noexcept;
  const std::string& error() const noexcept;  // empty if all is well

  /// Never fails: what is not tuned resolves to a Family that always answers with the default and says why.
  ///
  /// A family is served from one code: of the (code digest, toolchain) pairs under which it has current winners, the
  /// one with the newest winner; rows of the others are left out, as their configurations may not exist in that code
  /// and their times do not compare. Several winners at one batch (other space or reference): the newest serves. Equal
  /// times: the larger id. An empty policy with winners under several policies is a miss, which the reason names. The
  /// default is that of the kernel's newest winner on any device.
  Family resolve(const Key& key) const noexcept;
  std::vector<std::string> kernels() const;  // sorted

 private:
  std::shared_ptr<const detail::Snapshot> snapshot_;
};

}  // namespace kerntune::query
