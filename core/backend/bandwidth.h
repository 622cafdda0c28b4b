// Read bandwidth of a device as a function of how much is read repeatedly: small amounts come from caches.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace minerva::backend {

struct BandwidthPoint {
  std::uint64_t bytes = 0;  // working set, read repeatedly
  double bytesPerSecond = 0;
  friend bool operator==(const BandwidthPoint&, const BandwidthPoint&) = default;
};

// Upper bounds: a smaller amount is read at least as fast as a larger one; between two measured amounts the speed of the
// smaller one applies.
class BandwidthCurve {
 public:
  void add(const BandwidthPoint& point);
  void raiseTo(const BandwidthCurve& other);  // pointwise maximum of both
  [[nodiscard]] bool isKnown() const { return !m_points.empty(); }
  [[nodiscard]] double at(double bytes) const;  // bytes per second; 0: unknown
  [[nodiscard]] double fromMemory() const { return m_points.empty() ? 0 : m_points.back().bytesPerSecond; }
  // How many times per second that many bytes can be read. For the bytes a model reads per token: its maximum tokens per
  // second. 0: unknown.
  [[nodiscard]] double timesPerSecond(double bytes) const { return bytes > 0 ? at(bytes) / bytes : 0; }
  [[nodiscard]] const std::vector<BandwidthPoint>& points() const { return m_points; }  // ascending bytes, non-increasing speeds
  friend bool operator==(const BandwidthCurve&, const BandwidthCurve&) = default;

 private:
  std::vector<BandwidthPoint> m_points;
};

// The sizes to measure: powers of two from 1 MiB up to `most`.
[[nodiscard]] std::vector<std::uint64_t> bandwidthSizes(std::uint64_t most);

// Bytes per second of the fastest of several runs (about 50 ms in total). read(times) must read `bytes` that many times;
// `times` grows until a run lasts some milliseconds, so that its overhead is negligible, however fast the device. Fails with `cancelled` if
// stop, polled before each run, returns true.
[[nodiscard]] Result<double> fastestRead(std::uint64_t bytes, const std::function<Result<void>(std::uint32_t times)>& read,
                                         const std::function<bool()>& stop = {});
// The same for a device with a clock of its own: read(times) returns the milliseconds that it took.
[[nodiscard]] Result<double> fastestTimedRead(std::uint64_t bytes, const std::function<Result<double>(std::uint32_t times)>& read,
                                              const std::function<bool()>& stop = {});
[[nodiscard]] std::unexpected<Error> measurementCancelled();

}  // namespace minerva::backend
