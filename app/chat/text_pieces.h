// A paragraph that grows at its end, as pieces laid out one by one: what stands is neither laid out nor painted again.
//
// Give it the whole rich text (`html`, as markdown.h makes it) again and again while `growing`. The view shows one text a row,
// one below the other; when the last row has grown by some lines, it says with settle() where its last line begins, and the
// lines before become a row of their own. When the text stops growing, or changes before its last row, or after join(),
// there is one row with all of it. The pieces are put into the views' documents from here, and the place where the text goes
// on is read from what was laid out: both without shaping text once more, several times a second. GUI thread only.
#pragma once

#include <QAbstractListModel>
#include <QColor>
#include <QQuickTextDocument>
#include <QRectF>
#include <QStringList>
#include <qqmlregistration.h>

namespace minerva::app {

class TextPieces : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QString html READ html WRITE setHtml NOTIFY changed)
  // Rich text around every row's, where it is shown.
  Q_PROPERTY(QString before MEMBER m_before NOTIFY framed)
  Q_PROPERTY(QString after MEMBER m_after NOTIFY framed)
  // How formulas are drawn; while the text grows, and where they cannot be drawn, their source stands there.
  Q_PROPERTY(QColor mathColor MEMBER m_mathColor NOTIFY framed)
  Q_PROPERTY(double mathRatio MEMBER m_mathRatio NOTIFY framed)  // device pixels a pixel
  Q_PROPERTY(bool growing READ isGrowing WRITE setGrowing NOTIFY changed)
 public:
  enum Role {
    HtmlRole = Qt::UserRole + 1,  // html: rich text, complete in itself
    OpenRole,                     // open: the last row: what comes is added here
  };
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  [[nodiscard]] QString html() const { return m_html; }
  void setHtml(const QString& html);
  [[nodiscard]] bool isGrowing() const { return m_growing; }
  void setGrowing(bool growing);

  // What the last row has before `character` (of its text as shown; the first of a line) gets a row of its own. False: there
  // is nothing before it.
  Q_INVOKABLE bool settle(int character);
  Q_INVOKABLE void show(int row, QQuickTextDocument* document) const;
  // To be called when the document's width has changed: formulas wider than it are made smaller.
  Q_INVOKABLE void fit(int row, QQuickTextDocument* document) const;
  // What is selected, as text: formulas as their source.
  Q_INVOKABLE static QString selected(QQuickTextDocument* document, int from, int to);
  // Where the document's text ends, in its coordinates: no width, the height of its last line.
  Q_INVOKABLE static QRectF endOf(QQuickTextDocument* document);

  // After the width has changed: lines end elsewhere.
  Q_INVOKABLE void join();

 Q_SIGNALS:
  void changed();
  void framed();

 private:
  void watchFormulas();
  QString m_before, m_after;
  QColor m_mathColor = Qt::black;
  double m_mathRatio = 1;
  bool m_watching = false;
  mutable bool m_formulasMissing = false;  // some are still being drawn
  QString m_html;
  QStringList m_rows;       // the last is open; empty only before the first setHtml()
  qsizetype m_settled = 0;  // so much of m_html stands in the rows before the last
  QStringList m_openTags;   // at that place, outermost first
  bool m_growing = false;
};

}  // namespace minerva::app
