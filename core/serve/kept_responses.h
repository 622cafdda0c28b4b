// The latest responses, to which further requests may refer: in memory only, with a bound on their number and their size, the oldest leave
// first. Thread-safe.
#pragma once

#include "core/serve/parse_json.h"

#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace minerva::serve {

class KeptResponses {
 public:
  explicit KeptResponses(std::size_t mostBytes = 16u << 20) : m_mostBytes(mostBytes) {}

  // conversation: the items up to and with those of the response. One that is larger than all may be is not kept.
  void keep(const std::string& id, const Json& conversation);
  // nullopt: it is not here, or not any more.
  [[nodiscard]] std::optional<Json> conversation(const std::string& id) const;
  // Of these ids, those that are here.
  [[nodiscard]] std::map<std::string, Json> items(std::set<std::string> ids) const;

 private:
  struct Kept {
    std::string id, text;  // the conversation, as JSON
  };
  const std::size_t m_mostBytes;
  mutable std::mutex m_mutex;
  std::list<Kept> m_kept;  // latest first; guarded by m_mutex
  std::size_t m_bytes = 0;
};

// The items of a request with those that it refers to: of the response before it ("previous_response_id") and of single ones
// ("item_reference"). before: how many the former are. kept: null if there is none. Errors: invalidArgument, unsupported (an item that is
// not here), notFound (where is previousField).
[[nodiscard]] Result<Json> wholeConversation(const Json& body, const KeptResponses* kept, std::size_t& before);

}  // namespace minerva::serve
