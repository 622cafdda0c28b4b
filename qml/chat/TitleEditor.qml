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

    visible: active
    active: editing
    sourceComponent: TextField {
        implicitHeight: Theme.space(7)
        text: editor.title
        Component.onCompleted: { selectAll(); forceActiveFocus() }
        onAccepted: editor.accepted(text)
        onActiveFocusChanged: if (!activeFocus) editor.cancelled()
        Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Escape  // before it stops a reply
        Keys.onEscapePressed: editor.cancelled()
        Accessible.name: qsTr("New title")
    }
}
