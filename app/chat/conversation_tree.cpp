#include "app/chat/conversation_tree.h"

#include <algorithm>

namespace minerva::app {

ConversationTree::ConversationTree(std::vector<Message> messages, qint64 activeLeaf) {
  std::sort(messages.begin(), messages.end(), [](const Message& a, const Message& b) { return a.id < b.id; });
  for (Message& message : messages) {
    // Parents are older than their children; checking that also excludes cycles.
    if (message.parent >= message.id || !m_messages.contains(message.parent)) message.parent = 0;
    m_children[message.parent].push_back(message.id);
    m_messages.insert(message.id, message);
  }
  if (m_messages.contains(activeLeaf)) activate(activeLeaf);
}

void ConversationTree::add(const Message& message) {
  m_children[message.parent].push_back(message.id);
  m_messages.insert(message.id, message);
  activate(message.id);
}

std::vector<Message> ConversationTree::all() const {
  std::vector<Message> messages(m_messages.cbegin(), m_messages.cend());
  std::sort(messages.begin(), messages.end(), [](const Message& a, const Message& b) { return a.id < b.id; });
  return messages;
}

Message* ConversationTree::find(qint64 id) {
  const auto found = m_messages.find(id);
  return found == m_messages.end() ? nullptr : &*found;
}

const Message* ConversationTree::find(qint64 id) const {
  const auto found = m_messages.constFind(id);
  return found == m_messages.constEnd() ? nullptr : &*found;
}

std::vector<qint64> ConversationTree::path() const {
  std::vector<qint64> result;
  for (qint64 node = 0;;) {
    const auto children = m_children.constFind(node);
    if (children == m_children.constEnd() || children->empty()) return result;
    const auto chosen = m_chosen.constFind(node);
    if (chosen != m_chosen.constEnd() && *chosen == 0) return result;
    node = chosen != m_chosen.constEnd() ? *chosen : children->back();
    result.push_back(node);
  }
}

std::vector<qint64> ConversationTree::pathTo(qint64 id) const {
  std::vector<qint64> result;
  for (const Message* node = find(id); node != nullptr; node = find(node->parent)) result.push_back(node->id);
  std::reverse(result.begin(), result.end());
  return result;
}

std::vector<qint64> ConversationTree::siblings(qint64 id) const {
  const Message* message = find(id);
  return message ? m_children.value(message->parent) : std::vector<qint64>{};
}

void ConversationTree::activate(qint64 id) {
  for (const Message* node = find(id); node != nullptr; node = find(node->parent)) m_chosen[node->parent] = node->id;
}

void ConversationTree::activateUpTo(qint64 id) {
  activate(id);
  m_chosen[id] = 0;
}

qint64 ConversationTree::leaf() const {
  const std::vector<qint64> shown = path();
  return shown.empty() ? 0 : shown.back();
}

}  // namespace minerva::app
