import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Chat.Blocks
import Minerva.Components
import Minerva.Theme

// One message: the user's in a bubble at the right, the model's as blocks across the column, with its actions below.
Item {
    id: message

    required property int index
    required property int author
    required property int status
    required property string statusText
    required property BlockModel blocks
    required property string text
    required property int versionIndex
    required property int versionCount
    required property string timings
    required property string modelName
    required property var error
    required property int prefillDone
    required property int prefillTotal
    required property bool last

    required property ChatController chat
    required property bool showThinking
    property bool editing: false

    readonly property bool own: author === MessageModel.User
    readonly property bool running: status === MessageModel.Waiting || status === MessageModel.Streaming

    implicitHeight: column.implicitHeight
    Accessible.role: Accessible.ListItem
    Accessible.name: own ? qsTr("You") : (modelName === "" ? qsTr("Reply") : modelName)

    HoverHandler { id: hover }

    ColumnLayout {
        id: column
        width: parent.width
        spacing: Theme.space(2)

        RowLayout {
            visible: message.own && !message.editing
            spacing: Theme.space(1)
            Layout.alignment: Qt.AlignRight
            OwnActions {
                opacity: hover.hovered || activeFocusInside ? 1 : 0
                enabledActions: !message.chat.generating
                onCopy: message.chat.copyMessage(message.index)
                onEdit: message.editing = true
            }
            OwnMessage {
                text: message.text
                Layout.maximumWidth: Math.min(message.width * 0.88, message.width - Theme.space(18))
            }
        }
        MessageEditor {
            visible: message.own && message.editing
            active: message.editing
            original: message.text
            Layout.fillWidth: true
            onAccepted: text => { message.editing = false; message.chat.editAndResend(message.index, text) }
            onCancelled: message.editing = false
        }
        ColumnLayout {
            visible: !message.own
            Layout.fillWidth: true
            spacing: Theme.space(2.5)
            Repeater {
                id: repeater
                model: message.own ? null : message.blocks
                BlockDelegate {
                    Layout.fillWidth: true
                    caret: message.status === MessageModel.Streaming && index === repeater.count - 1
                    showThinking: message.showThinking
                    onCopyRequested: text => message.chat.copyText(text)
                }
            }
        }
        WaitingLine {
            visible: message.status === MessageModel.Waiting
            done: message.prefillDone
            total: message.prefillTotal
            Layout.fillWidth: true
        }
        ErrorCard {
            visible: message.error.isSet
            headline: message.error.headline
            reason: message.error.detail
            hint: message.error.hint
            details: message.error.details
            actionText: message.last ? qsTr("Try again") : ""
            Layout.fillWidth: true
            onAction: message.chat.regenerate(message.index)
            onCopyRequested: text => message.chat.copyText(text)
        }
        MessageFooter {
            visible: !message.running && !message.editing && (!message.own || message.versionCount > 1)
            own: message.own
            statusText: message.statusText
            timings: message.timings
            versionIndex: message.versionIndex
            versionCount: message.versionCount
            enabledActions: !message.chat.generating
            Layout.fillWidth: true
            onCopy: message.chat.copyMessage(message.index)
            onTryAgain: message.chat.regenerate(message.index)
            onBranch: message.chat.branch(message.index)
            onVersion: delta => message.chat.selectVersion(message.index, delta)
        }
    }
}
