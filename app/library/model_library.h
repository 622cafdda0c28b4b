// The models one can choose: the built-in one, recently opened files and folders, then what other programs have. GUI thread only.
//
// Headers are read on a worker thread; until then format and type are empty. Kept in an INI file, but for other programs'
// models that were never used here.
#pragma once

#include "app/inference/load_preferences.h"
#include "app/library/duplicates.h"
#include "app/library/model_trash.h"
#include "app/library/other_apps.h"

#include <QAbstractListModel>
#include <QUrl>
#include <qqmlregistration.h>

#include <memory>
#include <vector>

namespace minerva::app {

class InferenceController;

class ModelLibrary : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(int count READ count NOTIFY countChanged)
  Q_PROPERTY(minerva::app::ModelTrash* trash READ trash CONSTANT)
  Q_PROPERTY(minerva::app::Duplicates* duplicates READ duplicates CONSTANT)
  Q_PROPERTY(QStringList unreadable READ unreadable NOTIFY unreadableChanged)  // other programs' folders, a sentence each
  Q_PROPERTY(QString builtInPath READ builtInPath CONSTANT)                    // empty: none installed
 public:
  enum Role {
    NameRole = Qt::UserRole + 1,  // name: "TinyLlama 1.1B Chat"; told apart from the others (model_names.h)
    PathRole,                     // path: what open() takes
    FolderRole,                   // folder: where it lies, home shortened to ~
    SubtitleRole,  // subtitle: "6 M parameters · works offline, knows little", "llama · 1.1 B parameters · 4.5 bits per weight · context
                   // 2,048"
    FormatRole,      // format: "GGUF", "SafeTensors", "MLX"; empty: not read yet, or not readable
    TypeRole,        // type: "Q4_K"
    SizeBytesRole,   // sizeBytes: of the weight files
    ParametersRole,  // parameters: 0: not known
    BuiltInRole,     // builtIn
    MissingRole,     // missing: the file is not there (any more)
    ProblemRole,     // problem: why the file cannot be used, one line; empty: none known
    LoadedRole,      // loaded: the model that is loaded now
    SourceRole,      // source: the other program that it belongs to; empty: none
    MeasuredRole,    // measured: decode tok/s of its last reply on this machine; 0: not known
    OwnRole,         // own: in Minerva's own folder, so that moveToTrash() takes it
    TwinAboveRole,   // twinAbove: the same model as the row above, in another format; such stand together
    FitRole,         // fit: "fits", "slow" (with the processor's help), "no", "cannot"; empty: not looked at yet
    FitReasonRole,   // fitReason: of the last three, with figures
  };
  // file: where the list is kept. builtIn: the built-in model's folder; empty: none installed.
  ModelLibrary(InferenceController* inference, const QString& file, const QString& builtIn, QObject* parent = nullptr);
  ~ModelLibrary() override;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const;

  Q_INVOKABLE void open(const QUrl& url);          // a file or folder from a dialog or a drop; adds and loads it
  Q_INVOKABLE void openPath(const QString& path);  // a row's path; adds and loads it
  Q_INVOKABLE void openBuiltIn();
  void add(const QString& path);          // without loading it
  void addFolder(const QString& models);  // all complete ones in the folder for downloads; looked through on a worker thread
  // Lists these programs' models, found on a worker thread; empty: none any more. Those that were used here stay.
  void setOtherApps(const QList<OtherAppPlace>& places);
  Q_INVOKABLE void moveToTrash(int row);                   // lets it go first, if it is loaded
  Q_INVOKABLE void lookForDuplicates();                    // see duplicates
  Q_INVOKABLE QString twinsOf(const QString& name) const;  // which formats of it are here, by a repository's or file's name: "Q8_0, MLX"
  Q_INVOKABLE void checkFits();                            // of rows not looked at yet; they follow one by one
  void setPreferences(const LoadPreferences& preferences, const BackendOptions& options);  // that `fit` is about
  [[nodiscard]] ModelTrash* trash() const;
  [[nodiscard]] Duplicates* duplicates() const;
  [[nodiscard]] QStringList unreadable() const;
  Q_INVOKABLE void remove(int row);  // forgets it; the file stays. The built-in one cannot be removed
  Q_INVOKABLE void refresh();        // looks again which files are there, and what is new in the folder for downloads
  [[nodiscard]] QString builtInPath() const;
  void noteSpeed(const QString& path, double tokensPerSecond);

 Q_SIGNALS:
  void countChanged();
  void unreadableChanged();

 private:
  [[nodiscard]] QString subtitle(int row) const;
  void groupTwins();
  void nameModels();
  void nameLoaded();
  void checkNextFit();
  void takeOtherApps(const QList<OtherAppModel>& models);
  void readHeader(const QString& path);  // on a worker thread; the row follows when it is read
  struct Private;
  std::unique_ptr<Private> d;
};

}  // namespace minerva::app
