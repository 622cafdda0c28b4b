import QtQuick
import QtTest
import Minerva.Chat
import Minerva.Theme

Case {
    id: test
    name: "Messages"
    when: windowShown
    width: 700
    height: 400
    visible: true

    Component { id: own; OwnMessage { text: "Hello" } }
    Component { id: editor; MessageEditor { original: "Hello"; width: 400 } }
    Component {
        id: footer
        MessageFooter { own: false; statusText: ""; timings: "TTFT 198 ms"; versionIndex: 2; versionCount: 3; enabledActions: true; width: 600 }
    }
    Component { id: bar; PanelBar { name: "Memory"; figure: "0.86 GB"; total: 10; parts: []; unit: "MB"; width: 200 } }
    Component { id: transcript; Transcript { chat: conversations; context: contextGuard; showThinking: false; width: 600; height: 300 } }
    Component { id: sheet; TextSheet { chat: conversations; parent: test } }
    SignalSpy { id: spy }
    SignalSpy { id: cancelled; signalName: "cancelled" }
    SignalSpy { id: saved; signalName: "saved" }

    function test_own_text_is_shown_as_typed(): void {
        const item = createTemporaryObject(own, test, { text: "a < b && <b>c</b>\n  two spaces" })
        const edit = find(item, child => child.getText !== undefined)
        compare(edit.getText(0, edit.length).replace(/[\u2028\u2029]/g, "\n"), "a < b && <b>c</b>\n  two spaces")
    }
    function test_own_text_of_one_line_has_one_line_at_every_scale(): void {
        const words = "Who are you? \u4f60\u597d\uff0c\u4f60\u662f\u8c01\uff1f \u05e9\u05dc\u05d5\u05dd"
        const turned = createTemporaryObject(own, test, { text: words })
        for (const scale of [0.75, 0.9, 1, 1.1, 1.25, 1.5, 2]) {
            Theme.scale = scale
            const made = createTemporaryObject(own, test, { text: words })
            for (const item of [made, turned]) {
                const edit = find(item, child => child.getText !== undefined)
                tryVerify(() => edit.lineCount === 1, 1000, "at " + scale)
                tryVerify(() => item.implicitHeight >= edit.contentHeight && item.implicitHeight < edit.contentHeight + Theme.space(5), 1000, "at " + scale)
            }
        }
        Theme.scale = 1
    }
    function test_of_a_very_long_message_the_beginning_is_shown(): void {
        const much = "x < y & z ".repeat(800), more = much + "and more"
        const item = createTemporaryObject(own, test, { text: much, width: 500 })
        const shown = () => { const edit = find(item, child => child.getText !== undefined); return edit.getText(0, edit.length) }
        const button = () => find(item, child => child.clicked !== undefined)
        compare(shown(), much)
        compare(button(), null)
        const height = item.implicitHeight
        item.text = more  // as when another version of the message is chosen
        verify(shown().startsWith("x < y & z x < y & z ") && shown().endsWith("..."))
        tryVerify(() => item.implicitHeight < height / 3)
        compare(button().text, "Show all 8,008 characters")
        verify(button().mapToItem(item, 0, button().height).y <= item.implicitHeight)
        spy.target = item
        spy.signalName = "wholeRequested"
        spy.clear()
        click(button())
        compare(spy.count, 1)
        item.text = much
        compare(shown(), much)
        const narrow = createTemporaryObject(own, test, { text: "1\n".repeat(5000) })
        verify(narrow.implicitHeight < 20 * 30)
        const below = find(narrow, child => child.clicked !== undefined)
        verify(below.mapToItem(narrow, below.width, 0).x <= narrow.width)
        const faces = createTemporaryObject(own, test, { text: "x" + "\ud83d\ude00".repeat(5000) })
        compare(find(faces, child => child.getText !== undefined).getText(998, 1005), "\ude00...")
    }
    function test_a_very_long_message_is_whole_in_its_sheet(): void {
        const much = "all my days are trances ".repeat(10000)
        tryVerify(() => conversations.canSend)
        const row = conversations.messages.count
        verify(conversations.send(much))
        const item = createTemporaryObject(transcript, test, { following: false })
        spy.target = item
        spy.signalName = "textRequested"
        spy.clear()
        const button = () => find(item, child => child.text === "Show all 240,000 characters" && child.clicked !== undefined)
        tryVerify(() => { item.reveal(row); return button() !== null })
        button().clicked()
        compare(spy.signalArguments[0][0], row)
        const drawer = createTemporaryObject(sheet, test)
        drawer.showMessage(row)
        tryVerify(() => drawer.opened)
        compare(drawer.shown.text, much)
        const part = find(drawer.contentItem, child => child.selectAll !== undefined)
        verify(part.text.length < 10000 && much.startsWith(part.text))
        drawer.showMessage(row + 5)  // there is no such row: nothing changes
        compare(drawer.shown.text, much)
        drawer.close()
        tryVerify(() => !drawer.visible)
        scripted.endReply()
    }
    function test_the_editor_sends_with_enter_and_gives_up_with_escape(): void {
        const item = createTemporaryObject(editor, test)
        item.focusText()
        spy.signalName = "accepted"
        spy.target = item
        spy.clear()
        cancelled.target = item
        cancelled.clear()
        keyClick(Qt.Key_X)
        keyClick(Qt.Key_Return, Qt.ShiftModifier)
        keyClick(Qt.Key_Y)
        compare(spy.count, 0)
        keyClick(Qt.Key_Return)
        compare(spy.count, 1)
        compare(spy.signalArguments[0][0], "Hellox\ny")
        keyClick(Qt.Key_Escape)
        compare(cancelled.count, 1)
    }
    function test_a_reply_is_saved_or_gone_on_with(): void {
        const item = createTemporaryObject(editor, test, { reply: true })
        item.focusText()
        spy.signalName = "accepted"
        spy.target = item
        spy.clear()
        saved.target = item
        saved.clear()
        keyClick(Qt.Key_Return)  // a line break, because replies have paragraphs
        keyClick(Qt.Key_X)
        compare(spy.count, 0)
        keyClick(Qt.Key_S, Qt.ControlModifier)
        compare(saved.count, 1)
        compare(saved.signalArguments[0][0], "Hello\nx")
        keyClick(Qt.Key_Return, Qt.ControlModifier)
        compare(spy.count, 1)
        compare(spy.signalArguments[0][0], "Hello\nx")
        item.canSend = false  // no model is loaded; saving is still possible
        keyClick(Qt.Key_Return, Qt.ControlModifier)
        compare(spy.count, 1)
        verify(!find(item, child => child.text === "Save and continue" && child.clicked !== undefined).enabled)
        const save = find(item, child => child.text === "Save" && child.clicked !== undefined)
        compare(save.tip, "Save as a new version  Ctrl+S")
        click(save)
        compare(saved.count, 2)
    }
    function test_more_of_a_reply_is_offered_where_there_is_room(): void {
        tryVerify(() => conversations.canSend)
        const item = createTemporaryObject(transcript, test)
        const offers = () => find(item, child => child.text === "Continue" && child.clicked !== undefined) !== null
        const ask = (prompt, reply) => {
            conversations.newConversation()
            verify(conversations.send("Tell me"))
            scripted.say("So far")
            scripted.endFull(prompt, reply)
            tryVerify(() => find(item, child => child.text === "Try again" && child.clicked !== undefined) !== null)
        }
        ask(50, 40)  // the context holds 100 tokens, and a reply needs at least 16
        verify(!offers())
        ask(50, 30)  // the context has been enlarged since
        tryVerify(offers)
        conversations.newConversation()
    }
    function test_the_footer_continues_and_edits(): void {
        const item = createTemporaryObject(footer, test, { continuable: true, statusText: "Stopped" })
        spy.signalName = "goOn"
        spy.target = item
        spy.clear()
        click(find(item, child => child.text === "Continue" && child.clicked !== undefined))
        compare(spy.count, 1)
        spy.signalName = "edit"
        spy.clear()
        click(find(item, child => child.iconName === "pencil"))
        compare(spy.count, 1)
        item.continuable = false
        tryVerify(() => !find(item, child => child.text === "Continue" && child.clicked !== undefined))
    }
    function test_what_answers_nothing_is_not_written_again(): void {
        const item = createTemporaryObject(footer, test, { replaceable: false, width: 1200 })
        const shown = text => { const button = find(item, child => child.text === text && child.clicked !== undefined); return button !== null && button.visible }
        verify(shown("Copy") && shown("Branch"))
        verify(!shown("Try again") && !shown("Prompt"))
        verify(!find(item, child => child.iconName === "pencil")?.visible)
        item.replaceable = true
        tryVerify(() => shown("Try again") && shown("Prompt"))
    }
    function test_the_footer_turns_to_other_versions(): void {
        const item = createTemporaryObject(footer, test)
        spy.signalName = "version"
        spy.target = item
        spy.clear()
        const next = find(item, child => child.tip === "Next version")
        const previous = find(item, child => child.tip === "Previous version")
        click(next)
        click(previous)
        compare(spy.count, 2)
        compare(spy.signalArguments[0][0], 1)
        compare(spy.signalArguments[1][0], -1)
        item.versionIndex = 3
        verify(!next.enabled)
        item.enabledActions = false
        verify(!previous.enabled)
        item.versionCount = 1
        verify(!previous.visible)
    }
    function test_the_footer_stays_inside_a_narrow_column(): void {
        const item = createTemporaryObject(footer, test, { width: 330, timings: "TTFT 1,198 ms · 39.1 tok/s", statusText: "Stopped" })
        const timings = find(item, child => child.text === item.timings)
        tryVerify(() => timings.x + timings.width <= item.width + 1)
        for (const child of Array.from(item.children)) verify(!child.visible || child.x >= -Theme.space(2) - 1)
    }
    function test_actions_can_wait_and_nothing_moves_for_them(): void {
        const there = createTemporaryObject(footer, test), later = createTemporaryObject(footer, test, { actionsWanted: false, actionsWidth: 0 })
        const copyOf = item => find(item, child => child.text === "Copy" && child.clicked !== undefined)
        later.actionsWidth = find(there, child => child.room !== undefined).width
        compare(copyOf(later), null)
        for (const width of [330, 600, 900]) {
            there.width = later.width = width
            tryCompare(later, "implicitHeight", there.implicitHeight)
        }
        later.actionsWanted = true
        verify(copyOf(later) !== null)
        compare(later.implicitHeight, there.implicitHeight)
        later.actionsWanted = false  // existing buttons stay
        verify(copyOf(later) !== null)
        spy.signalName = "copy"
        spy.target = later
        spy.clear()
        click(copyOf(later))
        compare(spy.count, 1)
    }
    function test_nothing_in_the_footer_covers_anything(): void {
        const item = createTemporaryObject(footer, test, { continuable: true, timings: "TTFT 1,198 ms · 39.1 tok/s", statusText: "Stopped at the limit of the context" })
        const timing = find(item, child => child.text === item.timings)
        for (const status of ["Stopped", "Stopped at the limit of the context", "Ended because the context is full: 55 + 37 tokens"]) for (let width = 340; width <= 900; width += 20) {
            item.statusText = status
            item.width = width
            wait(1)
            compare(timing.width, timing.implicitWidth, "at " + width)
            const parts = Array.from(item.children).filter(child => child.visible && child.width > 0)
            for (const a of parts) {
                verify(a.y + a.height <= item.implicitHeight, "at " + width)
                for (const b of parts) verify(a === b || a.y + a.height <= b.y || b.y + b.height <= a.y || a.x + a.width <= b.x + 1 || b.x + b.width <= a.x + 1, "at " + width)
            }
        }
    }
    // Items moved during a frame's own layout are drawn, but request another, empty frame.
    function test_a_growing_reply_is_in_its_place_before_its_frame(): void {
        tryVerify(() => conversations.canSend)
        verify(conversations.send("Tell me"))
        const item = createTemporaryObject(transcript, test)
        const list = find(item, child => child.positionViewAtEnd !== undefined)
        scripted.say("words ".repeat(300))
        tryVerify(() => list.atVeryEnd && list.contentHeight > item.height)
        for (let text = 0; text < 10; ++text) {
            waitForRendering(item, 200)
            const before = list.contentHeight
            scripted.say("many more words ".repeat(20))
            const height = list.contentHeight, y = list.contentY
            verify(height > before)
            waitForRendering(item)
            compare(list.contentHeight, height)
            compare(list.contentY, y)
            verify(list.atVeryEnd)
        }
        scripted.endReply()
        // The width of a reply's actions is known before they are created.
        for (const width of [420, 480, 600]) {
            item.width = width
            const row = () => find(list, child => child.plainWidth !== undefined)
            tryVerify(() => row() !== null && Math.abs(row().plainWidth - row().implicitWidth) < 0.01 && row().width === row().plainWidth, 1000, "at " + width)
        }
        // A rejected edit reopens its editor, even if its row is not in view.
        verify(list.itemAtIndex(0) === null || list.itemAtIndex(0).y + list.itemAtIndex(0).height < list.contentY)
        conversations.setEdit(0, "typed and too long")
        contextGuard.editRejected(0)
        const editor = find(list, child => child.original === "typed and too long")
        verify(editor !== null)
        verify(editor.mapToItem(item, 0, 0).y >= 0)
    }
    function test_a_figure_that_grows_moves_at_once(): void {
        const item = createTemporaryObject(bar, test)
        const figure = find(item, child => child.text === item.figure)
        waitForRendering(item)
        item.figure = "8,888 of 8,888"
        const x = figure.mapToItem(item, 0, 0).x
        fuzzyCompare(x + figure.width, item.width, 1)
        waitForRendering(item)
        compare(figure.mapToItem(item, 0, 0).x, x)
    }
    function test_a_panel_bar_names_what_it_knows(): void {
        const item = createTemporaryObject(bar, test)
        item.parts = [{ name: "weights", value: 6, text: "0 of 637", ink: "red" }, { name: "cache", value: NaN, text: "", ink: "blue" }]
        const legend = find(item, child => child.text === "weights\u00a00\u00a0of\u00a0637\u00a0MB")
        verify(legend !== null)
        compare(item.known.length, 1)
    }
}
