import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// What was discarded last in the chat and can be brought back: a preset, an edit, a queued message.
ColumnLayout {
    id: lines

    required property ChatController chat
    required property Presets presets
    signal editRestored(int row)

    visible: presets.removedName !== "" || chat.canUndoCancel || chat.outbox.canUndo
    spacing: Theme.space(2)
    UndoLine {
        visible: lines.presets.removedName !== ""
        text: qsTr("Deleted the preset %1").arg(lines.presets.removedName)
        Layout.fillWidth: true
        onUndone: lines.presets.undoRemove()
        onPassed: lines.presets.dismissUndo()
    }
    UndoLine {
        id: edit
        visible: lines.chat.canUndoCancel
        text: qsTr("Edit discarded")
        Layout.fillWidth: true
        onUndone: { const row = lines.chat.undoCancel(); if (row >= 0) lines.editRestored(row) }
        onPassed: lines.chat.dismissCancel()
        Connections {
            target: lines.chat
            function onCancelledChanged() { edit.again() }
        }
    }
    UndoLine {
        id: queued
        visible: lines.chat.outbox.canUndo
        text: qsTr("Message removed, it is not sent")
        Layout.fillWidth: true
        onUndone: lines.chat.outbox.undoRemove()
        onPassed: lines.chat.outbox.dismissUndo()
        Connections {
            target: lines.chat.outbox
            function onUndoChanged() { queued.again() }
        }
    }
}
