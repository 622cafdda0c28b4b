import QtQuick
import QtTest
import Minerva.Chat

// The messages of a conversation: editing.
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
