import QtQuick
import QtTest
import Minerva.Chat
import Minerva.Theme

// The context meter, the question before a message that does not fit is sent, the line where the prompt begins, the prompt
// sheet.
Case {
    id: test
    name: "Context"
    when: windowShown
    width: 800
    height: 500
    visible: true

    Component { id: meter; ContextMeter { context: contextGuard; width: 300 } }
    Component { id: card; ContextCard { context: contextGuard; visible: contextGuard.blocked; width: 700 } }
    Component { id: line; CutLine { messages: 12; tokens: 3410; enabledActions: true; width: 700 } }
    Component { id: sheet; PromptSheet { prompt: promptView; parent: test } }
    SignalSpy { id: spy }

    function words(count) { return Array(count).fill("w").join(" ") }
    function say(count) {
        const before = countedChat.messages.count
        contextGuard.send(words(count))
        tryVerify(() => countedChat.messages.count === before + 2 && !countedChat.generating)
    }

    function test_1_the_meter_counts_the_draft(): void {
        const item = createTemporaryObject(meter, test)
        countedChat.draft = words(7)
        tryCompare(contextGuard, "tokens", 8)
        verify(find(item, child => child.text === "Next prompt: 8 of 100 tokens" && child.visible) !== null)
        compare(item.Accessible.name, "Next prompt: 8 of 100 tokens")
        item.width = 160  // too narrow for the words
        tryVerify(() => find(item, child => child.text === "8 of 100 tokens" && child.visible) !== null)
        item.writing = true  // the prompt and the reply so far
        compare(item.Accessible.name, "8 of 100 tokens")
        verify(Qt.colorEqual(item.ink, Theme.colors.accent))
        countedChat.draft = words(80)
        tryCompare(contextGuard, "tokens", 81)
        verify(Qt.colorEqual(item.ink, Theme.colors.warn))
        countedChat.draft = words(120)
        tryCompare(contextGuard, "tokens", 121)
        verify(Qt.colorEqual(item.ink, Theme.colors.bad))
        countedChat.draft = ""
    }
    function test_2_the_card_asks_and_escape_keeps_editing(): void {
        const item = createTemporaryObject(card, test)
        verify(!item.visible)
        say(10)
        countedChat.draft = words(30)
        contextGuard.send(countedChat.draft)
        tryVerify(() => item.visible)
        verify(find(item, child => child.text !== undefined && child.text.includes("81 tokens") && child.text.includes("6 too many")) !== null)
        verify(find(item, child => child.visible && child.text === "Drop the oldest 2 (50 tokens)") !== null)
        verify(find(item, child => child.visible && child.text === "Shorter reply (at most 19 tokens)") !== null)
        verify(find(item, child => child.visible && child.text === "Load with a context of 200 (+ 0.1 MB)") !== null || find(item, child => child.visible && child.text !== undefined && child.text.startsWith("Load with a context of 200")) !== null)
        for (const button of ["Keep editing", "Drop the oldest 2 (50 tokens)"]) {
            const found = find(item, child => child.text === button)
            verify(found.mapToItem(item, found.width, 0).x <= item.width)
        }
        keyClick(Qt.Key_Escape)
        verify(!item.visible)
        compare(countedChat.draft, words(30))
        compare(countedChat.messages.count, 2)
    }
    function test_3_dropping_is_a_click(): void {
        const item = createTemporaryObject(card, test)
        contextGuard.send(countedChat.draft)
        tryVerify(() => item.visible)
        const button = find(item, child => child.text === "Drop the oldest 2 (50 tokens)" && child.clicked !== undefined)
        click(button)
        verify(!item.visible)
        tryVerify(() => countedChat.messages.count === 4 && !countedChat.generating)
        compare(countedChat.draft, "")
    }
    function test_4_the_line_says_what_is_left_out(): void {
        const item = createTemporaryObject(line, test)
        verify(find(item, child => child.text === "Left out of the prompt from here up: 12 message(s), 3,410 tokens") !== null)
        spy.target = item
        spy.signalName = "putBack"
        click(find(item, child => child.text === "Put back" && child.clicked !== undefined))
        compare(spy.count, 1)
    }
    function test_5_the_sheet_shows_the_prompt(): void {
        const item = createTemporaryObject(sheet, test)
        countedChat.draft = "one two"
        promptView.showNext()
        item.open()
        tryVerify(() => item.opened && promptView.count === 3)  // after the cut: a question, its reply, the draft
        const list = find(item.contentItem, child => child.model === promptView)
        tryVerify(() => list.count === 3)
        verify(find(item.contentItem, child => child.text !== undefined && child.text.startsWith(promptView.total + " tokens of a context of 100")) !== null)
        verify(Qt.colorEqual(promptView.specialColor, Theme.colors.mlx))
        keyClick(Qt.Key_Escape)
        tryVerify(() => !item.opened)
        countedChat.draft = ""
    }
}
