#include "app/actions/action_table.h"

#include <QtGlobal>

#include <algorithm>
#include <array>

namespace minerva::app {
namespace {

constexpr std::array table{
    ActionRow{"app.palette", "", QT_TRANSLATE_NOOP("Actions", "Find an action, conversation or model"), "Ctrl+K"},
    ActionRow{"app.keys", "", QT_TRANSLATE_NOOP("Actions", "All shortcuts"), "F1 Ctrl+?"},
    ActionRow{"app.about", "", QT_TRANSLATE_NOOP("Actions", "About Minerva"), "Shift+F1"},
    ActionRow{"app.stop", "", QT_TRANSLATE_NOOP("Actions", "Stop"), "Esc"},
    ActionRow{"chat.new", "", QT_TRANSLATE_NOOP("Actions", "New chat"), "Ctrl+N"},
    ActionRow{"model.open", "", QT_TRANSLATE_NOOP("Actions", "Open a model file"), "Ctrl+O"},
    ActionRow{"page.chat", "", QT_TRANSLATE_NOOP("Actions", "Chat"), "Ctrl+1"},
    ActionRow{"page.models", "", QT_TRANSLATE_NOOP("Actions", "Models"), "Ctrl+2"},
    ActionRow{"page.compare", "", QT_TRANSLATE_NOOP("Actions", "Compare"), "Ctrl+3"},
    ActionRow{"page.metrics", "", QT_TRANSLATE_NOOP("Actions", "Metrics"), "Ctrl+4"},
    ActionRow{"page.settings", "", QT_TRANSLATE_NOOP("Actions", "Settings"), "Ctrl+,"},
    ActionRow{"app.larger", "", QT_TRANSLATE_NOOP("Actions", "Zoom in"), "Ctrl++ Ctrl+="},
    ActionRow{"app.smaller", "", QT_TRANSLATE_NOOP("Actions", "Zoom out"), "Ctrl+-"},
    ActionRow{"app.normal", "", QT_TRANSLATE_NOOP("Actions", "Reset zoom"), "Ctrl+0"},
    ActionRow{"app.theme", "", QT_TRANSLATE_NOOP("Actions", "Switch between light and dark theme"), "Ctrl+Shift+D"},
    ActionRow{"app.quit", "", QT_TRANSLATE_NOOP("Actions", "Quit"), "Ctrl+Q"},
    ActionRow{"chat.folder", "chat", QT_TRANSLATE_NOOP("Actions", "New folder"), "Ctrl+Shift+N"},
    ActionRow{"chat.import", "chat", QT_TRANSLATE_NOOP("Actions", "Import conversations..."), "Ctrl+Shift+O"},
    ActionRow{"chat.search", "chat", QT_TRANSLATE_NOOP("Actions", "Search conversations"), "Ctrl+F"},
    ActionRow{"chat.model", "chat", QT_TRANSLATE_NOOP("Actions", "Choose a model"), "Ctrl+M"},
    ActionRow{"chat.compose", "chat", QT_TRANSLATE_NOOP("Actions", "Write a message"), "Ctrl+L"},
    ActionRow{"chat.undo", "chat", QT_TRANSLATE_NOOP("Actions", "Restore the deleted conversation"), "Ctrl+Z"},
    ActionRow{"chat.deleted", "chat", QT_TRANSLATE_NOOP("Actions", "Recently deleted"), "Ctrl+Shift+Del"},
    ActionRow{"chat.attach", "chat", QT_TRANSLATE_NOOP("Actions", "Attach text files"), "Ctrl+Shift+A"},
    ActionRow{"chat.again", "chat", QT_TRANSLATE_NOOP("Actions", "Answer again"), "Ctrl+R"},
    ActionRow{"chat.continue", "chat", QT_TRANSLATE_NOOP("Actions", "Continue the reply"), "Ctrl+Shift+R"},
    ActionRow{"chat.copy", "chat", QT_TRANSLATE_NOOP("Actions", "Copy the last message"), "Ctrl+Shift+C"},
    ActionRow{"chat.end", "chat", QT_TRANSLATE_NOOP("Actions", "Go to the newest message"), "Ctrl+End"},
    ActionRow{"chat.up", "chat", QT_TRANSLATE_NOOP("Actions", "Scroll back a page"), "PgUp", true},
    ActionRow{"chat.down", "chat", QT_TRANSLATE_NOOP("Actions", "Scroll on a page"), "PgDown", true},
    ActionRow{"chat.next", "chat", QT_TRANSLATE_NOOP("Actions", "Next conversation"), "Ctrl+PgDown"},
    ActionRow{"chat.previous", "chat", QT_TRANSLATE_NOOP("Actions", "Previous conversation"), "Ctrl+PgUp"},
    ActionRow{"chat.prompt", "chat", QT_TRANSLATE_NOOP("Actions", "Show the exact prompt"), "Ctrl+Shift+P"},
    ActionRow{"chat.list", "chat", QT_TRANSLATE_NOOP("Actions", "Conversations"), "F9"},
    ActionRow{"chat.panel", "chat", QT_TRANSLATE_NOOP("Actions", "Live panel"), "F10"},
    ActionRow{"chat.send", "chat", QT_TRANSLATE_NOOP("Actions", "Send"), "Return", true},
    ActionRow{"chat.line", "chat", QT_TRANSLATE_NOOP("Actions", "New line"), "Shift+Return", true},
    ActionRow{"chat.rename", "chat", QT_TRANSLATE_NOOP("Actions", "Rename the conversation in the list"), "F2", true},
    ActionRow{"chat.pin", "chat", QT_TRANSLATE_NOOP("Actions", "Pin the conversation in the list"), "Ctrl+P", true},
    ActionRow{"chat.delete", "chat", QT_TRANSLATE_NOOP("Actions", "Delete the conversation in the list"), "Del", true},
    ActionRow{"models.search", "models", QT_TRANSLATE_NOOP("Actions", "Search models to download"), "Ctrl+F"},
    ActionRow{"models.back", "models", QT_TRANSLATE_NOOP("Actions", "Back to the list"), "Esc", true},
    ActionRow{"compare.run", "compare", QT_TRANSLATE_NOOP("Actions", "Run the comparison"), "Ctrl+Return Ctrl+Enter"},
    ActionRow{"compare.add", "compare", QT_TRANSLATE_NOOP("Actions", "Add a model"), "Ctrl+Shift+M"},
    ActionRow{"compare.export", "compare", QT_TRANSLATE_NOOP("Actions", "Export"), "Ctrl+E"},
    ActionRow{"metrics.benchmark", "metrics", QT_TRANSLATE_NOOP("Actions", "Run benchmark"), "Ctrl+B"},
    ActionRow{"metrics.charts", "metrics", QT_TRANSLATE_NOOP("Actions", "Benchmark with charts"), "Ctrl+Shift+B"},
    ActionRow{"metrics.export", "metrics", QT_TRANSLATE_NOOP("Actions", "Export the figures"), "Ctrl+E"},
    ActionRow{"metrics.server", "metrics", QT_TRANSLATE_NOOP("Actions", "Local server"), "Ctrl+Shift+S"},
    ActionRow{"settings.search", "settings", QT_TRANSLATE_NOOP("Actions", "Search settings"), "Ctrl+F"},
};

}  // namespace

std::span<const ActionRow> actionTable() { return table; }

const ActionRow* findAction(std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [name](const ActionRow& row) { return name == row.name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace minerva::app
