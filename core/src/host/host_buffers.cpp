// SPDX-License-Identifier: Apache-2.0
#include "host/host_buffers.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include <fmt/format.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "measure/compare.hpp"
#include "measure/fill.hpp"

namespace kerntune {
namespace {

constexpr std::uint64_t kGuardBytes = 4096;
constexpr std::uint64_t kFrontKey = 1, kBackKey = 2;

bool is_input(BufferRole role) { return role == BufferRole::in || role == BufferRole::inout; }

}  // namespace

void GuardedMemory::Free::operator()(unsigned char* p) const noexcept { std::free(p); }

GuardedMemory::GuardedMemory(std::uint64_t bytes, std::uint64_t alignment) : bytes_(bytes) {
  const std::uint64_t align = std::max<std::uint64_t>(alignment, 64);
  front_ = std::max(kGuardBytes, align);
  const std::uint64_t padded = (bytes + align - 1) / align * align;
  back_ = kGuardBytes / align * align + align;
  block_.reset(static_cast<unsigned char*>(std::aligned_alloc(align, front_ + padded + back_)));
  if (!block_) throw std::bad_alloc();
  back_ += padded - bytes;  // the guard begins right after the last byte
  data_ = block_.get() + front_;
  write_guards();
}

void GuardedMemory::write_guards() noexcept {
  for (std::uint64_t i = 0; i < front_; ++i) block_[i] = guard_byte(kFrontKey, i);
  for (std::uint64_t i = 0; i < back_; ++i) data_[bytes_ + i] = guard_byte(kBackKey, i);
}

bool GuardedMemory::guards_intact(std::int64_t* offset) const noexcept {
  for (std::uint64_t i = 0; i < back_; ++i) {
    if (data_[bytes_ + i] == guard_byte(kBackKey, i)) continue;
    *offset = static_cast<std::int64_t>(bytes_ + i);
    return false;
  }
  for (std::uint64_t i = front_; i-- > 0;) {  // from the buffer outwards
    if (block_[i] == guard_byte(kFrontKey, i)) continue;
    *offset = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(front_);
    return false;
  }
  return true;
}

HostBuffers::HostBuffers(std::vector<BufferPlan> plans) : plans_(std::move(plans)) {
  for (const BufferPlan& plan : plans_) memory_.emplace_back(plan.bytes, plan.alignment);
}

void HostBuffers::fill_inputs(std::uint64_t seed) {
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    if (!is_input(plans_[i].role)) continue;
    fill_host(plans_[i].dtype, data(i), plans_[i].count, plans_[i].fill, seed, static_cast<unsigned>(i));
  }
  inputs_from_ = seed;
}

void HostBuffers::reset(std::uint64_t seed, unsigned run) {
  poison_seed_ = seed;
  poison_run_ = run;
  fill_inputs(seed);
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    if (!is_input(plans_[i].role)) poison_host(plans_[i].dtype, data(i), plans_[i].count, poison(i));
    memory_[i].write_guards();
  }
}

std::uint64_t HostBuffers::poison(std::size_t buffer) const noexcept {
  return poison_bits(plans_[buffer].dtype, poison_seed_, poison_run_);
}

void HostBuffers::prepare_inputs(std::uint64_t seed) {
  const auto is_inout = [](const BufferPlan& plan) { return plan.role == BufferRole::inout; };
  if (inputs_from_ != seed || std::any_of(plans_.begin(), plans_.end(), is_inout)) fill_inputs(seed);
}

void HostBuffers::reset_for_reference(std::uint64_t seed) {
  fill_inputs(seed);
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    if (!is_input(plans_[i].role)) std::memset(data(i), 0, plans_[i].bytes);
  }
}

std::vector<BoundBuffer> HostBuffers::bound() {
  std::vector<BoundBuffer> result;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    result.push_back({plans_[i].name, plans_[i].dtype, data(i), plans_[i].count});
  }
  return result;
}

std::string HostBuffers::damage(std::uint64_t seed) const {
  std::vector<unsigned char> fresh;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    const BufferPlan& plan = plans_[i];
    std::int64_t offset = 0;
    if (!memory_[i].guards_intact(&offset)) {
      return fmt::format("wrote outside buffer '{}' of {} bytes, at byte {}", plan.name, plan.bytes, offset);
    }
    if (plan.role != BufferRole::in) continue;
    fresh.resize(plan.bytes);
    fill_host(plan.dtype, fresh.data(), plan.count, plan.fill, seed, static_cast<unsigned>(i));
    const auto [now, was] = std::mismatch(memory_[i].data(), memory_[i].data() + plan.bytes, fresh.data());
    if (was != fresh.data() + plan.bytes) {
      return fmt::format("changed input buffer '{}' at byte {}", plan.name, now - memory_[i].data());
    }
  }
  return {};
}

void HostBuffers::evict() const {
#if defined(__x86_64__)
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    for (std::uint64_t at = 0; at < plans_[i].bytes; at += 64) _mm_clflush(memory_[i].data() + at);
  }
  _mm_mfence();
#else
  // No portable flush: read through more memory than the last-level caches of today hold.
  static std::vector<unsigned char> other(UINT64_C(256) << 20, 1);
  volatile unsigned sink = 0;
  for (std::size_t at = 0; at < other.size(); at += 64) sink = sink + other[at];
#endif
}

bool same_memory(std::span<const BufferPlan> a, std::span<const BufferPlan> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const BufferPlan& x, const BufferPlan& y) {
    return x.bytes == y.bytes && x.alignment == y.alignment && x.role == y.role && x.dtype == y.dtype;
  });
}

}  // namespace kerntune
