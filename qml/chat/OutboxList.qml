import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Messages waiting to be sent, and the reason. Each can be moved back into the composer or removed.
ColumnLayout {
    id: queue

    required property ChatController chat
    required property ContextGuard context

    readonly property Outbox outbox: chat.outbox
    // A message whose prompt is only being counted is sent shortly and is not shown.
    readonly property bool settled: !chat.canSend || outbox.held || context.blocked
    readonly property string reason: outbox.held ? qsTr("Not sent yet") :
        context.blocked ? qsTr("Not sent: it does not fit") :
        chat.generating ? qsTr("Sent when this reply has ended") :
        !chat.canSend ? qsTr("Sent when a model is ready") : ""

    signal recalled()  // a message is in the composer again

    visible: outbox.count > 0 && (settled || outbox.count > 1)
    spacing: Theme.space(1)
    Accessible.role: Accessible.List
    Accessible.name: qsTr("Messages waiting to be sent")

    RowLayout {
        spacing: Theme.space(2)
        Layout.fillWidth: true
        Layout.leftMargin: Theme.space(1)
        Label { text: queue.reason; kind: "note"; elide: Text.ElideRight; Layout.fillWidth: true; Accessible.role: Accessible.AlertMessage }
        Button {
            visible: queue.outbox.held
            kind: "quiet"
            text: qsTr("Send now")
            enabled: queue.chat.canSend
            onClicked: queue.outbox.release()
        }
    }
    LayoutRepeater {
        model: queue.outbox
        Rectangle {
            id: card
            required property int index
            required property string text
            required property string files
            required property bool sending
            visible: !sending || queue.settled
            implicitHeight: row.implicitHeight + Theme.space(2)
            radius: Theme.radius
            color: Theme.colors.sunken
            border.width: 1
            border.color: Theme.colors.line
            Layout.fillWidth: true
            Accessible.role: Accessible.ListItem
            Accessible.name: text
            RowLayout {
                id: row
                anchors {
                    left: parent.left
                    right: parent.right
                    verticalCenter: parent.verticalCenter
                    leftMargin: Theme.space(3)
                    rightMargin: Theme.space(1)
                }
                spacing: Theme.space(1)
                ColumnLayout {
                    spacing: 0
                    Layout.fillWidth: true
                    Label {
                        visible: text !== ""
                        text: card.text.slice(0, 300).trim()
                        wrapMode: Text.Wrap
                        maximumLineCount: 2
                        elide: Text.ElideRight
                        Layout.fillWidth: true
                    }
                    Label { visible: text !== ""; text: card.files; kind: "note"; elide: Text.ElideMiddle; Layout.fillWidth: true }
                }
                IconButton {
                    iconName: "pencil"
                    tip: qsTr("Move back to the composer")
                    onClicked: { const list = queue; list.chat.editQueued(card.index); list.recalled() }  // this button goes with its row
                }
                IconButton { iconName: "close"; tip: qsTr("Do not send it"); onClicked: queue.outbox.remove(card.index) }
            }
        }
    }
}
