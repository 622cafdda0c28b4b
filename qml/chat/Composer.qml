import QtQuick
import QtQuick.Layouts
import QtQuick.Dialogs
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The message editor: Enter sends, Shift+Enter inserts a line break, Esc stops. Grows with its text up to a third of the page.
Rectangle {
    id: composer

    required property ChatController chat
    required property ContextGuard context
    required property Presets presets
    required property string modelName
    property string modelPath: modelName  // key of the settings stored per model
    property real maximumHeight: 300
    readonly property bool sendable: (edit.text.trim() !== "" || chips.count > 0) && !chat.attachments.reading
    // The width of the bar's buttons, and whether the control of reasoning has room beside them; otherwise it is above them.
    readonly property real taken: attachButton.implicitWidth + presetButton.width + sendButton.implicitWidth +
        (promptButton.visible ? promptButton.implicitWidth + bar.spacing : 0) + 3 * bar.spacing
    readonly property bool beside: reasoning.wanted && taken + reasoning.implicitWidth + bar.spacing <= bar.width
    readonly property real spare: bar.width - taken - (beside ? reasoning.implicitWidth + bar.spacing : 0)

    signal promptRequested()
    signal attachmentRequested(int row)
    signal presetRequested(string presetId)  // edit this preset; "": a new one
    signal endRequested()                    // of the messages: one was sent, or the caret is at the end already

    function focusText(): void { edit.forceActiveFocus() }
    // Inserts a key that was typed while another item had the focus.
    function type(text: string): void { focusText(); edit.insert(edit.cursorPosition, text) }
    function attach(): void { fileDialog.open() }
    function submit(): void {
        const queues = chat.generating  // a message that waits is not among those shown
        if (context.send(edit.text) && !queues) endRequested()  // it is in the outbox immediately
    }

    implicitHeight: Math.min(maximumHeight,
        edit.implicitHeight + line.height + bar.implicitHeight + chips.height + chips.anchors.topMargin + Theme.space(5.5))
    radius: Theme.bubbleRadius
    color: Theme.colors.surface
    border.width: edit.activeFocus && edit.byKeyboard ? Theme.focusWidth : 1
    border.color: edit.activeFocus ? Theme.colors.accent : Theme.colors.line

    // The only shadow in the window: two faint layers.
    Repeater {
        model: 2
        Rectangle {
            required property int index
            z: -1
            anchors { fill: parent; margins: -1 - index; topMargin: 1; bottomMargin: -2 - 2 * index }
            radius: composer.radius + 1 + index
            color: "#000000"
            opacity: Theme.dark ? 0.12 : 0.025
        }
    }

    AttachmentChips {
        id: chips
        anchors {
            left: parent.left
            right: parent.right
            top: parent.top
            topMargin: count > 0 ? Theme.space(2.5) : 0
            leftMargin: Theme.space(3)
            rightMargin: Theme.space(3)
        }
        files: composer.chat.attachments
        maximumHeight: composer.maximumHeight / 2
        onShowRequested: row => composer.attachmentRequested(row)
        onRemoveRequested: row => {
            composer.chat.attachments.remove(row)
            if (count > 0) focusChip(Math.min(row, count - 1)); else composer.focusText()
        }
    }
    FileDialog {
        id: fileDialog
        title: qsTr("Attach text files")
        fileMode: FileDialog.OpenFiles
        nameFilters: [qsTr("All files (*)")]
        onAccepted: { composer.chat.attachments.add(selectedFiles); composer.focusText() }
        onRejected: composer.focusText()
    }
    Flickable {
        id: flick
        anchors {
            left: parent.left
            right: parent.right
            top: chips.bottom
            bottom: line.top
            margins: Theme.space(1)
            topMargin: Theme.space(1.5)
        }
        clip: true
        contentHeight: edit.implicitHeight
        boundsBehavior: Flickable.StopAtBounds
        interactive: contentHeight > height
        T.ScrollBar.vertical: ScrollBar {}
        T.TextArea.flickable: TextEditor {
            id: edit
            leftPadding: Theme.space(3)
            rightPadding: Theme.space(3)
            topPadding: Theme.space(2)
            bottomPadding: Theme.space(2)
            placeholderText: composer.modelName === "" ? qsTr("Open a model to start") : qsTr("Ask %1...").arg(composer.modelName)
            Component.onCompleted: showDraft()
            onTextChanged: if (text !== composer.chat.draft) composer.chat.draft = text
            Accessible.name: qsTr("Message")
            ownPaste: () => composer.chat.attachments.paste()
            property bool byKeyboard: false
            // A text may be put before the one that is there: the caret of a person who is typing then stays where it is in theirs, and
            // otherwise comes after the text put in. In any other text it comes to the end.
            function showDraft(): void {
                const draft = composer.chat.draft, before = text, behind = length - cursorPosition
                if (draft === before) return
                text = draft
                const added = before !== "" && draft.endsWith(before) ? draft.slice(0, -before.length).replace(/\s+$/, "") : ""
                cursorPosition = added === "" ? length : activeFocus ? length - behind : added.length
            }
            onActiveFocusChanged: byKeyboard = activeFocus && (focusReason === Qt.TabFocusReason || focusReason === Qt.BacktabFocusReason)
            Keys.onPressed: event => {
                const enter = event.key === Qt.Key_Return || event.key === Qt.Key_Enter
                if (enter && !(event.modifiers & (Qt.ShiftModifier | Qt.ControlModifier | Qt.AltModifier))) {
                    event.accepted = true
                    composer.submit()
                } else if (event.matches(StandardKey.Paste)) {
                    event.accepted = ownPaste()  // true if it became files; other text is left to the editor
                } else if (event.matches(StandardKey.Undo) && !edit.canUndo && composer.chat.canUndoDelete) {
                    event.accepted = true  // no text to undo: restore the deleted conversation
                    composer.chat.undoDelete()
                } else if (event.matches(StandardKey.MoveToEndOfDocument) && cursorPosition === length && selectedText === "") {
                    event.accepted = true
                    composer.endRequested()
                } else if (event.key === Qt.Key_Tab) {
                    event.accepted = true
                    nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason)
                } else if (event.key === Qt.Key_Backtab) {
                    event.accepted = true
                    nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
                }
            }
            Connections {
                target: composer.chat
                function onDraftChanged() { edit.showDraft() }
            }
        }
    }
    Item {
        id: line
        anchors { left: bar.left; right: bar.right; bottom: bar.top }
        height: reasoning.wanted && !composer.beside ? reasoning.implicitHeight : 0
    }
    RowLayout {
        id: bar
        anchors { left: parent.left; right: parent.right; bottom: parent.bottom; margins: Theme.space(2.5); leftMargin: Theme.space(2) }
        spacing: Theme.space(2)
        IconButton { id: attachButton; iconName: "attach"; tip: Actions.tip("chat.attach"); onClicked: composer.attach() }
        Button {
            id: presetButton
            kind: "quiet"
            text: composer.chat.preset
            tip: qsTr("Preset: system prompt and sampling")
            Accessible.name: qsTr("Preset: %1").arg(composer.chat.preset)
            iconName: "chevron-down"
            iconAtEnd: true
            Layout.maximumWidth: Theme.space(55)
            onClicked: presetMenu.visible ? presetMenu.close() : presetMenu.open()
            PresetMenu {
                id: presetMenu
                y: -height - Theme.space(1)
                presets: composer.presets
                chat: composer.chat
                modelName: composer.modelName
                modelPath: composer.modelPath
                onEditRequested: presetId => composer.presetRequested(presetId)
            }
        }
        Item {
            id: place
            visible: composer.beside
            implicitWidth: reasoning.implicitWidth
            implicitHeight: reasoning.implicitHeight
            ReasoningControl {
                id: reasoning
                parent: composer.beside ? place : line
                anchors { left: parent.left; verticalCenter: parent.verticalCenter }
                chat: composer.chat
            }
        }
        ContextMeter { context: composer.context; writing: composer.chat.generating; Layout.fillWidth: true }
        IconButton {
            id: promptButton
            visible: composer.context.known && composer.context.tokens > 0
            iconName: "file"
            tip: Actions.tip("chat.prompt")
            onClicked: composer.promptRequested()
        }
        Label {
            kind: "note"
            visible: composer.width > Theme.space(120) && implicitWidth + bar.spacing <= composer.spare
            text: composer.chat.stopping ? qsTr("Stopping...") : composer.chat.generating ? (composer.sendable ? qsTr("Enter queues, Esc stops") : qsTr("Esc stops")) :
                composer.chat.attachments.reading ? qsTr("Reading the file") :
                !composer.sendable ? "" :
                composer.chat.canSend ? qsTr("Enter sends") : qsTr("Enter queues")
        }
        IconButton {
            id: sendButton
            readonly property bool stops: composer.chat.generating
            kind: "main"
            iconName: stops ? "stop" : "arrow-up"
            tip: stops ? Actions.tip("app.stop") : Actions.tip("chat.send")
            enabled: stops || composer.sendable
            onClicked: stops ? composer.chat.stop() : composer.submit()
        }
    }
}
