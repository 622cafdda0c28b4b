import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The network requests made by Minerva, newest first.
ColumnLayout {
    id: log

    required property HubService hub
    property bool open: false
    property var lines: []

    spacing: Theme.space(2)
    RowLayout {
        Label { text: qsTr("Requests"); kind: "header"; Layout.fillWidth: true }
        Button {
            kind: "quiet"
            text: log.open ? qsTr("Hide") : qsTr("Show the latest")
            Layout.rightMargin: -Theme.space(2)
            onClicked: { log.open = !log.open; log.lines = log.open ? log.hub.requests() : [] }
        }
    }
    Label {
        text: qsTr("Minerva's requests are logged in %1; only the latest are kept.").arg(log.hub.requestsFile())
        kind: "note"
        wrapMode: Text.WrapAtWordBoundaryOrAnywhere
        Layout.fillWidth: true
    }
    Label { visible: log.open && log.lines.length === 0; text: qsTr("No requests were made."); Layout.fillWidth: true }
    TextEdit {
        visible: log.lines.length > 0
        text: log.lines.join("\n")
        readOnly: true
        selectByMouse: true
        wrapMode: TextEdit.WrapAnywhere
        color: Theme.colors.muted
        font.family: Theme.mono
        font.pixelSize: Theme.codeSize
        Layout.fillWidth: true
        Accessible.name: qsTr("Requests")
    }
}
