import QtQuick
import Minerva.Components

// Actions on the user's message, to the left of its bubble.
Row {
    id: actions

    required property bool enabledActions
    readonly property bool activeFocusInside: copyButton.activeFocus || editButton.activeFocus
    signal copy()
    signal edit()

    IconButton {
        id: copyButton
        iconName: copied.running ? "check" : "copy"
        tip: qsTr("Copy")
        onClicked: { actions.copy(); copied.restart() }
        Timer { id: copied; interval: 1500 }
    }
    IconButton {
        id: editButton
        iconName: "pencil"
        tip: qsTr("Edit and send again; this version stays")
        enabled: actions.enabledActions
        onClicked: actions.edit()
    }
}
