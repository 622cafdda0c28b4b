import QtQuick
import QtQuick.Layouts
import Minerva.Components
import Minerva.Theme

// Edits a message that was sent. Enter sends a new version, Esc gives up; nothing is overwritten. In a reply, which has
// paragraphs, Enter begins a line: Ctrl+S saves it as it is, Ctrl+Enter lets the model go on from there.
Rectangle {
    id: editor

    required property string original
    property bool emptyAllowed: false  // the message has files
    readonly property bool complete: emptyAllowed || edit.text.trim() !== ""
    property bool reply: false
    property bool canContinue: true
    signal accepted(string text)
    signal saved(string text)  // of a reply: as it is
    signal cancelled()

    implicitHeight: column.implicitHeight + Theme.space(5)
    radius: Theme.bubbleRadius
    color: Theme.colors.surface
    border.width: Theme.focusWidth
    border.color: Theme.colors.accent
    Component.onCompleted: { edit.text = original; edit.forceActiveFocus(); edit.cursorPosition = edit.length }

    ColumnLayout {
        id: column
        anchors { left: parent.left; right: parent.right; top: parent.top; margins: Theme.space(2.5); leftMargin: Theme.space(3.5) }
        spacing: Theme.space(2)
        TextEdit {
            id: edit
            Layout.fillWidth: true
            wrapMode: TextEdit.Wrap
            selectByMouse: true
            color: Theme.colors.text
            selectionColor: Theme.colors.accent
            selectedTextColor: Theme.colors.accentInk
            font.family: Theme.sans
            font.pixelSize: Theme.bodySize
            Accessible.name: editor.reply ? qsTr("Edit reply") : qsTr("Edit message")
            Keys.onPressed: event => {
                const enter = event.key === Qt.Key_Return || event.key === Qt.Key_Enter
                if (editor.reply && event.key === Qt.Key_S && event.modifiers === Qt.ControlModifier) {
                    event.accepted = true
                    if (editor.complete) editor.saved(edit.text)
                } else if (enter && (editor.reply ? event.modifiers & Qt.ControlModifier : !(event.modifiers & Qt.ShiftModifier))) {
                    event.accepted = true
                    if (editor.complete && (!editor.reply || editor.canContinue)) editor.accepted(edit.text)
                } else if (event.key === Qt.Key_Escape) {
                    event.accepted = true
                    editor.cancelled()
                } else if (event.key === Qt.Key_Tab || event.key === Qt.Key_Backtab) {
                    event.accepted = true
                    const forward = event.key === Qt.Key_Tab
                    nextItemInFocusChain(forward).forceActiveFocus(forward ? Qt.TabFocusReason : Qt.BacktabFocusReason)
                }
            }
        }
        RowLayout {
            Layout.alignment: Qt.AlignRight
            spacing: Theme.space(2)
            Button { kind: "quiet"; text: qsTr("Cancel"); onClicked: editor.cancelled() }
            Button { visible: editor.reply; text: qsTr("Save"); tip: qsTr("A version with this text  Ctrl+S"); enabled: editor.complete; onClicked: editor.saved(edit.text) }
            Button {
                kind: "main"
                text: editor.reply ? qsTr("Save and continue") : qsTr("Send")
                tip: editor.reply ? qsTr("The model goes on from the end of this text  Ctrl+Enter") : ""
                enabled: editor.complete && (!editor.reply || editor.canContinue)
                onClicked: editor.accepted(edit.text)
            }
        }
    }
}
