import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A server in the list: name, what it is, its models, why they could not be listed. Removing asks first.
Card {
    id: row

    required property string serverId
    required property string name
    required property string address
    required property string kind
    required property var models
    required property bool hasKey
    required property bool readable
    required property var leftOut
    required property bool busy
    required property var error
    property bool asking: false  // whether to remove it
    property bool whole: false   // all models are shown
    readonly property int most: 12
    signal chosen(string path)
    signal refreshAsked()
    signal editAsked()
    signal removeAsked()

    implicitWidth: Theme.space(80)
    implicitHeight: column.implicitHeight + 2 * padding
    Accessible.role: Accessible.ListItem
    Accessible.name: name + ", " + about.text

    ColumnLayout {
        id: column
        width: parent.width
        spacing: Theme.space(2)
        RowLayout {
            spacing: Theme.space(2)
            ColumnLayout {
                spacing: Theme.space(0.5)
                Layout.fillWidth: true
                RowLayout {
                    spacing: Theme.space(2)
                    ElidedLabel { text: row.name; kind: "header"; horizontalAlignment: Text.AlignLeft; Layout.fillWidth: true; Layout.maximumWidth: implicitWidth + 1 }
                    Tag { visible: text !== ""; text: row.kind; ink: Theme.colors.accent; ground: Theme.colors.accentSoft }
                    Item { Layout.fillWidth: true }
                }
                ElidedLabel {
                    id: about
                    text: row.address + (row.hasKey ? " · " + qsTr("with a key") : "") + (row.readable ? " · " + qsTr("not encrypted") : "")
                    kind: "note"
                    color: row.readable ? Theme.colors.warn : Theme.colors.muted
                    horizontalAlignment: Text.AlignLeft
                    Layout.fillWidth: true
                }
            }
            IconButton { iconName: "retry"; tip: qsTr("Look for its models again"); enabled: !row.busy; onClicked: row.refreshAsked() }
            IconButton { iconName: "pencil"; tip: qsTr("Edit"); onClicked: row.editAsked() }
            IconButton { iconName: "trash"; tip: qsTr("Remove"); onClicked: row.asking = true }
        }
        RowLayout {
            visible: row.asking
            spacing: Theme.space(2)
            Layout.fillWidth: true
            Label {
                text: qsTr("Remove this server and its key? Its conversations stay.")
                wrapMode: Text.Wrap
                Layout.fillWidth: true
            }
            Button { kind: "danger"; text: qsTr("Remove"); onClicked: row.removeAsked() }
            Button { text: qsTr("Keep"); onClicked: row.asking = false }
        }
        Progress { visible: row.busy; indeterminate: true; Layout.fillWidth: true; Accessible.name: qsTr("Looking for models") }
        ErrorCard {
            error: row.error
            actionText: qsTr("Try again")
            Layout.fillWidth: true
            onAction: row.refreshAsked()
        }
        Flow {
            visible: row.models.length > 0
            spacing: Theme.space(1.5)
            Layout.fillWidth: true
            Repeater {
                model: row.whole ? row.models : Array.from(row.models).filter((model, i) => i < row.most)
                Button {
                    required property var modelData
                    text: modelData.id
                    width: Math.min(implicitWidth, column.width)
                    tip: modelData.context > 0 ? qsTr("Chat with it; %1 context").arg(Figures.integer(modelData.context)) : qsTr("Chat with it")
                    onClicked: row.chosen(modelData.path)
                }
            }
            Button {
                visible: row.models.length > row.most
                kind: "quiet"
                text: row.whole ? qsTr("Show fewer") : qsTr("Show all %n model(s)", "", row.models.length)
                onClicked: row.whole = !row.whole
            }
        }
        Label {
            visible: row.models.length === 0 && !row.busy && !row.error.isSet
            text: qsTr("Its models are not known yet.")
            kind: "note"
        }
        Label {
            visible: row.leftOut.length > 0
            text: qsTr("Left out of requests, because refused: %1").arg(Array.from(row.leftOut).join("; "))
            kind: "note"
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
    }
}
