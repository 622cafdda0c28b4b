// The messages of one conversation as a tree, and the path through it that is shown. A value; not synchronized.
//
// Ids increase over time. From each node the path follows the child that was shown last, or else the newest.
#pragma once

#include "app/chat/chat_types.h"

#include <QHash>

#include <vector>

namespace minerva::app {

class ConversationTree {
 public:
  ConversationTree() = default;
  // messages may be in any order. A message whose parent is missing becomes a root, so that no message of a damaged file
  // is lost.
  ConversationTree(std::vector<Message> messages, qint64 activeLeaf);

  void add(const Message& message);  // and makes it the active leaf
  [[nodiscard]] Message* find(qint64 id);
  [[nodiscard]] const Message* find(qint64 id) const;
  [[nodiscard]] std::vector<Message> all() const;               // sorted by id
  [[nodiscard]] std::vector<qint64> path() const;               // root to leaf
  [[nodiscard]] std::vector<qint64> pathTo(qint64 id) const;    // root to id
  [[nodiscard]] std::vector<qint64> siblings(qint64 id) const;  // including itself, oldest first
  void activate(qint64 id);                                     // makes the path go through id
  void activateUpTo(qint64 id);                                 // makes the path end at id (0: empty path)
  [[nodiscard]] qint64 leaf() const;                            // 0: the path is empty

 private:
  QHash<qint64, Message> m_messages;
  QHash<qint64, std::vector<qint64>> m_children;  // by parent (0: roots), oldest first
  QHash<qint64, qint64> m_chosen;                 // by parent: child shown last; 0: the path ends here
};

}  // namespace minerva::app
