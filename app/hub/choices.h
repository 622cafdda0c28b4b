// A repository's files grouped into what a person downloads: each GGUF quantization (all parts of a split one
// together), each folder of SafeTensors or MLX weights with its configuration and tokenizer. Pure functions; safe on
// any thread.
#pragma once

#include "app/hub/download_item.h"
#include "app/hub/repository.h"

namespace minerva::app {

// Largest last. A split file of which a part is missing is left out, as is what is no model to chat with (projectors,
// importance matrices, draft heads, adapters).
[[nodiscard]] QList<DownloadItem> choicesOf(const Repository& repository);

// The one to take for a machine with so many bytes for a model: the usual quantization if it fits, else the next
// smaller that does; -1 where none fits (or there is none). memory 0: not known, everything fits.
[[nodiscard]] int recommended(const QList<DownloadItem>& choices, qint64 memory);

// By label ("q4_k_m") or by a file's path or name. Errors: notFound, with what there is.
[[nodiscard]] Result<DownloadItem> chosen(const QList<DownloadItem>& choices, const QString& wanted, const QString& repository);

// "Q4_K_M" of a file's name; empty: the name says nothing of it.
[[nodiscard]] QString quantizationOf(const QString& fileName);

// A GGUF file that one opens to chat: no later part of a split one, no projector and the like.
[[nodiscard]] bool opensAModel(const QString& fileName);

// Of a GGUF file, without its ending and its number among the parts: what all parts of a model share.
[[nodiscard]] QString stemOf(const QString& path);

// Weights and file beside the weights that a folder needs to run.
[[nodiscard]] bool isWeights(const QString& path);

}  // namespace minerva::app
