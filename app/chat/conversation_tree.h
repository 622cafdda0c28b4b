// The messages of one conversation as a tree, and the path through it that is shown. A value; thread-compatible.
//
// Ids grow with time. From each node the path follows the child that was shown last, else the newest.
#pragma once

#include "app/chat/chat_types.h"

#include <QHash>

#include <vector>

namespace minerva::app {

class ConversationTree {
 public:
  ConversationTree() = default;
  // messages: any order. A message whose parent is missing becomes a root, so that damage loses nothing.
  ConversationTree(std::vector<Message> messages, qint64 activeLeaf);

  void add(const Message& message);  // and makes it the active leaf
  [[nodiscard]] Message* find(qint64 id);
  [[nodiscard]] const Message* find(qint64 id) const;
  [[nodiscard]] std::vector<qint64> path() const;               // root to leaf
  [[nodiscard]] std::vector<qint64> pathTo(qint64 id) const;    // root to id
  [[nodiscard]] std::vector<qint64> siblings(qint64 id) const;  // with itself, oldest first
  void activate(qint64 id);                                     // the path goes through id from now on
  void activateUpTo(qint64 id);                                 // the path ends at id (0: before the first message)
  [[nodiscard]] qint64 leaf() const;                            // 0: empty path

 private:
  QHash<qint64, Message> m_messages;
  QHash<qint64, std::vector<qint64>> m_children;  // of parent (0: roots), oldest first
  QHash<qint64, qint64> m_chosen;                 // child shown last; 0: the path ends here
};

}  // namespace minerva::app
