import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Shown if a query to the hub takes longer: what it waits for, and ways not to.
RowLayout {
    id: wait

    required property HubService hub
    property string doing: ""  // what is asked for, while nothing is waited for
    readonly property bool asking: hub.busy || hub.reading
    property bool lasts: false
    onAskingChanged: lasts = false
    Timer { interval: 300; running: wait.asking; onTriggered: wait.lasts = true }

    visible: asking && (lasts || hub.waiting !== "")
    spacing: Theme.space(2)

    ColumnLayout {
        spacing: Theme.space(0.5)
        Layout.fillWidth: true
        Label {
            text: wait.hub.waiting || wait.doing
            kind: "note"
            color: wait.hub.waiting !== "" ? Theme.colors.text : Theme.colors.muted
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
        Label { visible: text !== ""; text: wait.hub.waitHint; kind: "note"; wrapMode: Text.Wrap; Layout.fillWidth: true }
    }
    Button { text: qsTr("Try now"); onClicked: wait.hub.retry() }
    Button { text: qsTr("Cancel"); tip: wait.hub.busy ? qsTr("Esc") : ""; onClicked: wait.hub.cancel() }
}
