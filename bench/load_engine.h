// The clients of a load without a server: they ask an engine of this process. The same load over HTTP then shows what the server costs.
#pragma once

#include "bench/load_client.h"
#include "core/serve/desk.h"

namespace minerva::bench {

class EngineLoadClient final : public LoadClient {
 public:
  // The desk is shared by the clients and must outlive them. A reply that outlasts `timeout` is cancelled.
  EngineLoadClient(serve::EngineDesk& desk, std::chrono::milliseconds timeout) : m_desk(desk), m_timeout(timeout) {}

  [[nodiscard]] ChatOutcome chat(const ChatAsk& ask) override;

 private:
  serve::EngineDesk& m_desk;
  const std::chrono::milliseconds m_timeout;
};

}  // namespace minerva::bench
