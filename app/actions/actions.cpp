#include "app/actions/actions.h"

#include "app/actions/page_table.h"

#include <QCoreApplication>
#include <QKeySequence>

#include <spdlog/spdlog.h>

namespace minerva::app {
namespace {

const ActionRow* actionRow(const QString& name) {
  const ActionRow* row = findAction(name.toStdString());
  if (row == nullptr) spdlog::error("there is no action named '{}': expected a name from action_table.cpp", name.toStdString());
  return row;
}

QString titleOf(const ActionRow& row) { return QCoreApplication::translate("Actions", row.title); }

QStringList sequencesOf(const ActionRow& row) { return QString::fromLatin1(row.keys).split(u' ', Qt::SkipEmptyParts); }

QString keysOf(const ActionRow& row) { return Actions::nativeKeys(sequencesOf(row).value(0)); }

bool isEnabled(const QObject* handler) { return handler != nullptr && handler->property("possible").toBool(); }

}  // namespace

QVariantList Actions::pages() {
  QVariantList pages;
  for (const PageRow& row : pageTable())
    pages << QVariantMap{{QStringLiteral("key"), QString::fromLatin1(row.key)},
                         {QStringLiteral("icon"), QString::fromLatin1(row.icon)},
                         {QStringLiteral("bottom"), row.bottom}};
  return pages;
}

void Actions::setPage(const QString& page) {
  if (page == m_page) return;
  m_page = page;
  Q_EMIT pageChanged();
}

QString Actions::title(const QString& name) {
  const ActionRow* row = actionRow(name);
  return row == nullptr ? QString() : titleOf(*row);
}

QString Actions::keys(const QString& name) {
  const ActionRow* row = actionRow(name);
  return row == nullptr ? QString() : keysOf(*row);
}

QString Actions::nativeKeys(const QString& keys) {
  return QKeySequence(keys, QKeySequence::PortableText).toString(QKeySequence::NativeText);
}

QString Actions::tip(const QString& name) {
  const ActionRow* row = actionRow(name);
  return row == nullptr ? QString() : titleOf(*row) + QStringLiteral("  ") + keysOf(*row);
}

QStringList Actions::sequences(const QString& name) {
  const ActionRow* row = actionRow(name);
  return row == nullptr ? QStringList() : sequencesOf(*row);
}

QString Actions::pageOf(const QString& name) {
  const ActionRow* row = actionRow(name);
  return row == nullptr ? QString() : QString::fromLatin1(row->page);
}

QVariantList Actions::sheet() {
  QVariantList rows;
  for (const ActionRow& row : actionTable())
    rows << QVariantMap{{QStringLiteral("page"), QString::fromLatin1(row.page)},
                        {QStringLiteral("title"), titleOf(row)},
                        {QStringLiteral("keys"), keysOf(row)}};
  return rows;
}

void Actions::attach(const QString& name, QObject* shortcut) {
  if (actionRow(name) != nullptr) m_handlers[name] = shortcut;
}

bool Actions::isPossible(const QString& name) const {
  const ActionRow* row = actionRow(name);
  if (row == nullptr || row->byControl) return false;
  const QString page = QString::fromLatin1(row->page);
  return isEnabled(m_handlers.value(name)) || (!page.isEmpty() && page != m_page);
}

bool Actions::trigger(const QString& name) {
  if (!isPossible(name)) return false;
  const QString page = pageOf(name);
  if (!page.isEmpty() && page != m_page) Q_EMIT pageRequested(page);
  QObject* handler = m_handlers.value(name);
  return isEnabled(handler) && QMetaObject::invokeMethod(handler, "activated", Qt::DirectConnection);
}

}  // namespace minerva::app
