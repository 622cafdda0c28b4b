import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Edits a sent message. Enter sends it as a new version, Esc cancels; nothing is overwritten. In replies, which have several
// paragraphs, Enter inserts a line break, Ctrl+S saves and Ctrl+Enter lets the model continue from there.
Rectangle {
    id: editor

    required property string original
    property bool emptyAllowed: false  // the message has files
    readonly property bool complete: emptyAllowed || edit.text.trim() !== ""
    property bool reply: false
    property bool canSend: true  // a model could reply now
    property bool canSave: true
    property bool takesEsc: true  // false while a card has it
    signal typed(string text)
    signal accepted(string text)
    signal saved(string text)  // a reply, unchanged
    signal cancelled()
    signal caretMoved(real top, real bottom)  // while it has the focus

    implicitHeight: column.implicitHeight + Theme.space(5)
    radius: Theme.bubbleRadius
    color: Theme.colors.surface
    border.width: Theme.focusWidth
    border.color: Theme.colors.accent

    function focusText(): void { edit.forceActiveFocus() }
    // Afterwards, because a text that grew has its new height only then.
    function tellCaret(): void {
        if (!edit.activeFocus) return
        const at = edit.mapToItem(editor, 0, edit.cursorRectangle.y).y
        caretMoved(at, at + edit.cursorRectangle.height)
    }
    function accept(): void { if (complete && canSend) accepted(edit.text) }
    function save(): void { if (complete && canSave) saved(edit.text) }
    Component.onCompleted: {
        edit.text = original
        edit.cursorPosition = edit.length
        column.forceLayout()  // its height is final on creation, as a message's must be
        edit.textChanged.connect(() => editor.typed(edit.text))
    }

    // A Column, because a layout would give the text its width one frame later.
    Column {
        id: column
        anchors { left: parent.left; right: parent.right; top: parent.top; margins: Theme.space(2.5); leftMargin: Theme.space(3.5) }
        spacing: Theme.space(2)
        TextEdit {
            id: edit
            width: column.width
            wrapMode: TextEdit.Wrap
            selectByMouse: true
            color: Theme.colors.text
            selectionColor: Theme.colors.accent
            selectedTextColor: Theme.colors.accentInk
            font.family: Theme.sans
            font.pixelSize: Theme.bodySize
            onCursorRectangleChanged: if (activeFocus) Qt.callLater(editor.tellCaret)
            Accessible.name: editor.reply ? qsTr("Edit reply") : qsTr("Edit message")
            Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Escape && editor.takesEsc
            Keys.onPressed: event => {
                const enter = event.key === Qt.Key_Return || event.key === Qt.Key_Enter
                if (editor.reply && event.key === Qt.Key_S && event.modifiers === Qt.ControlModifier) {
                    event.accepted = true
                    editor.save()
                } else if (enter && (editor.reply ? event.modifiers & Qt.ControlModifier : !(event.modifiers & Qt.ShiftModifier))) {
                    event.accepted = true
                    editor.accept()
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
            width: column.width
            spacing: Theme.space(2)
            Label {
                text: editor.canSend ? "" : qsTr("Can be sent when no reply is being written and a model is ready")
                kind: "note"
                wrapMode: Text.Wrap
                horizontalAlignment: Text.AlignLeft
                Layout.fillWidth: true
            }
            Button { kind: "quiet"; text: qsTr("Cancel"); onClicked: editor.cancelled() }
            Button {
                visible: editor.reply
                text: qsTr("Save")
                tip: qsTr("Save as a new version") + "  " + Actions.nativeKeys("Ctrl+S")
                enabled: editor.complete && editor.canSave
                onClicked: editor.save()
            }
            Button {
                kind: "main"
                text: editor.reply ? qsTr("Save and continue") : qsTr("Send")
                tip: editor.reply ? qsTr("The model continues from the end of this text") + "  " + Actions.nativeKeys("Ctrl+Enter") : ""
                enabled: editor.complete && editor.canSend
                onClicked: editor.accept()
            }
        }
    }
}
