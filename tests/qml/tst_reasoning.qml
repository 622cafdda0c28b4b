import QtQuick
import QtTest
import Minerva.Chat

// The composer's control of reasoning: shown only where the model knows it, by keyboard, with names, mirrored.
Case {
    id: test
    name: "Reasoning"
    when: windowShown
    width: 800
    height: 700
    visible: true

    Component {
        id: composer
        Composer { chat: conversations; context: contextGuard; presets: chatPresets; modelName: "Scripted"; y: 560; width: 780 }
    }

    function root() {
        let item = test
        while (item.parent) item = item.parent
        return item
    }
    function toggle(item) { return find(item, child => child.visible && child.Accessible.name === "Think before answering") }
    function button(item) { return find(item, child => child.visible && String(child.Accessible.name).startsWith("Effort of thinking")) }
    function rows() {
        return all(root(), child => child.visible && child.highlighted !== undefined && child.note !== undefined).sort((a, b) => a.y - b.y)
    }

    function init(): void {
        conversations.newConversation()
        scripted.setReasoning(false, true, [], "")
    }
    function cleanup(): void { scripted.setReasoning(false, true, [], "") }

    function test_nothing_is_shown_for_a_model_without_it(): void {
        const item = createTemporaryObject(composer, test)
        compare(toggle(item), null)
        compare(button(item), null)
        scripted.setReasoning(true, true, [], "")  // another model was loaded
        verify(toggle(item) !== null)
        compare(button(item), null)
        scripted.setReasoning(false, true, [], "")
        compare(toggle(item), null)
    }
    function test_the_switch_by_keyboard(): void {
        scripted.setReasoning(true, true, [], "")
        const item = createTemporaryObject(composer, test)
        item.focusText()
        let reached = false
        for (let presses = 0; presses < 10 && !reached; ++presses) {
            keyClick(Qt.Key_Tab)
            reached = toggle(item).activeFocus
        }
        verify(reached)
        verify(toggle(item).checked)
        keyClick(Qt.Key_Space)
        verify(!toggle(item).checked)
        verify(!conversations.reasoning.on)
        keyClick(Qt.Key_Space)
        verify(toggle(item).checked)
        verify(conversations.reasoning.on)
        verify(toggle(item).Accessible.description !== "")
    }
    function test_it_follows_the_conversation(): void {
        scripted.setReasoning(true, false, ["low", "high"], "")
        const item = createTemporaryObject(composer, test)
        verify(!toggle(item).checked)
        click(toggle(item))
        verify(toggle(item).checked)
        conversations.send("Hi")
        scripted.endReply()
        const first = conversations.currentId
        conversations.newConversation()
        verify(!toggle(item).checked)
        compare(button(item), null)  // there is no effort without thinking
        conversations.select(first)
        verify(toggle(item).checked)
        compare(button(item).text, "Model default")
        conversations.remove(first)
        conversations.dismissUndo()
    }
    function test_the_effort_is_chosen_from_a_menu(): void {
        scripted.setReasoning(false, true, ["low", "medium", "high"], "medium")
        const item = createTemporaryObject(composer, test)
        compare(toggle(item), null)
        compare(button(item).text, "Thinking: Medium")
        compare(button(item).Accessible.name, "Effort of thinking: Medium")
        button(item).forceActiveFocus(Qt.TabFocusReason)
        keyClick(Qt.Key_Space)
        tryVerify(() => rows().length === 3)
        compare(rows().map(row => row.text), ["Low", "Medium", "High"])
        compare(rows().map(row => row.note), ["", "default", ""])
        compare(rows().map(row => row.checked), [false, true, false])
        keyClick(Qt.Key_End)
        keyClick(Qt.Key_Return)
        tryVerify(() => rows().length === 0)
        compare(conversations.reasoning.effort, "high")
        compare(button(item).text, "Thinking: High")
        compare(button(item).Accessible.name, "Effort of thinking: High")
    }
    function test_a_template_whose_own_effort_is_none_of_its_words(): void {
        scripted.setReasoning(true, true, ["high", "max", "turbo"], "")
        const item = createTemporaryObject(composer, test)
        compare(button(item).text, "Model default")
        button(item).clicked()
        tryVerify(() => rows().map(row => row.text).join() === "Model default,High,Maximum,Turbo")  // once they are laid out
        verify(rows()[0].checked)
        click(rows()[2])
        tryVerify(() => rows().length === 0)
        compare(conversations.reasoning.effort, "max")
        compare(button(item).text, "Maximum")
        button(item).clicked()
        tryVerify(() => rows().length === 4)
        click(rows()[0])
        tryVerify(() => rows().length === 0)
        compare(conversations.reasoning.effort, "")
    }
    function test_in_a_narrow_composer_it_has_a_line_of_its_own(): void {
        scripted.setReasoning(true, true, ["low", "high"], "low")
        const item = createTemporaryObject(composer, test)
        const send = find(item, child => child.visible && child.kind === "main")
        const bottom = each => each.mapToItem(item, 0, each.height).y, end = each => each.mapToItem(item, each.width, 0).x
        fuzzyCompare(bottom(toggle(item)), bottom(send), 1)
        const height = item.implicitHeight
        toggle(item).forceActiveFocus(Qt.TabFocusReason)
        item.width = 300
        tryVerify(() => bottom(toggle(item)) <= send.mapToItem(item, 0, 0).y)
        verify(toggle(item).activeFocus)  // it is the same control
        compare(item.implicitHeight, height + toggle(item).height)
        for (const each of [toggle(item), button(item), send]) tryVerify(() => end(each) <= item.width)
        scripted.setReasoning(false, true, [], "")
        compare(item.implicitHeight, height)
        scripted.setReasoning(true, true, ["low", "high"], "low")
        item.width = 780
        tryVerify(() => Math.abs(bottom(toggle(item)) - bottom(send)) <= 1)
        compare(item.implicitHeight, height)
    }
    function test_mirrored_it_stands_on_the_other_side(): void {
        scripted.setReasoning(true, true, ["low", "high"], "low")
        const item = createTemporaryObject(composer, test)
        verify(toggle(item).mapToItem(item, 0, 0).x < button(item).mapToItem(item, 0, 0).x)
        item.LayoutMirroring.enabled = true
        item.LayoutMirroring.childrenInherit = true
        tryVerify(() => toggle(item).mapToItem(item, 0, 0).x > button(item).mapToItem(item, 0, 0).x)
        verify(toggle(item).indicator.x > 0)
    }
}
