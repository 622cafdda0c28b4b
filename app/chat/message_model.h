// The messages on the active path of a conversation, oldest first. GUI thread only; filled by ChatController.
#pragma once

#include "app/chat/block_model.h"
#include "app/chat/chat_types.h"
#include "app/inference/error_info.h"

#include <QAbstractListModel>
#include <qqmlregistration.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace minerva::app {

class MessageModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with ChatController")
  Q_PROPERTY(int count READ count NOTIFY countChanged)
 public:
  enum Author { User, Assistant, System };
  Q_ENUM(Author)
  // Waiting: sent, no token yet (queued or prefill). Interrupted: the process ended in mid-reply.
  // LengthLimit: maxTokens reached. ContextFull: no room left in the context.
  enum Status { Complete, Waiting, Streaming, Stopped, Interrupted, LengthLimit, ContextFull, Failed };
  Q_ENUM(Status)
  enum Role {
    MessageIdRole = Qt::UserRole + 1,  // messageId
    AuthorRole,                        // author: Author
    StatusRole,                        // status: Status
    StatusTextRole,                    // statusText: "" for Complete, else a short sentence: "Stopped", "Cut off when Minerva closed", ...
    BlocksRole,                        // blocks: BlockModel*
    TextRole,                          // text: the Markdown source
    VersionIndexRole,                  // versionIndex: 1-based place among its siblings
    VersionCountRole,                  // versionCount: 1: no arrows
    TimingsRole,       // timings: "TTFT 198 ms · 39.1 tok/s"; "Continued · ..." when they are of the rest; empty if not known
    ModelNameRole,     // modelName: which model wrote it; empty for the user's
    TimeRole,          // time: when it was begun (QDateTime)
    ErrorRole,         // error: errorInfo, set when status is Failed
    PrefillDoneRole,   // prefillDone: prompt tokens read so far, while Waiting
    PrefillTotalRole,  // prefillTotal: 0: not known yet
    LeftOutAboveRole,  // leftOutAbove: not 0: what is above it is left out of prompts, so many tokens
    AttachmentsRole,   // attachments: [{name, bytes}]
    LastRole,          // last: the newest message of the path
    EditingRole,       // editing: it is being edited ...
    EditTextRole,      // editText: ... and that is the text so far; read when an editor opens, not told as it is typed
    TokensTakenRole,   // tokensTaken: prompt and reply in the context; 0: not known
  };
  explicit MessageModel(QObject* parent = nullptr);
  ~MessageModel() override;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return static_cast<int>(m_rows.size()); }

  // For ChatController.
  struct Row {
    Message message;
    int versionIndex = 1, versionCount = 1;
    int prefillDone = 0, prefillTotal = 0;
    ErrorInfo error;
    std::unique_ptr<BlockModel> blocks;
    std::optional<QString> edit;
  };
  [[nodiscard]] static Row rowFor(const Message& message, int versionIndex, int versionCount);
  void reset(std::vector<Row> rows);
  void push(Row row);
  void truncate(int count);  // removes rows from `count` on
  // The text role is read when asked for (copying); only `blocks` tells of its growth.
  void appendText(int row, const QString& more);
  void update(int row, const std::function<void(Row&)>& change, const QList<int>& roles);
  void setEdit(int row, const std::optional<QString>& text);
  [[nodiscard]] const Row& at(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
  [[nodiscard]] int rowOf(qint64 messageId) const;  // -1: not on the path

 Q_SIGNALS:
  void countChanged();

 private:
  std::vector<Row> m_rows;
};

}  // namespace minerva::app
