#include "core/speed/cost.h"

#include <algorithm>

namespace minerva::speed {

namespace {

double secondsFor(double amount, double perSecond) { return amount == 0 ? 0 : amount / perSecond; }

}  // namespace

const char* name(Limit limit) {
  switch (limit) {
    case Limit::bandwidth: return "bandwidth";
    case Limit::multiplying: return "multiplying";
    case Limit::dispatches: return "dispatches";
  }
  return "?";
}

Limit StepCost::limit() const {
  if (dispatching > std::max(reading, multiplying)) return Limit::dispatches;
  return reading >= multiplying ? Limit::bandwidth : Limit::multiplying;
}

StepCost costOf(const StepWork& work, const DeviceRates& rates) {
  return {.reading = secondsFor(work.bytes, rates.bytesPerSecond) + secondsFor(work.expertBytes, rates.expertBytesPerSecond),
          .multiplying = secondsFor(work.flops, rates.flopsPerSecond) + secondsFor(work.expertFlops, rates.expertFlopsPerSecond) +
                         secondsFor(work.unitFlops, rates.unitFlopsPerSecond) +
                         secondsFor(work.unitExpertFlops, rates.unitExpertFlopsPerSecond),
          .dispatching = work.dispatches * rates.dispatchSeconds + work.barriers * rates.barrierSeconds + rates.stepSeconds,
          .overlaps = rates.overlaps};
}

double worthOf(const StepWork& less, const StepWork& work, const DeviceRates& rates) {
  const StepWork rest{.bytes = work.bytes - less.bytes,
                      .expertBytes = work.expertBytes - less.expertBytes,
                      .flops = work.flops - less.flops,
                      .expertFlops = work.expertFlops - less.expertFlops,
                      .unitFlops = work.unitFlops - less.unitFlops,
                      .unitExpertFlops = work.unitExpertFlops - less.unitExpertFlops,
                      .dispatches = work.dispatches - less.dispatches,
                      .barriers = work.barriers - less.barriers};
  return 1.0 - costOf(rest, rates).total() / costOf(work, rates).total();
}

}  // namespace minerva::speed
