import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.Components
import Minerva.Theme

// The small window of a start that waits: another Minerva has the same conversations open and does not answer.
T.ApplicationWindow {
    id: window

    required property string lockFile
    required property string holder  // "process 1234"; may be empty
    required property bool dark
    readonly property real edge: Theme.space(6)

    LayoutMirroring.enabled: Theme.mirrored
    LayoutMirroring.childrenInherit: true
    width: Theme.space(130)
    height: content.implicitHeight + 2 * edge
    minimumWidth: Theme.space(90)
    minimumHeight: content.implicitHeight + 2 * edge
    visible: true
    title: qsTr("Minerva")
    color: Theme.colors.bg
    Binding { target: Theme; property: "dark"; value: window.dark }
    Shortcut { sequences: ["Esc", "Ctrl+Q"]; onActivated: window.close() }

    ColumnLayout {
        id: content
        anchors { left: parent.left; right: parent.right; top: parent.top; margins: window.edge }
        spacing: Theme.space(3)
        Label { text: qsTr("Minerva is already open and does not answer"); kind: "header"; wrapMode: Text.Wrap; Layout.fillWidth: true }
        Label {
            text: qsTr("Two at a time would overwrite each other's conversations. Close the other one, or end it in the system's list of processes: Minerva then opens here.")
            wrapMode: Text.Wrap
            Layout.fillWidth: true
            Accessible.role: Accessible.AlertMessage
        }
        Label {
            text: (window.holder === "" ? "" : window.holder + " · ") + window.lockFile
            kind: "note"
            wrapMode: Text.WrapAnywhere
            Layout.fillWidth: true
        }
        Button {
            text: qsTr("Do not wait")
            focus: true
            Layout.alignment: Qt.AlignRight
            Layout.topMargin: Theme.space(1)
            onClicked: window.close()
        }
    }
}
