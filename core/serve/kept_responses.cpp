#include "core/serve/kept_responses.h"

#include "core/serve/fields.h"
#include "core/serve/refusal.h"

#include <algorithm>
#include <iterator>

namespace minerva::serve {
namespace {

constexpr std::size_t mostKept = 64;

std::string idOf(const Json& item) {
  const Json* id = item.is_object() ? present(item, "id") : nullptr;
  return id != nullptr && id->is_string() ? id->get<std::string>() : std::string();
}

bool isReference(const Json& item) {
  const Json* type = item.is_object() ? present(item, "type") : nullptr;
  return type != nullptr && *type == "item_reference";
}

// Nobody else may refer to them, since ids cannot be guessed.
Result<void> resolveReferences(Json& items, std::size_t before, const KeptResponses* kept) {
  std::set<std::string> ids;
  for (const Json& item : items)
    if (isReference(item)) ids.insert(idOf(item));
  if (ids.empty()) return {};
  const std::map<std::string, Json> found = kept != nullptr ? kept->items(std::move(ids)) : std::map<std::string, Json>();
  for (std::size_t i = before; i < items.size(); ++i) {
    if (!isReference(items[i])) continue;
    const auto item = found.find(idOf(items[i]));
    if (item == found.end())
      return notServed("input[" + std::to_string(i - before) + "].type",
                       "the item itself, or one of a response that this server still keeps", "item_reference");
    items[i] = item->second;
  }
  return {};
}

}  // namespace

void KeptResponses::keep(const std::string& id, const Json& conversation) {
  std::string text = written(conversation);
  if (text.size() > m_mostBytes) return;
  const std::scoped_lock lock(m_mutex);
  m_bytes += text.size();
  m_kept.push_front({id, std::move(text)});
  while (m_bytes > m_mostBytes || m_kept.size() > mostKept) {
    m_bytes -= m_kept.back().text.size();
    m_kept.pop_back();
  }
}

std::optional<Json> KeptResponses::conversation(const std::string& id) const {
  const std::scoped_lock lock(m_mutex);
  const auto found = std::ranges::find(m_kept, id, &Kept::id);
  return found == m_kept.end() ? std::nullopt : std::optional(Json::parse(found->text));
}

// Mostly all are of the latest one. A text is only read if it has such an id.
std::map<std::string, Json> KeptResponses::items(std::set<std::string> ids) const {
  std::map<std::string, Json> found;
  const std::scoped_lock lock(m_mutex);
  for (const Kept& kept : m_kept) {
    const auto isIn = [&](const std::string& id) { return kept.text.find("\"id\":" + written(Json(id))) != std::string::npos; };
    if (std::ranges::none_of(ids, isIn)) continue;
    for (Json& item : Json::parse(kept.text))
      if (ids.erase(idOf(item)) > 0) found.emplace(idOf(item), std::move(item));
  }
  return found;
}

Result<Json> wholeConversation(const Json& body, const KeptResponses* kept, std::size_t& before) {
  const Json* input = present(body, "input");
  if (input == nullptr || (!input->is_string() && !input->is_array()) || (input->is_array() && input->empty()))
    return wrongField("input", "text or an array of items, not empty", input == nullptr ? "none" : input->type_name());
  MINERVA_ASSIGN(const auto previous, stringField(body, previousField));
  Json items = Json::array();
  if (previous && !previous->empty()) {
    std::optional<Json> conversation = kept != nullptr ? kept->conversation(*previous) : std::nullopt;
    if (!conversation) {
      return fail({.kind = ErrorKind::notFound,
                   .what = "This server does not keep the previous response, or not any more",
                   .where = previousField,
                   .actual = previous->substr(0, 60),
                   .hint = "Send the whole conversation as input"});
    }
    items = std::move(*conversation);
  }
  before = items.size();
  if (input->is_string()) items.push_back({{"type", "message"}, {"role", "user"}, {"content", *input}});
  else
    for (const Json& item : *input) items.push_back(item);
  MINERVA_TRY(resolveReferences(items, before, kept));
  return items;
}

}  // namespace minerva::serve
