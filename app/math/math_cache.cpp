#include "app/math/math_cache.h"

#include "app/math/katex.h"
#include "app/math/math_markup.h"
#include "app/math/math_spans.h"
#include "app/text/error_words.h"
#include "app/text/text.h"

#include <QCoreApplication>
#include <QPainter>

#include <cmath>
#include <utility>

namespace minerva::app {
namespace {

constexpr int roomKiB = 32 << 10;
constexpr int tellAfterMs = 30;          // batches formulas that become ready together
constexpr double largest = 6000;         // device pixels per side
constexpr double mostKiB = roomKiB / 4;  // larger pictures would be evicted at once and requested again

Result<MathShape> shapeOf(const MathRequest& request, MathPress& press) {
  if (request.tex.size() > longestFormula)
    return fail({.kind = ErrorKind::limit,
                 .what = "this formula is too long to draw",
                 .expected = std::to_string(longestFormula) + " characters at most",
                 .actual = std::to_string(request.tex.size())});
  MINERVA_ASSIGN(const QString markup, press.katex.markup(request.tex, request.display));
  return layOut(markup, request.pixels * request.ratio, press.fonts);
}

}  // namespace

QString MathRequest::key() const {
  return QStringLiteral("%1|%2|%3|%4|%5").arg(display).arg(pixels).arg(ratio).arg(color.name(QColor::HexArgb), tex);
}

MathPicture MathPress::draw(const MathRequest& request) {
  MathPicture picture;
  const auto shape = shapeOf(request, *this);
  if (!shape) {
    picture.problem = shownMessage(shape.error());
    return picture;
  }
  double left = 0, right = shape->width;  // some letters lean out of their box
  for (const MathStroke& stroke : shape->strokes) {
    left = std::min(left, stroke.bounds().left());
    right = std::max(right, stroke.bounds().right());
  }
  // Whole device pixels, so that the image is not scaled.
  const auto whole = [&](double devicePixels) { return std::ceil(devicePixels / request.ratio); };
  picture.width = whole(right - left + 2);
  picture.baseline = whole(shape->height + 1);
  picture.height = picture.baseline + whole(shape->depth + 1);
  const double across = picture.width * request.ratio, down = picture.height * request.ratio;
  if (across > largest || down > largest || across * down * 4 / 1024 > mostKiB || shape->strokes.empty()) {
    picture.problem = tr("this formula is too large to draw, or empty");
    return picture;
  }
  picture.image = QImage(static_cast<int>(std::ceil(across)), static_cast<int>(std::ceil(down)), QImage::Format_ARGB32_Premultiplied);
  picture.image.fill(Qt::transparent);
  QPainter painter(&picture.image);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(1 - left, std::round(picture.baseline * request.ratio));
  shape->draw(painter, request.color);
  painter.end();
  picture.image.setDevicePixelRatio(request.ratio);
  return picture;
}

class MathCache::Worker : public QObject {
 public:
  MathPress press;
};

// Deleted before QCoreApplication, which the script engine needs.
MathCache& MathCache::instance() {
  static MathCache* cache = nullptr;
  if (!cache) {
    cache = new MathCache(nullptr);
    qAddPostRoutine([] { delete std::exchange(cache, nullptr); });
  }
  return *cache;
}

MathCache::MathCache(QObject* parent) : QObject(parent), m_worker(new Worker), m_pictures(roomKiB) {
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  m_thread.setObjectName(QStringLiteral("formulas"));
  m_thread.start(QThread::LowPriority);
  m_told.setSingleShot(true);
  m_told.setInterval(tellAfterMs);
  connect(&m_told, &QTimer::timeout, this, &MathCache::ready);
}

MathCache::~MathCache() {
  m_thread.requestInterruption();
  m_thread.quit();
  m_thread.wait();
}

const MathPicture* MathCache::find(const MathRequest& request) {
  const QString key = request.key();
  if (const MathPicture* picture = m_pictures.object(key)) return picture;
  if (m_asked.contains(key)) return nullptr;
  m_asked.insert(key);
  QMetaObject::invokeMethod(
      m_worker,
      [this, key, request] {
        if (QThread::currentThread()->isInterruptionRequested()) return;
        MathPicture picture = m_worker->press.draw(request);
        QMetaObject::invokeMethod(this, [this, key, picture = std::move(picture)] { take(key, picture); });
      },
      Qt::QueuedConnection);
  return nullptr;
}

void MathCache::take(const QString& key, const MathPicture& picture) {
  m_asked.remove(key);
  const auto cost = 1 + picture.image.sizeInBytes() / 1024;
  m_pictures.insert(key, new MathPicture(picture), cost);
  if (!m_told.isActive()) m_told.start();
}

}  // namespace minerva::app
