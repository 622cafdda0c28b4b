// The format that a request demands of its reply, as a grammar: OpenAI's response_format, llama-server's grammar and json_schema, vLLM's
// guided_... and structured_outputs, Ollama's format.
#pragma once

#include "core/engine/engine.h"
#include "core/serve/parse_json.h"

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace minerva::serve {

// The latest grammars, so that requests with the same one share its masks. Thread-safe.
class Grammars {
 public:
  using Pointer = std::shared_ptr<const grammar::Grammar>;
  // `make` runs without the lock. Errors: those of `make`, which are not kept.
  [[nodiscard]] Result<Pointer> get(const std::string& key, const std::function<Result<Pointer>()>& make);

 private:
  std::mutex m_mutex;
  std::list<std::pair<std::string, Pointer>> m_kept;  // latest first; guarded by m_mutex
};

// Sets request.constraint. Errors: invalidArgument, unsupported, limit; `where` is the path of the field or of a schema's keyword.
[[nodiscard]] Result<void> readFormat(const Json& body, Grammars& grammars, engine::Request& request);
[[nodiscard]] Result<void> readOllamaFormat(const Json& body, Grammars& grammars, engine::Request& request);

}  // namespace minerva::serve
