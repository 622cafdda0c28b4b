// Groups a repository's files into downloadable items: each GGUF quantization (with all parts of a split file), and each
// folder of SafeTensors or MLX weights with its configuration and tokenizer. Pure functions; thread-safe.
#pragma once

#include "app/hub/download_item.h"
#include "app/hub/repository.h"

namespace minerva::app {

// Sorted by size, smallest first. Leaves out split files with a missing part and files that are not chat models (projectors,
// importance matrices, drafters, adapters), as far as their names tell; the header tells the rest.
[[nodiscard]] QList<DownloadItem> choicesOf(const Repository& repository);

// The number of further GGUF choices whose files are cut into parts that must be joined ("x.gguf.part1of2", "x.gguf-split-a").
[[nodiscard]] int choicesInPieces(const Repository& repository);

// Index of the recommended choice if `memory` bytes are available for a model: the first of the preferred quantizations that
// fits, else the largest choice that fits, an unquantized one only if no smaller one does; -1 if none does. memory 0: unknown,
// everything fits.
[[nodiscard]] int recommended(const QList<DownloadItem>& choices, qint64 memory);

// Finds a choice by label ("q4_k_m", any case), by the path or name of one of its weights files, by a quantization that no
// other choice has, or by a folder that holds its weights and no other's. Errors: notFound, with the available labels.
[[nodiscard]] Result<DownloadItem> chosen(const QList<DownloadItem>& choices, const QString& wanted, const QString& repository);

// The quantization in a file name, such as "Q4_K_M"; empty if the name contains none.
[[nodiscard]] QString quantizationOf(const QString& fileName);

// True for a GGUF file that can be opened as a chat model: not a later part of a split file, not a projector, adapter etc.
[[nodiscard]] bool opensAModel(const QString& fileName);

// Path of a GGUF file without extension and part number; equal for all parts of a split model.
[[nodiscard]] QString stemOf(const QString& path);

// True for weights (.gguf, .safetensors), false for all other files.
[[nodiscard]] bool isWeights(const QString& path);

}  // namespace minerva::app
