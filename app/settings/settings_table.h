// The settings, one row each; property, default, limits, persistence, reset and editor are generated from it.
//
// ROW(type, name, default, editor, from, to, step, section, title, note)
//   editor: Slider, Number, Choice (of Settings::choices(name)), Toggle, Line, Text (multi-line), Hidden (window state)
//   default: in section "Sampling" (except the seed) the loaded model's recommendation takes precedence, if it has one
//   from, to, step: limits of numbers; values outside are clamped
// A new setting needs a new row only; for a Choice, also its options in settings.cpp.
#pragma once

#define MINERVA_SETTINGS(ROW)                                                                                                        \
  ROW(double, temperature, 0.8, Slider, 0, 2, 0.05, "Sampling", "Temperature",                                                       \
      "Higher is more varied. 0 always takes the likeliest token.")                                                                  \
  ROW(int, topK, 40, Number, 0, 1000, 1, "Sampling", "Top K", "Only the K likeliest tokens are considered. 0: all.")                 \
  ROW(double, topP, 0.95, Slider, 0, 1, 0.01, "Sampling", "Top P",                                                                   \
      "Only the likeliest tokens that together reach this probability. 1: all.")                                                     \
  ROW(double, minP, 0.05, Slider, 0, 1, 0.01, "Sampling", "Min P",                                                                   \
      "Drops tokens less likely than this share of the likeliest one. 0: none.")                                                     \
  ROW(double, repeatPenalty, 1.0, Slider, 1, 2, 0.01, "Sampling", "Repeat penalty", "Makes recent tokens less likely. 1: off.")      \
  ROW(int, repeatLastN, 64, Number, 0, 4096, 1, "Sampling", "Penalty window", "How many recent tokens are penalised.")               \
  ROW(int, seed, 0, Number, 0, 2147483647, 1, "Sampling", "Seed", "The same seed gives the same reply. 0: a new one each time.")     \
  ROW(int, maxTokens, 0, Number, 0, 1048576, 64, "Reply", "Longest reply", "In tokens. 0: until the context is full.")               \
  ROW(QString, systemPrompt, QString(), Text, 0, 0, 0, "Reply", "System prompt", "Instructions at the start of every conversation.") \
  ROW(int, contextLength, 0, Number, 0, 1048576, 512, "Engine", "Context length",                                                    \
      "In tokens; takes memory. 0: the model's own, at most 8192. Takes effect at the next load.")                                   \
  ROW(QString, kvType, QStringLiteral("f16"), Choice, 0, 0, 0, "Engine", "Keys and values",                                          \
      "What a model remembers of the context; 8 bits take half the memory. Takes effect at the next load.")                          \
  ROW(bool, drafts, true, Toggle, 0, 1, 1, "Engine", "Draft tokens",                                                                 \
      "Text that repeats the conversation is checked several tokens at a time, where that is faster; replies stay the same. "        \
      "Takes effect at the next load.")                                                                                              \
  ROW(bool, batchInvariant, false, Toggle, 0, 1, 1, "Engine", "Batch-invariant replies",                                             \
      "A reply never depends on what else is answered. On a GPU many at once then take longer; a conversation's last reply is read " \
      "again with the next message. Takes effect at the next load.")                                                                 \
  ROW(QString, device, QString(), Choice, 0, 0, 0, "Engine", "Device", "Where models run. Takes effect at the next load.")           \
  ROW(int, threads, 0, Number, 0, 256, 1, "Engine", "CPU threads",                                                                   \
      "Fewer leave time for other programs. 0: one per core. Takes effect at the next load.")                                        \
  ROW(int, gpuMemory, 0, Number, 0, 1024, 1, "Engine", "GPU memory for a model",                                                     \
      "Maximum in GB; what does not fit runs on the CPU. 0: all that is free. Takes effect at the next load.")                       \
  ROW(int, unloadAfter, 0, Number, 0, 10080, 5, "Engine", "Unload when idle",                                                        \
      "Minutes without a message until the model is unloaded; the next message loads it again. 0: never.")                           \
  ROW(int, modelsInMemory, 2, Number, 1, 8, 1, "Engine", "Models in memory",                                                         \
      "How many stay loaded where memory allows, so that changing between them takes no time. 1: only the one in use. Takes effect " \
      "at the next load.")                                                                                                           \
  ROW(QString, meaningModel, QString(), Choice, 0, 0, 0, "Engine", "Search by meaning",                                              \
      "Also finds conversations that say it in other words. An embedding model computes vectors of messages while Minerva is idle; " \
      "everything stays on this computer.")                                                                                          \
  ROW(bool, otherApps, true, Toggle, 0, 1, 1, "Engine", "Show models of other programs",                                             \
      "What Hugging Face, LM Studio, Ollama, llama.cpp, Jan and GPT4All have downloaded, used in place.")                            \
  ROW(bool, offline, false, Toggle, 0, 1, 1, "Network", "Offline",                                                                   \
      "No server on another computer is contacted. Models of this computer never need one.")                                         \
  ROW(QString, proxy, QString(), Line, 0, 0, 0, "Network", "Proxy",                                                                  \
      "HOST:PORT, http://[NAME:PASSWORD@]HOST:PORT or socks5://...; the password is kept in your keyring. Empty: the system's; "     \
      "none: no proxy.")                                                                                                             \
  ROW(int, downloadLimit, 0, Number, 0, 10000, 1, "Network", "Download speed limit", "In MB/s. 0: no limit.")                        \
  ROW(bool, serveOn, false, Toggle, 0, 1, 1, "Local server", "Local server",                                                         \
      "Other programs on this computer use the loaded model over HTTP, as they use OpenAI or Ollama. The server listens on this "    \
      "computer only and contacts nobody. Metrics, Server shows its address and the requests.")                                      \
  ROW(int, servePort, 8080, Number, 0, 65535, 1, "Local server", "Port", "0: a free one at each start.")                             \
  ROW(bool, serveOthers, false, Toggle, 0, 1, 1, "Local server", "Also from other computers",                                        \
      "Other computers reach the server too, with a key that Metrics, Server shows. The connection is not encrypted.")               \
  ROW(QString, serveKey, QString(), Hidden, 0, 0, 0, "Local server", "", "")                                                         \
  ROW(QString, theme, QStringLiteral("system"), Choice, 0, 0, 0, "Window", "Theme", "")                                              \
  ROW(QString, language, QStringLiteral("system"), Choice, 0, 0, 0, "Window", "Language", "Takes effect after a restart.")           \
  ROW(double, uiScale, 1.0, Slider, 0.75, 2, 0.05, "Window", "Interface scale", "")                                                  \
  ROW(bool, reducedMotion, false, Toggle, 0, 1, 1, "Window", "No animations", "")                                                    \
  ROW(bool, showThinking, true, Toggle, 0, 1, 1, "Window", "Show what reasoning models think", "")                                   \
  ROW(bool, listVisible, true, Hidden, 0, 1, 1, "Window", "Conversation list (F9)", "")                                              \
  ROW(bool, panelVisible, true, Hidden, 0, 1, 1, "Window", "Live panel (F10)", "")                                                   \
  ROW(int, windowWidth, 1280, Hidden, 480, 16384, 1, "Window", "", "")                                                               \
  ROW(int, windowHeight, 800, Hidden, 560, 16384, 1, "Window", "", "")                                                               \
  ROW(int, windowX, -32768, Hidden, -32768, 32767, 1, "Window", "", "") /* -32768: where the desktop puts it */                      \
  ROW(int, windowY, -32768, Hidden, -32768, 32767, 1, "Window", "", "")                                                              \
  ROW(bool, windowMaximized, false, Hidden, 0, 1, 1, "Window", "", "")                                                               \
  ROW(QString, lastPage, QStringLiteral("chat"), Hidden, 0, 0, 0, "Window", "", "")                                                  \
  ROW(QString, lastModel, QString(), Hidden, 0, 0, 0, "Engine", "", "")                                                              \
  ROW(QString, compareForm, QString(), Hidden, 0, 0, 0, "Window", "", "")  /* CompareController::kept() */                           \
  ROW(QString, presetDrafts, QString(), Hidden, 0, 0, 0, "Window", "", "") /* of PresetEditor, JSON */
