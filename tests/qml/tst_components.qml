import QtQuick
import QtQuick.Layouts
import QtTest
import Minerva.Chat
import Minerva.Components
import Minerva.Theme

Case {
    id: test
    name: "Components"
    when: windowShown
    width: 400
    height: 300
    visible: true

    Component { id: button; Button { text: "Try again" } }
    Component { id: iconButton; IconButton { iconName: "stop"; tip: "Stop  Esc" } }
    Component { id: paper; TextEdit {} }
    Component { id: error; ErrorCard { headline: "The model could not be loaded"; reason: "expected 10 bytes, found 3"; details: "all of it"; width: 380 } }
    Component { id: given; ErrorCard { width: 380 } }
    Component { id: format; FormatTag { format: "GGUF" } }
    Component { id: bar; Bar { values: [1, 2]; inks: ["red", "blue"]; total: 4; width: 100; height: 10 } }

    Component { id: onlyIcon; Button { text: ""; iconName: "copy"; width: 80 } }
    Component { id: quiet; Button { kind: "quiet"; text: "Copy"; iconName: "copy" } }
    Component { id: digits; Digits { text: "111.1" } }
    Component { id: line; FigureLine { name: "Prefill"; unit: "tok/s"; width: 200 } }
    Component { id: area; TextArea { width: 200 } }
    Component { id: field; TextField { width: 200 } }
    Component { id: elided; ElidedLabel { text: "a name that is much too long for its place"; width: 60 } }
    Component { id: controls; Item {
        property bool reversed: false
        LayoutMirroring.enabled: reversed
        LayoutMirroring.childrenInherit: true
        width: 300
        Slider { value: 0.2; width: 200 }
        Progress { value: 0.3; width: 100 }
        ComboBox { model: ["one", "two"]; width: 150 }
        Toggle { text: "on"; checked: true; width: 150 }
        Toggle { text: "off"; width: 150 }
        AttachmentChip { name: "notes.txt"; bytes: 10; removable: true; width: 180 }
    } }
    Component { id: repeated; Item {
        property alias rows: rows
        property alias column: column
        width: 100
        ListModel { id: rows; ListElement { part: 1 } ListElement { part: 2 } ListElement { part: 3 } }
        ColumnLayout {
            id: column
            width: parent.width
            spacing: 0
            LayoutRepeater { model: rows; Rectangle { implicitHeight: 10; Layout.fillWidth: true } }
        }
    } }
    Component { id: number; NumberField { value: 512; from: 0; to: 4096; name: "Context"; width: 200 } }
    SignalSpy { id: edited; signalName: "edited" }
    SignalSpy { id: entered; signalName: "entered" }

    function test_an_icon_without_text_is_in_the_middle(): void {
        const item = createTemporaryObject(onlyIcon, test)
        const icon = find(item, child => child.icon === "copy")
        tryVerify(() => Math.abs(icon.mapToItem(item, icon.width / 2, 0).x - 40) <= 0.5)
    }
    // Before it does so by itself, which is with the next frame, the items may be deleted and its size may change.
    function test_a_layout_forgets_what_a_repeater_removes_at_once(): void {
        const item = createTemporaryObject(repeated, test)
        tryCompare(item.column, "implicitHeight", 30)
        item.rows.remove(1)
        compare(item.column.implicitHeight, 20)
        item.rows.clear()
        compare(item.column.implicitHeight, 0)
        item.rows.append({ part: 4 })
        tryCompare(item.column, "implicitHeight", 10)
        compare(item.column.children.length, 2)  // the repeater is one
    }
    function test_a_button_is_as_wide_as_its_word(): void {
        const item = createTemporaryObject(quiet, test)
        const narrow = item.implicitWidth
        verify(narrow > 60)
        item.text = "Copied to the clipboard"
        tryVerify(() => item.implicitWidth > narrow + 40)
        item.text = "Copy"
        tryCompare(item, "implicitWidth", narrow)
    }
    function test_digits_do_not_change_the_width_of_a_figure(): void {
        const item = createTemporaryObject(digits, test)
        const width = item.implicitWidth
        verify(width > 0)
        for (const text of ["888.8", "470.2", "999.9"]) {
            item.text = text
            tryCompare(item, "implicitWidth", width)
        }
        compare(item.Accessible.name, "999.9")
    }
    function test_a_figure_that_is_not_known_is_left_out(): void {
        const item = createTemporaryObject(line, test)
        verify(!item.visible)
        item.keep = true
        verify(item.visible)
        compare(item.Accessible.name, "Prefill:  tok/s")
        item.value = "842"
        compare(item.Accessible.name, "Prefill: 842 tok/s")
    }
    function test_a_bar_shows_what_is_small(): void {
        const item = createTemporaryObject(bar, test, { values: [0.001, 0], total: 100 })
        const parts = Array.from(item.children).filter(part => part.color !== undefined)
        compare(parts.length, 2)
        compare(parts[0].width, 2)
        compare(parts[1].width, 0)
    }
    function test_controls_are_the_same_from_the_right(): void {
        const left = createTemporaryObject(controls, test), right = createTemporaryObject(controls, test, { reversed: true })
        waitForRendering(left)
        for (let control = 0; control < left.children.length; ++control) {
            const one = left.children[control], other = right.children[control]
            const shapes = item => all(item, part => part !== item && part.visible && part.width > 0 && (part.color !== undefined || part.icon !== undefined))
            const ours = shapes(one), theirs = shapes(other)
            verify(ours.length > 1)
            compare(theirs.length, ours.length)
            for (let shape = 0; shape < ours.length; ++shape) {
                const padded = part => part.text === undefined ? 0 : part.leftPadding - part.rightPadding
                const from = ours[shape].mapToItem(one, 0, 0).x, to = one.width - ours[shape].width - from
                fuzzyCompare(theirs[shape].mapToItem(other, 0, 0).x, to, 0.51, one + ": " + ours[shape])
                compare(padded(theirs[shape]), -padded(ours[shape]), one + ": " + ours[shape])
            }
        }
    }
    function test_a_text_area_tells_what_was_typed_once(): void {
        const item = createTemporaryObject(area, test)
        edited.target = item
        edited.clear()
        click(item)
        keyClick(Qt.Key_A)
        keyClick(Qt.Key_B)
        compare(edited.count, 0)
        tryCompare(edited, "count", 1)
        compare(item.text, "ab")
    }
    function test_a_text_area_that_goes_tells_what_was_typed(): void {
        const item = area.createObject(test)
        edited.target = null
        edited.clear()
        let told = ""
        item.edited.connect(() => told = item.text)
        click(item)
        keyClick(Qt.Key_A)
        item.destroy()
        tryCompare({ get told() { return told } }, "told", "a")
    }
    function test_texts_have_a_menu(): void {
        const item = createTemporaryObject(field, test)
        item.text = "one two"
        item.select(0, 3)
        const entry = text => find(test.Window.window.contentItem, child => child.text === text && child.visible && child.triggered)
        const press = text => {
            mouseClick(item, 20, item.height / 2, Qt.RightButton)
            tryVerify(() => entry(text) !== null)
            entry(text).triggered()
            tryVerify(() => entry(text) === null)
        }
        press("Cut")
        tryCompare(item, "text", " two")
        item.cursorPosition = item.length
        press("Paste")
        compare(item.text, " twoone")
        press("Select all")
        compare(item.selectedText, " twoone")
    }
    function test_a_number_outside_its_limits_is_not_taken_silently(): void {
        const item = createTemporaryObject(number, test)
        const field = find(item, child => child.selectAll !== undefined), note = () => find(item, child => child.visible && child.text === "Not accepted: enter a number from 0 to 4,096")
        const type = text => { field.forceActiveFocus(); field.selectAll(); for (const key of text) keyClick(key); keyClick(Qt.Key_Return) }
        entered.target = item
        entered.clear()
        compare(note(), null)
        type("99999")
        compare(entered.count, 0)
        verify(note() !== null)
        compare(field.text, "99999")  // stays for the user to correct
        type("1024")
        compare(entered.count, 1)
        compare(entered.signalArguments[0][0], 1024)
        compare(note(), null)
        for (const text of ["-1", "12a"]) {
            type(text)
            verify(note() !== null, text)
            keyClick(Qt.Key_Escape)
            compare(note(), null)
            compare(field.text, "512")  // the value in effect
        }
        compare(entered.count, 1)
        field.selectAll()
        for (const key of "73") keyClick(key)
        compare(entered.count, 1)  // not while typing
        item.put()
        compare(entered.count, 2)
        compare(entered.signalArguments[1][0], 73)
    }
    function test_an_elided_name_is_whole_in_its_tip(): void {
        const item = createTemporaryObject(elided, test)
        tryVerify(() => item.truncated)
        compare(item.whole, item.text)
    }
    function test_a_button_answers_click_and_space(): void {
        const item = createTemporaryObject(button, test)
        let clicks = 0
        item.clicked.connect(() => ++clicks)
        click(item)
        item.forceActiveFocus(Qt.TabFocusReason)
        keyClick(Qt.Key_Space)
        compare(clicks, 2)
        verify(item.implicitHeight >= 32)
    }
    function test_an_icon_button_is_named_by_its_tip(): void {
        const item = createTemporaryObject(iconButton, test)
        compare(item.Accessible.name, "Stop  Esc")
        verify(item.width >= 32 && item.height >= 32)
    }
    function test_a_figure_keeps_its_room_when_the_scale_changes(): void {
        const item = createTemporaryObject(digits, test)
        Theme.scale = 0.75
        const made = createTemporaryObject(digits, test)
        tryVerify(() => item.width > 0 && Math.abs(item.width - made.width) < 1)
        Theme.scale = 2
        const large = createTemporaryObject(digits, test)
        tryVerify(() => Math.abs(item.width - large.width) < 1)
        Theme.scale = 1
    }
    function test_an_error_is_seen_while_there_is_one(): void {
        const item = createTemporaryObject(given, test)
        compare(item.visible, false)
        item.error = { headline: "The disk is full", detail: "needs 3 GB, has 1", hint: "Make room", details: "/tmp" }
        compare(item.visible, true)
        compare(item.Accessible.name, "The disk is full. needs 3 GB, has 1")
    }
    function test_an_error_folds_its_details_out(): void {
        const item = createTemporaryObject(error, test)
        const folded = item.implicitHeight
        item.expanded = true
        tryVerify(() => item.implicitHeight > folded)
    }
    function test_a_very_long_reason_is_whole_in_the_details_only(): void {
        const lengthy = "expected one of llama, mistral, phi, qwen, gemma ".repeat(60)
        const item = createTemporaryObject(error, test, { reason: lengthy, details: lengthy })
        tryVerify(() => item.implicitHeight > 100)
        verify(item.implicitHeight < 260)
        item.expanded = true
        tryVerify(() => item.implicitHeight > 800)
    }
    function test_an_errors_details_can_be_copied_wherever_it_is_shown(): void {
        const item = createTemporaryObject(error, test, { expanded: true })
        const button = find(item, child => child.text === "Copy" && child.clicked !== undefined)
        click(button)
        compare(button.text, "Copied")
        const sheet = createTemporaryObject(paper, test)
        sheet.paste()
        compare(sheet.text, "all of it")
    }
    function test_a_format_has_its_colour_in_both_sets(): void {
        const item = createTemporaryObject(format, test)
        Theme.dark = false
        compare(item.ink, Theme.lightColors.gguf)
        Theme.dark = true
        compare(item.ink, Theme.darkColors.gguf)
        Theme.dark = false
    }
    function luminance(c: color): real {
        const f = v => v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4)
        return 0.2126 * f(c.r) + 0.7152 * f(c.g) + 0.0722 * f(c.b)
    }
    function contrast(a: color, b: color): real {
        const x = luminance(a), y = luminance(b)
        return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
    }
    function test_text_is_readable_on_its_ground_data(): var {
        const pairs = [["text", "bg"], ["text", "surface"], ["text", "sunken"], ["text", "ownMessage"], ["muted", "bg"], ["muted", "sunken"],
                       ["faint", "bg"], ["faint", "surface"], ["accentInk", "accent"], ["accent", "accentSoft"], ["gguf", "ggufSoft"],
                       ["safetensors", "safetensorsSoft"], ["mlx", "mlxSoft"], ["good", "goodSoft"], ["warn", "warnSoft"], ["bad", "badSoft"], ["text", "badSoft"]]
        return pairs.map(p => ({ tag: p[0] + " on " + p[1], ink: p[0], ground: p[1] }))
    }
    function test_text_is_readable_on_its_ground(data: var): void {
        for (const set of [Theme.lightColors, Theme.darkColors])
            verify(contrast(set[data.ink], set[data.ground]) >= 4.5, contrast(set[data.ink], set[data.ground]))
    }
}
