#include "app/chat/chat_types.h"

#include "app/text/reply_text.h"

#include <array>
#include <utility>

namespace minerva::app {
namespace {

constexpr std::array<std::pair<Author, const char*>, 3> authors{
    {{Author::user, "user"}, {Author::assistant, "assistant"}, {Author::system, "system"}}};
constexpr std::array<std::pair<Status, const char*>, 8> statuses{{{Status::complete, "complete"},
                                                                  {Status::waiting, "waiting"},
                                                                  {Status::streaming, "streaming"},
                                                                  {Status::stopped, "stopped"},
                                                                  {Status::interrupted, "interrupted"},
                                                                  {Status::lengthLimit, "length limit"},
                                                                  {Status::contextFull, "context full"},
                                                                  {Status::failed, "failed"}}};

template <class Table, class Value>
QString nameIn(const Table& table, Value value) {
  for (const auto& [entry, name] : table)
    if (entry == value) return QString::fromLatin1(name);
  return {};
}

template <class Table>
auto valueIn(const Table& table, const QString& name) {
  for (const auto& [entry, text] : table)
    if (name == QLatin1String(text)) return entry;
  return table.front().first;  // unknown value, from a newer version: use the default
}

}  // namespace

QString toText(Author author) { return nameIn(authors, author); }
QString toText(Status status) { return nameIn(statuses, status); }
Author authorFrom(const QString& text) { return valueIn(authors, text); }
Status statusFrom(const QString& text) { return valueIn(statuses, text); }

QString plainText(const Message& message) { return message.author == Author::assistant ? plainReply(message.text) : message.text; }

}  // namespace minerva::app
