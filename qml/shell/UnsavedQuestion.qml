import QtQuick
import QtQuick.Dialogs
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Asks before the window is closed although conversations are not in a file that stays. Esc leaves the window open.
T.Popup {
    id: question

    required property ChatController chat
    signal closeRequested()  // try again to save
    signal lossAccepted()

    parent: T.Overlay.overlay
    x: parent ? Math.round((parent.width - width) / 2) : 0
    y: parent ? Math.round((parent.height - height) / 2) : 0
    width: Math.min(Theme.space(120), (parent ? parent.width : 0) - Theme.space(8))
    implicitHeight: contentItem.implicitHeight + 2 * padding
    padding: Theme.space(5)
    modal: true
    dim: true
    focus: true
    closePolicy: T.Popup.CloseOnEscape
    onOpened: again.forceActiveFocus()
    background: Rectangle { radius: Theme.cardRadius; color: Theme.colors.surface; border.width: 1; border.color: Theme.colors.line }
    T.Overlay.modal: Rectangle { color: Qt.rgba(0, 0, 0, Theme.dark ? 0.5 : 0.25) }

    contentItem: ColumnLayout {
        spacing: Theme.space(3)
        Label { text: qsTr("Not everything is saved"); kind: "header"; wrapMode: Text.Wrap; Layout.fillWidth: true }
        Label {
            text: qsTr("Closing Minerva now loses what was written since it could last be saved.")
            wrapMode: Text.Wrap
            Layout.fillWidth: true
            Accessible.role: Accessible.AlertMessage
        }
        Label {
            visible: text !== ""
            text: [question.chat.storeError.detail, question.chat.storeError.hint].filter(part => part !== "").join(". ")
            kind: "note"
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
        Label { visible: text !== ""; text: question.chat.importNote; kind: "note"; wrapMode: Text.Wrap; Layout.fillWidth: true }
        Flow {
            spacing: Theme.space(2)
            layoutDirection: Qt.RightToLeft
            Layout.topMargin: Theme.space(2)
            Layout.fillWidth: true
            Button { id: again; kind: "main"; text: qsTr("Try again"); onClicked: { question.close(); question.closeRequested() } }
            Button { text: qsTr("Export..."); onClicked: exportDialog.open() }
            Button { kind: "danger"; text: qsTr("Close and lose it"); onClicked: question.lossAccepted() }
        }
    }
    FolderDialog {
        id: exportDialog
        title: qsTr("Export the conversations of this session")
        onAccepted: question.chat.exportRead(selectedFolder)
    }
}
