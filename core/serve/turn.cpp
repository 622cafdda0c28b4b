#include "core/serve/turn.h"

#include "core/serve/route.h"

namespace minerva::serve {

bool Turn::try_lock_for(std::chrono::milliseconds most) {
  std::unique_lock lock(m_mutex);
  if (!m_freed.wait_for(lock, most, [this] { return !m_isTaken; })) return false;
  m_isTaken = true;
  return true;
}

void Turn::unlock() {
  {
    const std::scoped_lock lock(m_mutex);
    m_isTaken = false;
  }
  m_freed.notify_one();
}

Result<std::unique_lock<Turn>> waitForTurn(const Context& context, const Call& call) {
  constexpr std::chrono::milliseconds lookForClient{50};
  std::unique_lock lock(context.turn, std::defer_lock);
  while (!lock.try_lock_for(lookForClient)) {
    if (call.gone && call.gone())
      return fail({.kind = ErrorKind::cancelled, .what = "The client has closed its connection", .where = "connection"});
    if (context.stopping.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "The server is stopping", .where = "server"});
  }
  return lock;
}

}  // namespace minerva::serve
