// How fast a device reads what it reads again and again, by how much that is: what fits into a cache comes from there.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace minerva::backend {

struct BandwidthPoint {
  std::uint64_t bytes = 0;  // read again and again
  double bytesPerSecond = 0;
  friend bool operator==(const BandwidthPoint&, const BandwidthPoint&) = default;
};

// Upper bounds: a smaller amount is read at least as fast as a larger one, and between two measured amounts the smaller
// one's speed holds.
class BandwidthCurve {
 public:
  void add(const BandwidthPoint& point);
  void raiseTo(const BandwidthCurve& other);  // the faster of both, everywhere
  [[nodiscard]] bool isKnown() const { return !m_points.empty(); }
  [[nodiscard]] double at(double bytes) const;  // bytes a second; 0: not known
  [[nodiscard]] double fromMemory() const { return m_points.empty() ? 0 : m_points.back().bytesPerSecond; }
  // Times a second that so many bytes can be read: for those a model reads for a token, its ceiling. 0: not known.
  [[nodiscard]] double timesPerSecond(double bytes) const { return bytes > 0 ? at(bytes) / bytes : 0; }
  [[nodiscard]] const std::vector<BandwidthPoint>& points() const { return m_points; }  // rising bytes, falling speeds
  friend bool operator==(const BandwidthCurve&, const BandwidthCurve&) = default;

 private:
  std::vector<BandwidthPoint> m_points;
};

// The amounts to measure, from 1 MiB up to `most`, each twice the one before.
[[nodiscard]] std::vector<std::uint64_t> bandwidthSizes(std::uint64_t most);

// Bytes a second of the fastest of several runs (about 50 ms in all). read(times) reads `bytes` so often; it is asked for
// so many that what a run costs besides does not count.
[[nodiscard]] Result<double> fastestRead(std::uint64_t bytes, const std::function<Result<void>(std::uint32_t times)>& read);

}  // namespace minerva::backend
