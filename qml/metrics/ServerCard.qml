import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The switch of the local server, where it is reached, and what it serves.
Card {
    id: card

    required property LocalServer server
    required property Settings settings
    property bool narrow: false
    property string elsewhere: ""  // the server that runs the model in use; empty: this computer does

    readonly property bool on: server.state === LocalServer.On

    implicitWidth: Theme.space(80)
    implicitHeight: column.implicitHeight + 2 * padding

    component Copy: Button {
        id: copy
        property string what: ""
        text: done.running ? qsTr("Copied") : what
        onClicked: done.restart()
        Timer { id: done; interval: 1500 }
    }

    ColumnLayout {
        id: column
        width: parent.width
        spacing: Theme.space(2)
        RowLayout {
            spacing: Theme.space(3)
            Layout.fillWidth: true
            Toggle {
                objectName: "serve"
                text: qsTr("Local server")
                checked: card.settings.serveOn
                onToggled: card.settings.serveOn = checked
            }
            Item { Layout.fillWidth: true }
            Tag {
                text: card.on ? qsTr("on") :
                    card.server.state === LocalServer.Stopping ? qsTr("closing connections") :
                    card.server.state === LocalServer.Failed ? qsTr("not running") : qsTr("off")
                ink: card.on ? Theme.colors.good : card.server.state === LocalServer.Failed ? Theme.colors.bad : Theme.colors.muted
                ground: card.on ? Theme.colors.goodSoft : card.server.state === LocalServer.Failed ? Theme.colors.badSoft : Theme.colors.sunken
            }
        }
        Label {
            text: card.settings.serveOthers ?
                qsTr("Other programs use the loaded model over HTTP, beside the chat. Computers in your network reach it, too, with the key. The connection is not encrypted.") :
                qsTr("Other programs on this computer use the loaded model over HTTP, beside the chat. The server listens on this computer only and contacts nobody, so Offline does not concern it.")
            kind: "note"
            wrapMode: Text.Wrap
            Layout.fillWidth: true
            Layout.maximumWidth: Theme.space(186)
        }
        ErrorCard {
            error: card.server.error
            actionText: qsTr("Try again")
            Layout.fillWidth: true
            onAction: card.server.retry()
        }
        GridLayout {
            visible: card.on
            columns: card.narrow ? 1 : 3
            columnSpacing: Theme.space(4)
            rowSpacing: Theme.space(1)
            Layout.topMargin: Theme.space(1)
            Layout.fillWidth: true

            Label { text: qsTr("Address"); kind: "note"; Layout.topMargin: card.narrow ? Theme.space(1) : 0 }
            ElidedLabel { text: card.server.address; kind: "mono"; Layout.fillWidth: true; Layout.maximumWidth: Theme.space(90) }
            Copy { what: qsTr("Copy address"); onClicked: card.server.copyAddress() }

            Label { visible: card.server.others; text: qsTr("Key"); kind: "note"; Layout.topMargin: card.narrow ? Theme.space(1) : 0 }
            Label {
                visible: card.server.others
                text: "••••••••••••••••"
                kind: "mono"
                Accessible.name: qsTr("hidden")
                Layout.fillWidth: true
                Layout.maximumWidth: Theme.space(90)
            }
            RowLayout {
                visible: card.server.others
                spacing: Theme.space(2)
                Copy { what: qsTr("Copy key"); onClicked: card.server.copyKey() }
                Button {
                    text: qsTr("New key")
                    tip: qsTr("The present key is refused from then on, and requests underway end")
                    onClicked: card.server.renewKey()
                }
            }
        }
        Label {
            visible: card.on
            text: card.elsewhere !== "" ?
                qsTr("The model in use runs on %1, and only models of this computer are served: requests are answered with status 503 until one is chosen.")
                    .arg(card.elsewhere) :
                card.server.loading ? qsTr("The model is being loaded: requests wait for it.") :
                card.server.resting ? qsTr("The model was unloaded because it was not used: the next request loads it again.") :
                card.server.model === "" ?
                qsTr("No model is in memory: requests are answered with status 503 until one is.") :
                qsTr("Serves %1, up to %n answer(s) at once; further requests wait.", "", card.server.atOnce).arg(card.server.model)
            kind: "note"
            wrapMode: Text.WrapAtWordBoundaryOrAnywhere
            Layout.fillWidth: true
        }
        Rectangle { implicitHeight: 1; color: Theme.colors.line; Layout.fillWidth: true; Layout.topMargin: Theme.space(1) }
        GridLayout {
            columns: card.narrow ? 1 : 2
            columnSpacing: Theme.space(6)
            rowSpacing: Theme.space(1)
            Layout.fillWidth: true
            Toggle {
                text: qsTr("Also from other computers")
                checked: card.settings.serveOthers
                onToggled: card.settings.serveOthers = checked
                Layout.fillWidth: true
            }
            RowLayout {
                spacing: Theme.space(3)
                Layout.fillWidth: false
                Layout.preferredWidth: Theme.space(44)
                Label { text: qsTr("Port"); kind: "note"; Accessible.ignored: true }
                NumberField {
                    value: card.settings.servePort
                    from: 0
                    to: 65535
                    name: qsTr("Port")
                    description: qsTr("0: a free one at each start.")
                    onEntered: value => card.settings.servePort = value
                }
            }
        }
    }
}
