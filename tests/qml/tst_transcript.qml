import QtQuick
import QtTest
import Minerva.Chat

// The messages of a conversation: editing, scrolling.
Case {
    id: test
    name: "Transcript"
    when: windowShown
    width: 700
    height: 400
    visible: true

    Component { id: transcript; Transcript { chat: conversations; context: contextGuard; showThinking: false; width: 600; height: 300 } }

    function init(): void {
        tryVerify(() => conversations.canSend)
        conversations.newConversation()
    }
    function ask(text: string): void {
        verify(conversations.send(text))
        scripted.say("Yes.")
        scripted.endReply()
        tryVerify(() => conversations.canSend)
    }
    function list(item) { return find(item, child => child.positionViewAtIndex !== undefined) }

    function test_a_drag_leaves_the_end_while_a_reply_is_written(): void {
        verify(conversations.send("Tell me a story"))
        const item = createTemporaryObject(transcript, test)
        scripted.say("A bear.\n\n".repeat(60))
        tryVerify(() => list(item).contentHeight > 2 * list(item).height && list(item).atVeryEnd)
        mousePress(list(item), 4, 50)
        for (let y = 60; y <= 250; y += 10) mouseMove(list(item), 4, y)
        verify(list(item).moving)
        verify(!item.following)
        const place = list(item).contentY, height = list(item).contentHeight
        scripted.say("Another bear.\n\n".repeat(10))
        tryVerify(() => list(item).contentHeight > height)
        compare(list(item).contentY, place)
        mouseRelease(list(item), 4, 250)
        tryVerify(() => !list(item).moving)
        verify(!item.following)
        item.toEnd()
        verify(item.following)
        scripted.endReply()
    }
    function test_the_caret_of_a_long_edit_stays_in_sight(): void {
        ask("Who are you?")
        conversations.beginEdit(0)
        conversations.setEdit(0, "a line\n".repeat(60))
        const item = createTemporaryObject(transcript, test)
        const editor = () => find(item, child => child.getText !== undefined && child.cursorPosition !== undefined && !child.readOnly)
        tryVerify(() => editor() !== null)
        const seen = () => {
            const at = editor().mapToItem(item, 0, editor().cursorRectangle.y).y
            return at >= 0 && at + editor().cursorRectangle.height <= item.height
        }
        item.toEnd()
        tryVerify(() => list(item).atVeryEnd && list(item).contentHeight > 2 * item.height)
        editor().forceActiveFocus()
        editor().cursorPosition = 0
        tryVerify(seen)
        verify(!item.following)
        for (let line = 0; line < 30; ++line) keyClick(Qt.Key_Down)
        tryVerify(seen)
        keyClick(Qt.Key_End, Qt.ControlModifier)
        tryVerify(seen)
        keyClick(Qt.Key_X)
        tryVerify(seen)
        conversations.cancelEdit(0)
        conversations.dismissCancel()
    }
    function test_messages_have_a_menu_of_the_right_button(): void {
        ask("Who are you?")
        const item = createTemporaryObject(transcript, test)
        const text = () => find(item, child => child.getText !== undefined && child.readOnly && child.getText(0, child.length) === "Yes.")
        tryVerify(() => text() !== null)
        tryVerify(() => find(item, isPolishScheduled) === null)
        mouseClick(text(), 8, 8, Qt.RightButton)
        const entry = name => find(test.Window.window.contentItem, child => child.text === name && child.visible && child.triggered)
        tryVerify(() => entry("Select all") !== null)
        compare(entry("Paste"), null)
        verify(!entry("Copy").enabled)
        entry("Select all").triggered()
        compare(text().selectedText, "Yes.")
    }
    // Also where the message's row was made while it was being edited, as after scrolling.
    function test_a_cancelled_edit_does_not_come_back(): void {
        ask("Who are you?")
        conversations.beginEdit(0)
        conversations.setEdit(0, "Who?")
        const item = createTemporaryObject(transcript, test)
        const text = () => find(item, child => child.getText !== undefined && child.cursorPosition !== undefined && !child.readOnly)?.text
        tryVerify(() => text() === "Who?")
        conversations.cancelEdit(0)
        tryVerify(() => text() === undefined)
        conversations.beginEdit(0)
        tryVerify(() => text() !== undefined)
        compare(text(), "Who are you?")
        conversations.cancelEdit(0)
    }
}
