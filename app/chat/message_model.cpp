#include "app/chat/message_model.h"

#include "app/metrics/figures.h"

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

MessageModel::Author authorOf(Author author) {
  switch (author) {
    case Author::user: return MessageModel::User;
    case Author::assistant: return MessageModel::Assistant;
    case Author::system: return MessageModel::System;
  }
  return MessageModel::User;
}

MessageModel::Status statusOf(Status status) {
  switch (status) {
    case Status::complete: return MessageModel::Complete;
    case Status::waiting: return MessageModel::Waiting;
    case Status::streaming: return MessageModel::Streaming;
    case Status::stopped: return MessageModel::Stopped;
    case Status::interrupted: return MessageModel::Interrupted;
    case Status::lengthLimit: return MessageModel::LengthLimit;
    case Status::contextFull: return MessageModel::ContextFull;
    case Status::failed: return MessageModel::Failed;
  }
  return MessageModel::Complete;
}

QString contextFullText(const ReplyFigures& figures) {
  if (figures.promptTokens < 0) return MessageModel::tr("Ended because the context is full");
  return MessageModel::tr("Ended because the context is full: a prompt of %1 tokens, a reply of %2")
      .arg(Figures::integer(figures.promptTokens), Figures::integer(figures.generatedTokens));
}

QString statusText(const Message& message) {
  if (message.author == Author::system) return MessageModel::tr("System prompt");
  switch (message.status) {
    case Status::waiting: return MessageModel::tr("Reading the prompt");
    case Status::stopped: return MessageModel::tr("Stopped");
    case Status::interrupted: return MessageModel::tr("Cut off when Minerva closed");
    case Status::lengthLimit: return MessageModel::tr("Ended at the longest reply allowed in the settings");
    case Status::contextFull: return contextFullText(message.figures);
    case Status::failed: return message.text.size() > message.given ? MessageModel::tr("Broke off") : MessageModel::tr("No reply");
    default: break;
  }
  if (message.given == 0 || message.given != message.text.size()) return {};
  return message.figures.promptTokens < 0 ? MessageModel::tr("Edited") : MessageModel::tr("Nothing was added");
}

QString timings(const Message& message) {
  const ReplyFigures& figures = message.figures;
  QStringList parts;
  if (figures.ttftMs >= 0) parts << MessageModel::tr("TTFT %1").arg(Figures::duration(figures.ttftMs));
  if (figures.decodeTokensPerSecond > 0) parts << MessageModel::tr("%1 tok/s").arg(Figures::speed(figures.decodeTokensPerSecond));
  if (!parts.isEmpty() && message.given > 0) parts.prepend(MessageModel::tr("Continued"));
  return parts.join(QStringLiteral(" · "));
}

QVariantList attachmentsOf(const Message& message) {
  QVariantList all;
  for (const Attachment& file : message.attachments)
    all << QVariantMap{{QStringLiteral("name"), file.name}, {QStringLiteral("bytes"), file.bytes}};
  return all;
}

bool isOpen(Status status) { return status == Status::waiting || status == Status::streaming; }

}  // namespace

MessageModel::MessageModel(QObject* parent) : QAbstractListModel(parent) {}
MessageModel::~MessageModel() = default;

int MessageModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : count(); }

QVariant MessageModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = at(index.row());
  switch (role) {
    case MessageIdRole: return row.message.id;
    case AuthorRole: return authorOf(row.message.author);
    case StatusRole: return statusOf(row.message.status);
    case StatusTextRole: return statusText(row.message);
    case BlocksRole: return QVariant::fromValue(row.blocks.get());
    case Qt::DisplayRole:
    case TextRole: return row.message.text;
    case VersionIndexRole: return row.versionIndex;
    case VersionCountRole: return row.versionCount;
    case TimingsRole: return timings(row.message);
    case ModelNameRole: return row.message.modelName;
    case TimeRole: return row.message.created;
    case ErrorRole: return QVariant::fromValue(row.error);
    case PrefillDoneRole: return row.prefillDone;
    case PrefillTotalRole: return row.prefillTotal;
    case LeftOutAboveRole: return row.message.leftOutAbove;
    case AttachmentsRole: return attachmentsOf(row.message);
    case EditingRole: return row.edit.has_value();
    case EditTextRole: return row.edit ? *row.edit : plainText(row.message);
    case TokensTakenRole: return std::max(0, row.message.figures.promptTokens) + std::max(0, row.message.figures.generatedTokens);
    case LastRole: return index.row() + 1 == count();
    case ReplaceableRole: return row.message.author == minerva::app::Author::assistant && row.message.parent != 0;
    default: return {};
  }
}

QHash<int, QByteArray> MessageModel::roleNames() const {
  return {{MessageIdRole, "messageId"},
          {AuthorRole, "author"},
          {StatusRole, "status"},
          {StatusTextRole, "statusText"},
          {BlocksRole, "blocks"},
          {TextRole, "text"},
          {VersionIndexRole, "versionIndex"},
          {VersionCountRole, "versionCount"},
          {TimingsRole, "timings"},
          {ModelNameRole, "modelName"},
          {TimeRole, "time"},
          {ErrorRole, "error"},
          {PrefillDoneRole, "prefillDone"},
          {PrefillTotalRole, "prefillTotal"},
          {LeftOutAboveRole, "leftOutAbove"},
          {LastRole, "last"},
          {ReplaceableRole, "replaceable"},
          {EditingRole, "editing"},
          {EditTextRole, "editText"},
          {TokensTakenRole, "tokensTaken"},
          {AttachmentsRole, "attachments"}};
}

MessageModel::Row MessageModel::rowFor(const Message& message, int versionIndex, int versionCount) {
  Row row;
  row.message = message;
  row.versionIndex = versionIndex;
  row.versionCount = versionCount;
  row.blocks = std::make_unique<BlockModel>();
  if (message.author == minerva::app::Author::assistant) row.blocks->setText(message.text, !isOpen(message.status));
  else row.blocks->setPlain(message.text);
  if (message.status == minerva::app::Status::failed) {
    row.error.headline = tr("The reply failed");
    row.error.detail = row.error.details = message.errorText;
  }
  return row;
}

void MessageModel::reset(std::vector<Row> rows) {
  beginResetModel();
  m_rows = std::move(rows);
  endResetModel();
  Q_EMIT countChanged();
}

void MessageModel::push(Row row) {
  beginInsertRows({}, count(), count());
  m_rows.push_back(std::move(row));
  endInsertRows();
  if (count() > 1) Q_EMIT dataChanged(index(count() - 2), index(count() - 2), {LastRole});
  Q_EMIT countChanged();
}

void MessageModel::truncate(int newCount) {
  if (newCount >= count()) return;
  beginRemoveRows({}, newCount, count() - 1);
  m_rows.resize(static_cast<std::size_t>(newCount));
  endRemoveRows();
  if (newCount > 0) Q_EMIT dataChanged(index(newCount - 1), index(newCount - 1), {LastRole});
  Q_EMIT countChanged();
}

void MessageModel::appendText(int row, const QString& more) {
  Row& target = m_rows[static_cast<std::size_t>(row)];
  target.message.text += more;
  target.blocks->append(more);
}

void MessageModel::update(int row, const std::function<void(Row&)>& change, const QList<int>& roles) {
  Row& target = m_rows[static_cast<std::size_t>(row)];
  change(target);
  if (!isOpen(target.message.status)) target.blocks->finish();
  Q_EMIT dataChanged(index(row), index(row), roles);
}

void MessageModel::setEdit(int row, const std::optional<QString>& text) {
  std::optional<QString>& edit = m_rows[static_cast<std::size_t>(row)].edit;
  const bool was = edit.has_value();
  edit = text;
  // The text first, because an editor is made when it is told of the other.
  if (was != edit.has_value()) Q_EMIT dataChanged(index(row), index(row), {EditTextRole, EditingRole});
}

int MessageModel::rowOf(qint64 messageId) const {
  for (int row = count() - 1; row >= 0; --row)
    if (at(row).message.id == messageId) return row;
  return -1;
}

}  // namespace minerva::app
