// SPDX-License-Identifier: Apache-2.0
#include "stream_tools.hpp"

#include <atomic>

namespace kerntune::cuda {

// Delegates, so that a failure half-way destroys the events made so far.
EventPool::EventPool(Context& context, std::size_t count) : EventPool(context) {
  for (std::size_t i = 0; i < count; ++i) {
    CUevent event = nullptr;
    context_.check(context_.api().event_create(&event, CU_EVENT_DEFAULT), "create an event");
    events_.push_back(event);
  }
}

EventPool::~EventPool() {
  for (CUevent event : events_) context_.api().event_destroy(event);
}

void EventPool::record(std::size_t index) {
  context_.check(context_.api().event_record(events_[index], context_.stream()), "record an event");
}

double EventPool::elapsed_ns(std::size_t from, std::size_t to) const {
  float milliseconds = 0;
  context_.check(context_.api().event_elapsed(&milliseconds, events_[from], events_[to]), "read a duration");
  return static_cast<double>(milliseconds) * 1e6;
}

MappedSignals::MappedSignals(Context& context, std::size_t words) : context_(context) {
  void* host = nullptr;
  context_.check(context_.api().host_alloc(&host, words * sizeof(std::uint64_t), CU_MEMHOSTALLOC_DEVICEMAP),
                 "allocate the blocker's signals");
  const CUresult mapped = context_.api().host_device_pointer(&device_, host, 0);
  if (mapped != CUDA_SUCCESS) {
    context_.api().host_free(host);
    context_.check(mapped, "map the blocker's signals");
  }
  host_ = static_cast<std::uint64_t*>(host);
  for (std::size_t i = 0; i < words; ++i) set(i, 0);
}

MappedSignals::~MappedSignals() { context_.api().host_free(host_); }

void MappedSignals::set(std::size_t index, std::uint64_t value) noexcept { std::atomic_ref(host_[index]).store(value); }
std::uint64_t MappedSignals::get(std::size_t index) const noexcept { return std::atomic_ref(host_[index]).load(); }

}  // namespace kerntune::cuda
