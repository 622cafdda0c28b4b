// List model of the available models: the built-in one, recently opened files and folders, then models of other programs.
// GUI thread only.
//
// Headers are read on a worker thread; until then format and type are empty. The list is stored in an INI file, without
// models of other programs that were never used here.
#pragma once

#include "app/inference/load_preferences.h"
#include "app/library/duplicates.h"
#include "app/library/model_trash.h"
#include "app/library/other_apps.h"

#include <QAbstractListModel>
#include <QUrl>
#include <qqmlregistration.h>

#include <functional>
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
  Q_PROPERTY(QStringList unreadable READ unreadable NOTIFY unreadableChanged)  // one sentence per unreadable folder of other programs
  Q_PROPERTY(QString builtInPath READ builtInPath CONSTANT)                    // empty: not installed
 public:
  enum Role {
    NameRole = Qt::UserRole + 1,  // name: "TinyLlama 1.1B Chat"; unique in the list (model_names.h)
    PathRole,                     // path: argument of openPath()
    FolderRole,                   // folder: its folder, home shortened to ~
    SubtitleRole,                 // subtitle: "6 M parameters · works offline, knows little", "llama · 1.1 B parameters · context 2,048"
    FormatRole,                   // format: "GGUF", "SafeTensors", "MLX"; empty: not read yet, or unreadable
    TypeRole,                     // type: "Q4_K"
    SizeBytesRole,                // sizeBytes: of the weight files
    ParametersRole,               // parameters: 0: unknown
    BuiltInRole,                  // builtIn
    MissingRole,                  // missing: the file does not exist
    ProblemRole,                  // problem: why the file cannot be used, one line; empty: none known
    LoadedRole,                   // loaded: true for the loaded model
    SourceRole,                   // source: the other program that it belongs to; empty: none
    MeasuredRole,                 // measured: decode tok/s of its last reply on this machine; 0: unknown
    OwnRole,                      // own: in Minerva's own folder, so moveToTrash() accepts it
    TwinAboveRole,                // twinAbove: the same model as the row above in another format; such rows are adjacent
    FitRole,                      // fit: "fits", "slow" (partly on the CPU), "no", "cannot"; empty: not checked yet
    FitReasonRole,                // fitReason: reason for the last three, with figures; why the draft model is left
    EmbedsRole,                   // embeds: an embedding model, for the search by meaning; it cannot chat
    WritesRole,                   // writes: its header was read, and it can chat
  };
  // inference: not owned; may be null. file: the INI file. builtIn: the built-in model's folder; empty: not installed.
  ModelLibrary(InferenceController* inference, const QString& file, const QString& builtIn, QObject* parent = nullptr);
  ~ModelLibrary() override;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const;

  Q_INVOKABLE void open(const QUrl& url);          // a file or folder from a dialog or a drop; adds and loads it
  Q_INVOKABLE void openPath(const QString& path);  // adds and loads the model at this path
  Q_INVOKABLE void openBuiltIn();
  void add(const QString& path);          // without loading it
  void addFolder(const QString& models);  // adds all complete models of the download folder, which a worker thread scans
  // Lists the models at these places, found on a worker thread; empty removes them. Models that were used here stay.
  void setOtherApps(const QList<OtherAppPlace>& places);
  Q_INVOKABLE void moveToTrash(int row);  // unloads it first if it is loaded
  Q_INVOKABLE void lookForDuplicates();   // see duplicates
  Q_INVOKABLE QString
  twinsOf(const QString& name) const;  // formats present here of the model with this repository or file name: "Q8_0, MLX MLX4_G64_BF16"
  Q_INVOKABLE void checkFits();        // fills in the missing `fit` values one by one
  void setPreferences(const LoadPreferences& preferences, const BackendOptions& options);  // used for `fit`
  // Gives the path of the draft model that a model is loaded with, "" for none; for `fit`.
  void setDraftChoice(std::function<QString(const QString& model)> draftOf);
  void forgetFit(const QString& path);  // another draft model was chosen
  [[nodiscard]] ModelTrash* trash() const;
  [[nodiscard]] Duplicates* duplicates() const;
  [[nodiscard]] QStringList unreadable() const;
  Q_INVOKABLE void remove(int row);                  // from the list; the file stays. The built-in model cannot be removed
  Q_INVOKABLE void refresh();                        // reads all headers again and scans the download folder and other programs' places
  Q_INVOKABLE QVariantList embeddingModels() const;  // [{value, title}]: path and name
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
  void readHeader(const QString& path);  // on a worker thread; then updates the row
  struct Private;
  std::unique_ptr<Private> d;
};

}  // namespace minerva::app
