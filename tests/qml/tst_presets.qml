import QtQuick
import QtTest
import Minerva.Chat

// The composer's presets by keyboard: choosing, saving, editing, deleting, the model's default.
Case {
    id: test
    name: "Presets"
    when: windowShown
    width: 800
    height: 700
    visible: true

    Component {
        id: composer
        Composer { chat: conversations; context: contextGuard; presets: chatPresets; modelName: "Scripted"; y: 560; width: 780 }
    }
    Component { id: editor; PresetEditor { presets: chatPresets; chat: conversations; parent: test } }
    SignalSpy { id: wanted; signalName: "presetRequested" }

    function root() {
        let item = test
        while (item.parent) item = item.parent
        return item
    }
    function named(item, name) { return find(item, child => child.activeFocusOnTab !== undefined && child.activeFocusOnTab && child.Accessible.name === name) }
    function type(text) { for (const key of text) keyClick(key) }
    function row(text) { return find(root(), child => child.visible && child.highlighted !== undefined && child.note !== undefined && child.text === text) }
    // Opens the menu and moves down to one of its items. Returns false if there is no such item.
    function choose(item, text) {
        const button = named(item, "Preset: " + conversations.preset)
        button.forceActiveFocus(Qt.TabFocusReason)
        keyClick(Qt.Key_Space)
        tryVerify(() => row("Precise") !== null)
        for (let presses = 0; presses < 20; ++presses) {
            keyClick(Qt.Key_Down)
            if (row(text)?.highlighted) {
                keyClick(Qt.Key_Return)
                tryVerify(() => row("Precise") === null)
                return true
            }
        }
        keyClick(Qt.Key_Escape)
        tryVerify(() => row("Precise") === null)
        return false
    }

    function init(): void {
        for (const preset of Array.from(chatPresets.all)) if (preset.own) chatPresets.remove(preset.presetId)
        chatPresets.dismissUndo()
        chatPresets.setOfModel("Scripted", "none")
        conversations.usePreset("none")
    }

    function test_a_text_put_into_the_composer_is_continued_at_its_end(): void {
        const item = createTemporaryObject(composer, test)
        const edit = find(item, child => child.cursorPosition !== undefined)
        conversations.draft = "kept"
        compare(edit.text, "kept")
        compare(edit.cursorPosition, 4)
        compare(find(createTemporaryObject(composer, test), child => child.cursorPosition !== undefined).cursorPosition, 4)
        item.focusText()
        edit.cursorPosition = 2
        conversations.draft = "stored\n\nkept"  // while it is typed into
        compare(edit.cursorPosition, 10)
        edit.focus = false
        conversations.draft = "queued\n\nstored\n\nkept"
        compare(edit.cursorPosition, 6)
        conversations.draft = ""
        compare(edit.text, "")
    }
    function test_the_menu_names_what_is_in_force(): void {
        const item = createTemporaryObject(composer, test)
        verify(named(item, "Preset: Model default") !== null)
        verify(choose(item, "Creative"))
        compare(conversations.presetId, "creative")
        verify(named(item, "Preset: Creative") !== null)
        named(item, "Preset: Creative").clicked()
        tryVerify(() => row("Creative") !== null)
        verify(row("Creative").checked)
        verify(!row("Precise").checked)
        compare(row("Creative").note, "temperature 1.1")
        verify(row("Delete Creative") === null)  // built-in, so it cannot be deleted
        keyClick(Qt.Key_Escape)
        tryVerify(() => row("Creative") === null)
        verify(choose(item, "Model default"))
        compare(conversations.presetId, "none")
    }
    function test_a_model_gets_one_by_default(): void {
        const item = createTemporaryObject(composer, test)
        verify(!choose(item, "Use for Scripted by default"))  // nothing to use
        verify(choose(item, "Precise"))
        verify(choose(item, "Use for Scripted by default"))
        compare(chatPresets.ofModel("Scripted"), "precise")
        verify(choose(item, "Model default"))
        compare(conversations.presetId, "none")  // although the model has a default preset
        verify(choose(item, "Use for Scripted by default"))
        compare(chatPresets.ofModel("Scripted"), "")
    }
    function test_the_users_are_edited_and_deleted(): void {
        const item = createTemporaryObject(composer, test)
        wanted.target = item
        wanted.clear()
        verify(choose(item, "Save as a preset..."))
        compare(wanted.signalArguments[0][0], "")
        const id = chatPresets.keep("", "Fox", { temperature: 0.3, systemPrompt: "Be a fox" })
        verify(choose(item, "Fox"))
        compare(conversations.presetId, id)
        verify(choose(item, "Edit Fox..."))
        compare(wanted.signalArguments[1][0], id)
        verify(choose(item, "Delete Fox"))
        compare(conversations.presetId, "none")
        compare(chatPresets.removedName, "Fox")
        chatPresets.undoRemove()
        compare(conversations.presetId, id)
        verify(choose(item, "Precise"))  // the list is complete and in its order
        chatPresets.keep("", "Ape", {})
        named(item, "Preset: Precise").clicked()
        tryVerify(() => row("Ape") !== null)
        const order = ["Model default", "Precise", "Balanced", "Creative", "Ape", "Fox", "Save as a preset..."]
        tryVerify(() => order.every((text, i) => i === 0 || row(text).y > row(order[i - 1]).y))  // once laid out
        keyClick(Qt.Key_Escape)
        tryVerify(() => row("Ape") === null)
    }
    function test_the_editor_by_keyboard(): void {
        const popup = createTemporaryObject(editor, test)
        conversations.usePreset("creative")
        popup.openFor("")
        tryVerify(() => popup.opened)
        keyClick(Qt.Key_Return)  // without a name nothing is saved, and a message says so
        verify(popup.opened)
        verify(find(popup.contentItem, child => child.visible && child.text === "A preset needs a name") !== null)
        type("precise")
        keyClick(Qt.Key_Return)
        verify(popup.opened)
        verify(find(popup.contentItem, child => child.visible && child.text === "Another preset has this name") !== null)
        type(" fox")
        verify(find(popup.contentItem, child => child.visible && child.text === "Another preset has this name") === null)
        keyClick(Qt.Key_Tab)
        const prompt = find(popup.contentItem, child => child.cursorPosition !== undefined && child.activeFocus)
        compare(prompt.Accessible.name, "System prompt")
        type("ab")
        keyClick(Qt.Key_Return)  // a new line
        type("c")
        keyClick(Qt.Key_Tab)
        const slider = find(popup.contentItem, child => child.stepSize !== undefined && child.activeFocus)
        compare(slider.Accessible.name, "Temperature")
        compare(slider.value, 1.1)
        keyClick(Qt.Key_Right)
        fuzzyCompare(popup.values.temperature, 1.15, 1e-9)
        const longest = named(popup.contentItem, "Longest reply")
        longest.forceActiveFocus(Qt.TabFocusReason)
        longest.selectAll()
        type("256")
        keyClick(Qt.Key_Return, Qt.ControlModifier)
        tryVerify(() => !popup.visible)
        compare(conversations.preset, "precise fox")
        const values = chatPresets.values(conversations.presetId)
        compare(values.systemPrompt, "ab\nc")
        fuzzyCompare(values.temperature, 1.15, 1e-9)
        compare(values.topK, 100)
        compare(values.maxTokens, 256)
    }
    function test_a_number_outside_its_limits_is_not_saved(): void {
        const popup = createTemporaryObject(editor, test)
        const id = chatPresets.keep("", "Fox", { topK: 30 })
        conversations.usePreset(id)
        popup.openFor(id)
        tryVerify(() => popup.opened)
        const topK = named(popup.contentItem, "Top K"), save = named(popup.contentItem, "Save")
        const enter = text => { topK.forceActiveFocus(Qt.TabFocusReason); topK.selectAll(); type(text) }
        enter("99999")
        save.forceActiveFocus(Qt.TabFocusReason)
        save.clicked()
        verify(popup.opened)
        verify(topK.activeFocus)
        verify(find(popup.contentItem, child => child.visible && child.text !== undefined && String(child.text).startsWith("Not accepted")) !== null)
        keyClick(Qt.Key_Return, Qt.ControlModifier)
        verify(popup.opened)
        compare(chatPresets.values(id).topK, 30)
        keyClick(Qt.Key_Escape)
        compare(topK.text, "30")
        enter("77")
        save.clicked()
        tryVerify(() => !popup.visible)
        compare(chatPresets.values(id).topK, 77)
        popup.openFor(id)
        tryVerify(() => popup.opened)
        enter("99999")
        popup.close()
        tryVerify(() => !popup.visible)
        popup.openFor(id)
        tryVerify(() => popup.opened)
        compare(topK.text, "77")
        popup.close()
        tryVerify(() => !popup.visible)
    }
    function test_escape_leaves_and_an_edit_keeps_the_id(): void {
        const popup = createTemporaryObject(editor, test)
        const id = chatPresets.keep("", "Fox", { temperature: 0.3 })
        conversations.usePreset(id)
        popup.openFor(id)
        tryVerify(() => popup.opened)
        type("Wolf")  // replaces the name, which is selected
        keyClick(Qt.Key_Escape)
        tryVerify(() => !popup.visible)
        compare(conversations.preset, "Fox")
        popup.openFor(id)
        tryVerify(() => popup.opened)
        type("Wolf")
        keyClick(Qt.Key_Return)
        tryVerify(() => !popup.visible)
        compare(conversations.preset, "Wolf")
        compare(conversations.presetId, id)
        compare(chatPresets.values(id).temperature, 0.3)
    }
    // Neither a click beside the editor nor Esc loses what was typed; Cancel and Save end it.
    function test_what_was_typed_is_not_lost(): void {
        const popup = createTemporaryObject(editor, test)
        const prompt = find(popup.contentItem, child => child.maximumHeight !== undefined)
        const note = () => find(popup.contentItem, child => child.visible && child.text === "Typed before and not saved yet. Cancel discards it.")
        const id = chatPresets.keep("", "Fox", { systemPrompt: "Be a fox", topK: 30 })
        const begin = preset => { popup.openFor(preset); tryVerify(() => popup.opened) }
        const leave = () => { keyClick(Qt.Key_Escape); tryVerify(() => !popup.visible) }
        conversations.usePreset(id)
        begin(id)
        compare(note(), null)
        mouseClick(root(), 3, 3)
        verify(popup.opened)
        prompt.text = "Be a wolf"
        named(popup.contentItem, "Top K").forceActiveFocus(Qt.TabFocusReason)
        named(popup.contentItem, "Top K").selectAll()
        type("31")
        leave()
        compare(chatPresets.values(id).systemPrompt, "Be a fox")
        begin("")  // another one
        compare(prompt.text, "Be a fox")
        compare(note(), null)
        leave()
        begin(id)
        compare(prompt.text, "Be a wolf")
        compare(named(popup.contentItem, "Top K").text, "31")
        verify(note() !== null)
        click(named(popup.contentItem, "Cancel"))
        tryVerify(() => !popup.visible)
        begin(id)
        compare(prompt.text, "Be a fox")
        compare(named(popup.contentItem, "Top K").text, "30")
        prompt.text = "Be an ape"
        leave()
        begin(id)
        named(popup.contentItem, "Save").clicked()
        tryVerify(() => !popup.visible)
        compare(chatPresets.values(id).systemPrompt, "Be an ape")
        begin(id)
        compare(note(), null)
        leave()
    }
    function test_every_control_of_the_editor_is_reached_and_named(): void {
        const popup = createTemporaryObject(editor, test)
        popup.openFor("")
        tryVerify(() => popup.opened)
        const reached = []
        for (let presses = 0; presses < 30; ++presses) {
            const now = find(popup.contentItem, child => child.activeFocus && child.activeFocusOnTab)
            verify(now !== null)
            if (reached.includes(now.Accessible.name)) break
            verify(now.Accessible.name !== "")
            reached.push(now.Accessible.name)
            keyClick(Qt.Key_Tab)
        }
        for (const name of ["Name", "System prompt", "Temperature", "Top P", "Min P", "Repeat penalty", "Top K", "Penalty window", "Longest reply", "Cancel", "Save", "Close  Esc"])
            verify(reached.includes(name), name + " is not reached: " + reached.join(", "))
        compare(reached.length, 12)
        keyClick(Qt.Key_Escape)
        tryVerify(() => !popup.visible)
    }
}
