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
  // Waiting: sent, no token yet (queued or prefill). Interrupted: the process ended during the reply. LengthLimit:
  // maxTokens reached. ContextFull: no room left in the context.
  enum Status { Complete, Waiting, Streaming, Stopped, Interrupted, LengthLimit, ContextFull, Failed };
  Q_ENUM(Status)
  enum Role {
    MessageIdRole = Qt::UserRole + 1,  // messageId
    AuthorRole,                        // author: Author
    StatusRole,                        // status: Status
    StatusTextRole,                    // statusText: short: "Stopped", "Cut off when Minerva closed", "Edited", "System prompt"; else ""
    BlocksRole,                        // blocks: BlockModel*
    TextRole,                          // text: the Markdown source, as it is stored
    VersionIndexRole,                  // versionIndex: 1-based position among its siblings
    VersionCountRole,                  // versionCount: number of siblings, including itself
    TimingsRole,       // timings: "TTFT 198 ms · 39.1 tok/s"; "Continued · ..." if only for the continuation; empty if unknown
    ModelNameRole,     // modelName: the model that wrote it; empty for the user's
    TimeRole,          // time: when it was created (QDateTime)
    ErrorRole,         // error: errorInfo, set when status is Failed
    PrefillDoneRole,   // prefillDone: prompt tokens read so far, while Waiting
    PrefillTotalRole,  // prefillTotal: 0: it has not begun
    LeftOutAboveRole,  // leftOutAbove: if not 0, messages above it are omitted from prompts; their number of tokens
    AttachmentsRole,   // attachments: [{name, bytes}]
    LastRole,          // last: it is the newest message of the path
    ReplaceableRole,   // replaceable: a reply to a message, so it can be edited, continued and written again
    EditingRole,       // editing: whether it is being edited
    EditTextRole,      // editText: the edit's current text, or the message's plain text; changes are told only with EditingRole's
    TokensTakenRole,   // tokensTaken: prompt and reply in the context; 0: unknown
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
  void truncate(int count);  // removes all rows from `count` on
  // Emits no change of the text role, which is only read on demand (copying); `blocks` signals the change.
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
