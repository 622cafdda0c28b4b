import QtQuick
import QtQuick.Layouts
import Minerva.Theme

// An error: headline (what), text (why, with figures), button (what to do next); details can be expanded and copied.
// Takes an error object of a controller, or the texts; visible if there is a headline.
Rectangle {
    id: card

    property var error: null  // {headline, detail, hint, details}
    property string headline: error?.headline ?? ""
    property string reason: error?.detail ?? ""
    property string hint: error?.hint ?? ""
    property string details: error?.details ?? ""
    property string actionText: ""
    property string otherText: ""  // of a second button; otherTip is its tooltip
    property string otherTip: ""
    property bool dismissible: false
    property bool expanded: false
    signal action()
    signal other()
    signal dismissed()

    visible: headline !== ""
    implicitHeight: column.implicitHeight + Theme.space(6)
    radius: Theme.cardRadius
    color: Theme.colors.badSoft
    border.width: 1
    border.color: Theme.colors.line
    Accessible.role: Accessible.AlertMessage
    Accessible.name: headline + ". " + reason

    ColumnLayout {
        id: column
        anchors { left: parent.left; right: parent.right; top: parent.top; margins: Theme.space(3); leftMargin: Theme.space(4) }
        spacing: Theme.space(1)
        RowLayout {
            Layout.fillWidth: true
            spacing: Theme.space(2)
            Icon { icon: "warning"; color: Theme.colors.bad }
            Label {
                text: card.headline
                font.weight: Font.DemiBold
                wrapMode: Text.Wrap
                Layout.fillWidth: true
                Layout.alignment: Qt.AlignVCenter
                verticalAlignment: Text.AlignVCenter
                Layout.fillHeight: true
            }
            IconButton { visible: card.dismissible; iconName: "close"; tip: qsTr("Dismiss"); onClicked: card.dismissed() }
        }
        Label {
            visible: text !== ""
            text: card.reason
            wrapMode: Text.Wrap
            maximumLineCount: card.details !== "" && !card.expanded ? 5 : 1000  // a list of architectures is longer than the window is high
            elide: Text.ElideRight
            Layout.fillWidth: true
            kind: "note"
            color: Theme.colors.text
        }
        Label { visible: text !== ""; text: card.hint; wrapMode: Text.Wrap; Layout.fillWidth: true; kind: "note" }
        TextEdit {
            id: details
            visible: card.expanded
            text: card.details
            readOnly: true
            selectByMouse: true
            wrapMode: TextEdit.WrapAnywhere
            color: Theme.colors.muted
            font.family: Theme.mono
            font.pixelSize: Theme.codeSize
            Layout.fillWidth: true
            TextMenu { target: details }
        }
        RowLayout {
            visible: card.actionText !== "" || card.otherText !== "" || card.details !== ""
            Layout.topMargin: Theme.space(1)
            spacing: Theme.space(2)
            Button { visible: text !== ""; text: card.actionText; onClicked: card.action() }
            Button { visible: text !== ""; text: card.otherText; tip: card.otherTip; onClicked: card.other() }
            Button {
                visible: card.details !== ""
                kind: "quiet"
                text: card.expanded ? qsTr("Hide details") : qsTr("Details")
                onClicked: card.expanded = !card.expanded
            }
            Button {
                visible: card.expanded
                kind: "quiet"
                text: copied.running ? qsTr("Copied") : qsTr("Copy")
                onClicked: { details.selectAll(); details.copy(); details.deselect(); copied.restart() }
                Timer { id: copied; interval: 1500 }
            }
        }
    }
}
