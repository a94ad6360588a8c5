// SPDX-License-Identifier: Apache-2.0
// What goes to the device, when, and in whose company.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/batch_tuner.hpp"
#include "engine/gpu_health.hpp"

namespace kerntune {
namespace {

/// Two jobs in the device worker: it begins the next while the result of the last is being committed.
constexpr std::size_t kLaneDepth = 2;

}  // namespace

tl::expected<void, Rejection> BatchTuner::check_past(Candidate& candidate) const {
  const storage::EvaluationKey key = evaluation_key(setup_.context, result_.dims, candidate.text);
  candidate.suspect = setup_.suspects.includes(key);
  if (!setup_.suspects.blames(key) || setup_.request.retry_failed) return {};
  return tl::unexpected(
      Rejection{Reason::crash, fmt::format("it was under way when the machine went down {} times, the last time "
                                           "alone; not run again unless asked for (--retry-failed)",
                                           Suspects::kMostDowns)});
}

bool BatchTuner::may_dispatch(const Candidate& candidate, std::size_t busy) const {
  if (busy == 0) return true;
  const std::size_t depth = setup_.context.device.kind == DeviceKind::replay ? 1 : kLaneDepth;
  return busy < depth && !suspect_in_lane_ && !candidate.suspect;
}

void BatchTuner::dispatch() {
  std::vector<std::uint64_t> next;
  if (setup_.lane.outstanding() == 0) suspect_in_lane_ = false;
  while (!ready_.empty() && may_dispatch(candidates_.at(ready_.front()), setup_.lane.outstanding() + next.size())) {
    suspect_in_lane_ = suspect_in_lane_ || candidates_.at(ready_.front()).suspect;
    next.push_back(ready_.front());
    ready_.pop_front();
  }
  std::vector<std::string> starting;
  for (const std::uint64_t id : next) starting.push_back(candidates_.at(id).text);
  log_.commit(starting);  // first the journal, then the device: a culprit is always named
  for (const std::uint64_t id : next) {
    const Candidate& c = candidates_.at(id);
    setup_.lane.submit({id, c.config, c.text, c.modules, setup_.fixed_launches, false, {}});
  }
  if (!next.empty() && idle_since_) {
    idle_while_ready_ += Clock::now() - *idle_since_;
    idle_since_.reset();
  }
}

/// What the lane noticed beside the times, and whether they can be relied on.
void BatchTuner::note_circumstances() {
  result_.gpu_snapshots = setup_.lane.gpu_snapshots();
  std::vector<std::string> why;
  if (!setup_.lane.shared_with().empty()) why.push_back("the device was also used by " + setup_.lane.shared_with());
  if (std::string slow = slowed_down(result_.gpu_snapshots); !slow.empty()) why.push_back(std::move(slow));
  result_.provisional = fmt::format("{}", fmt::join(why, ", and "));
}

}  // namespace kerntune
