import QtQuick
import Minerva.Components
import Minerva.Theme

// Editor for a row's title: Enter accepts; Esc or losing the focus cancels.
Loader {
    id: editor

    required property bool editing
    required property string title
    signal accepted(string text)
    signal cancelled()
    signal closed()  // by a key: the row has the focus again

    visible: active
    active: editing
    sourceComponent: TextField {
        implicitHeight: Theme.space(7)
        text: editor.title
        Component.onCompleted: { selectAll(); forceActiveFocus() }
        onAccepted: {
            const own = editor, words = text  // this field goes with the edit, and the row may go with its title
            own.closed()
            own.accepted(words)
        }
        onActiveFocusChanged: if (!activeFocus) editor.cancelled()
        Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Escape  // before it stops a reply
        Keys.onEscapePressed: {
            const own = editor
            own.closed()
            own.cancelled()
        }
        Accessible.name: qsTr("New title")
    }
}
