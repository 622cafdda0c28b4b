import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The local server: switch, address, and the latest requests; while there are none, how to call it.
ColumnLayout {
    id: part

    required property LocalServer server
    required property Settings settings
    property bool narrow: false
    property string elsewhere: ""  // as in ServerCard

    readonly property bool on: server.state === LocalServer.On
    readonly property RequestList requests: server.requests

    spacing: Theme.space(3)

    ServerCard {
        server: part.server
        settings: part.settings
        narrow: part.narrow
        elsewhere: part.elsewhere
        Layout.fillWidth: true
    }
    RowLayout {
        Layout.fillWidth: true
        Layout.topMargin: Theme.space(2)
        Label { text: qsTr("Requests"); kind: "header"; Layout.fillWidth: true }
        Button {
            visible: part.requests.count > part.requests.underway
            kind: "quiet"
            text: qsTr("Clear the list")
            Layout.rightMargin: -Theme.space(2)
            onClicked: part.requests.clear()
        }
    }
    RequestTable {
        visible: part.requests.count > 0
        requests: part.requests
        rows: part.requests.count
        narrow: part.narrow
        Layout.fillWidth: true
    }
    EmptyState {
        visible: part.requests.count === 0 && !part.on
        sentence: qsTr("While the local server is on, the latest requests of other programs are listed here.")
        Layout.fillWidth: true
        Layout.alignment: Qt.AlignHCenter
        Layout.topMargin: Theme.space(6)
    }
    CallCard {
        visible: part.requests.count === 0 && part.on
        line: part.server.call
        Layout.fillWidth: true
        onCopyRequested: part.server.copyCall()
    }
}
