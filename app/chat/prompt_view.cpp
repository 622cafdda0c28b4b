#include "app/chat/prompt_view.h"

#include "app/chat/chat_controller.h"

#include <QStringDecoder>

#include <utility>

namespace minerva::app {
namespace {

constexpr qsizetype leastOfRow = 4000, mostOfRow = 16000;  // characters: a row is laid out at once, on the GUI thread

}  // namespace

PromptView::PromptView(ChatController* chat, ReplySource* source, QObject* parent)
    : QAbstractListModel(parent), m_chat(chat), m_source(source) {
  connect(source, &ReplySource::examined, this, [this](quint64 number, const PromptAnswer& answer) {
    if (number == 0 || number != m_number) return;
    m_number = 0;
    take(answer);
  });
  connect(this, &PromptView::coloursChanged, this, [this] {
    if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), {HtmlRole});
  });
}

int PromptView::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : count(); }

QVariant PromptView::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = m_rows[static_cast<std::size_t>(index.row())];
  switch (role) {
    case AuthorRole: return row.author;
    case TokensRole: return row.tokens;
    case CachedRole: return row.cached;
    case GoesOnRole: return row.goesOn;
    case HtmlRole: {
      const auto next = static_cast<std::size_t>(index.row()) + 1;
      return htmlOf(row, next < m_rows.size() && m_rows[next].goesOn);
    }
    case Qt::DisplayRole:
    case PlainRole: return plainOf(row);
    default: return {};
  }
}

QHash<int, QByteArray> PromptView::roleNames() const {
  return {{AuthorRole, "author"}, {TokensRole, "tokens"}, {CachedRole, "cached"},
          {HtmlRole, "html"},     {PlainRole, "plain"},   {GoesOnRole, "goesOn"}};
}

void PromptView::showNext() {
  const ConversationTree* tree = m_chat->shownTree();
  if (tree == nullptr) return;
  m_ofReply = false;
  noteLast(tree->leaf());
  ask(m_chat->promptAfter(tree->leaf(), m_chat->draft(), m_chat->attachments()->files()));
}

void PromptView::showOfReply(int row) {
  if (row < 0 || row >= m_chat->messages()->count()) return;
  const Message& message = m_chat->messages()->at(row).message;
  const bool reply = message.author == minerva::app::Author::assistant;
  m_ofReply = reply;
  noteLast(message.id);
  const bool went = message.given > 0 && message.figures.promptTokens > 0;  // the model continued a given text
  ask(reply ? m_chat->promptFrom(message.parent, went ? message.text.left(message.given) : QString()) : m_chat->promptAfter(message.id));
}

// Uses the newest reply up to this message that has figures.
void PromptView::noteLast(qint64 replyId) {
  m_lastTotal = m_lastReused = -1;
  const ConversationTree* tree = m_chat->shownTree();
  const Message* message = tree->find(replyId);
  while (message != nullptr && message->figures.promptTokens <= 0) message = tree->find(message->parent);
  if (message == nullptr) return;
  m_lastTotal = message->figures.promptTokens;
  m_lastReused = message->figures.reusedTokens;
}

void PromptView::ask(const ChatPrompt& prompt) {
  m_authors.clear();
  for (const auto& message : prompt.request.chat.messages) {
    const std::string role = message["role"].get<std::string>();
    m_authors.push_back(role == "system" ? System : role == "assistant" ? Assistant : User);
  }
  beginResetModel();
  m_rows.clear();
  endResetModel();
  m_total = m_reusable = 0;
  m_error = {};
  m_number = 0;
  if (!prompt.request.chat.messages.empty()) {
    PromptQuestion question;
    question.request = prompt.request;
    question.wantsParts = true;
    m_number = m_source->examine(std::move(question));
  }
  if (const QString server = m_source->serverName(); m_number == 0 && !server.isEmpty()) {
    m_error.headline = tr("%1 puts the prompt together").arg(server);
    m_error.detail = tr("A server is sent the messages only. Its template and its tokens are not known here.");
  }
  Q_EMIT changed();
}

bool PromptView::endsLine(const Row& row) { return !row.pieces.empty() && row.pieces.back().text.endsWith(u'\n'); }

void PromptView::take(const PromptAnswer& answer) {
  if (answer.error) {
    m_error = ErrorInfo::from(*answer.error, tr("The prompt could not be built"));
    Q_EMIT changed();
    return;
  }
  m_total = answer.tokens;
  m_reusable = answer.reusable;
  m_contextLength = answer.contextLength;
  beginResetModel();
  QStringDecoder decoder(QStringDecoder::Utf8);  // a character may be split across tokens
  int token = 0;
  for (const engine::PromptPart& part : answer.parts) {
    if (part.tokens == 0) continue;
    const std::size_t first = m_rows.size();
    const Author author = part.message < 0 ? Template : m_authors[static_cast<std::size_t>(part.message)];
    m_rows.push_back({author, part.tokens, 0});
    qsizetype length = 0;  // of the last row
    for (const int end = token + part.tokens; token < end; ++token) {
      const PromptPiece& piece = answer.pieces[static_cast<std::size_t>(token)];
      if (length >= mostOfRow || (length >= leastOfRow && endsLine(m_rows.back()))) {
        m_rows.push_back({.author = author, .tokens = 0, .cached = 0, .goesOn = true});
        length = 0;
      }
      const bool cached = token < answer.reusable;
      m_rows[first].cached += cached ? 1 : 0;
      const QString text = decoder(QByteArrayView(piece.text.data(), static_cast<qsizetype>(piece.text.size())));
      length += text.size();
      std::vector<Piece>& pieces = m_rows.back().pieces;
      if (pieces.empty() || pieces.back().control != piece.control || pieces.back().cached != cached || piece.control)
        pieces.push_back({text, piece.control, cached});
      else pieces.back().text += text;
    }
  }
  endResetModel();
  Q_EMIT changed();
}

QString PromptView::htmlOf(const Row& row, bool followed) const {
  QString html = QStringLiteral("<p style=\"margin:0; white-space:pre-wrap\">");
  for (const Piece& piece : row.pieces) {
    QStringView shown = piece.text;
    if (followed && &piece == &row.pieces.back() && shown.endsWith(u'\n')) shown.chop(1);  // the next row is a line of its own
    const QString text = shown.toString().toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>"));
    if (piece.control)
      html += QStringLiteral("<span style=\"color:%1; background-color:%2\">%3</span>")
                  .arg(m_specialColor.name(), m_specialGround.name(), text);
    else if (piece.cached) html += QStringLiteral("<span style=\"color:%1\">%2</span>").arg(m_cachedColor.name(), text);
    else html += text;
  }
  return html + QStringLiteral("</p>");
}

QString PromptView::plainOf(const Row& row) const {
  QString text;
  for (const Piece& piece : row.pieces) text += piece.text;
  return text;
}

void PromptView::copy() const {
  QString all;
  for (const Row& row : m_rows) all += plainOf(row);
  m_chat->copyText(all);
}

}  // namespace minerva::app
