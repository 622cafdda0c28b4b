#include "core/backend/split/read_speed.h"

#include <map>
#include <mutex>

namespace minerva::backend {
namespace {

class SpeedBook {
 public:
  [[nodiscard]] double of(const std::string& uuid) {
    const std::scoped_lock lock(m_mutex);
    const auto found = m_speeds.find(uuid);
    return found == m_speeds.end() ? 0 : found->second;
  }
  void add(const std::string& uuid, double speed) {
    const std::scoped_lock lock(m_mutex);
    m_speeds[uuid] = speed;
  }

 private:
  std::mutex m_mutex;
  std::map<std::string, double> m_speeds;
};

SpeedBook& speedBook() {
  static SpeedBook book;
  return book;
}

}  // namespace

Result<double> readSpeed(Backend& device, const std::stop_token& stop) {
  const std::string uuid = device.info().uuid;
  if (const double known = uuid.empty() ? 0 : speedBook().of(uuid); known > 0) return known;
  const auto measured = device.measureReadBandwidth([&stop] { return stop.stop_requested(); });
  if (!measured) {
    if (measured.error().kind == ErrorKind::cancelled || measured.error().kind == ErrorKind::deviceLost) return fail(measured.error());
    return 0.0;
  }
  if (!uuid.empty()) speedBook().add(uuid, measured->fromMemory());
  return measured->fromMemory();
}

}  // namespace minerva::backend
