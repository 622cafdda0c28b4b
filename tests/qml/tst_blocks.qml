import QtQuick
import QtTest
import Minerva.App
import Minerva.Chat.Blocks
import Minerva.Theme

Case {
    id: test
    name: "Blocks"
    when: windowShown
    width: 600
    height: 500
    visible: true

    Component { id: paragraph; ParagraphBlock { html: "plain <b>bold</b>"; width: 300 } }
    Component { id: code; CodeBlock { code: "int x = 1;"; language: "cpp"; width: 300 } }
    Component { id: table; TableBlock { columns: 2; cells: ["a", "b", "1", "2"]; alignments: [Text.AlignLeft, Text.AlignRight]; width: 300 } }
    Component { id: thinking; ThinkingBlock { source: "a thought\nand another"; complete: true; width: 300 } }
    Component {
        id: block
        BlockDelegate {
            index: 0; kind: BlockModel.Paragraph; html: "text"; verbatim: ""; language: ""; level: 0; indent: 0; quote: 0; marker: ""; opensList: false
            complete: true; columns: 0; cells: []; alignments: []; rightToLeft: false; caret: false; showThinking: true; width: 300
        }
    }
    Component {
        id: message  // blocks stacked as in a message
        Column {
            id: column
            property var wanted: ({})
            width: 300
            Column {
                width: parent.width
                Repeater {
                    model: 1
                    BlockDelegate {
                        width: column.width
                        index: 1; kind: column.wanted.kind; html: column.wanted.html ?? ""; verbatim: column.wanted.verbatim ?? ""; language: ""
                        level: column.wanted.level ?? 0; indent: column.wanted.indent ?? 0; quote: column.wanted.quote ?? 0
                        marker: column.wanted.marker ?? ""; opensList: false; complete: true; columns: column.wanted.columns ?? 0
                        cells: column.wanted.cells ?? []; alignments: column.wanted.alignments ?? []; caret: column.wanted.caret ?? false
                        rightToLeft: column.wanted.rightToLeft ?? false; showThinking: true
                    }
                }
            }
        }
    }
    SignalSpy { id: copied; signalName: "copyRequested" }

    function editOf(paragraph) { return Array.from(paragraph.children).find(child => child.lineCount !== undefined) }
    function textOf(paragraph) { const edit = editOf(paragraph); return edit.getText(0, edit.length) }
    function caretOf(paragraph) {
        for (const child of Array.from(editOf(paragraph).children)) if (child.item) return child.item
        return null
    }

    function luminance(color: color): real {
        const [r, g, b] = [color.r, color.g, color.b].map(c => c <= 0.03928 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4))
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    function test_the_ground_of_code_is_seen_on_every_other_data(): var {
        return [{ tag: "light", dark: false }, { tag: "dark", dark: true }]
    }
    function test_the_ground_of_code_is_seen_on_every_other(row: var): void {
        const before = Theme.dark
        Theme.dark = row.dark
        const ground = luminance(Qt.color(Theme.richCss.match(/background-color:(#[0-9a-f]{6})/)[1]))
        for (const under of [Theme.colors.bg, Theme.colors.surface, Theme.colors.sunken]) {
            const other = luminance(under)
            verify((Math.max(ground, other) + 0.05) / (Math.min(ground, other) + 0.05) > 1.06, under)
        }
        Theme.dark = before
    }
    function test_code_in_a_table_is_marked_as_elsewhere(): void {
        const item = createTemporaryObject(table, test, { cells: ["a", "b", "<code>iiii</code>", "<code>mmmm</code>"] })
        const cells = all(item, child => child.html !== undefined && child.html.includes("code"))
        compare(cells.length, 2)
        verify(Math.abs(cells[0].implicitWidth - cells[1].implicitWidth) < 0.5)  // a monospaced font
        verify(cells[0].text.includes("background-color"))
    }
    function test_a_paragraph_wraps_and_shows_its_caret(): void {
        const item = createTemporaryObject(paragraph, test)
        compare(textOf(item), "plain bold")
        const one = item.implicitHeight
        item.html = "word ".repeat(60)
        tryVerify(() => item.implicitHeight > 3 * one)
        compare(caretOf(item), null)
        item.caret = true
        const caret = caretOf(item), edit = editOf(item)
        verify(caret.y > one)
        // The end of the text, where the view itself would place its cursor.
        const place = edit.positionToRectangle(edit.length)
        verify(Math.abs(caret.x - 2 - place.x) < 6 && caret.y >= place.y - 1 && caret.y + caret.height <= place.y + place.height + 1)
    }
    function test_the_caret_of_a_text_that_runs_leftwards_stands_at_its_left(): void {
        const item = createTemporaryObject(paragraph, test, { html: "\u05d0\u05d1\u05d2 \u05d3", caret: true })
        tryVerify(() => caretOf(item).x > 200 && caretOf(item).x < 295)
    }
    // Changes to the document are tested in app.paragraph.
    function test_a_growing_paragraph_looks_as_it_will(): void {
        const item = createTemporaryObject(paragraph, test, { html: "" })
        const still = createTemporaryObject(paragraph, test)
        item.caret = true
        let text = ""
        for (let i = 0; i < 120; ++i) {
            text += i % 11 === 5 ? "\u6ca1\u6709\u7a7a\u683c\u7684\u6587\u5b57".repeat(4) : i % 7 === 3 ? " <b>bold and</b> <code>code " + i + "</code>" : i % 31 === 30 ? "<br>a break" : " word" + i
            item.html = text
            wait(1)
        }
        verify(textOf(item).split("\u2029").length > 5 || textOf(item).split("\n").length > 5)
        verify(caretOf(item) !== null)
        still.html = text
        tryVerify(() => still.implicitHeight > 100)
        const words = whole => whole.replace(/[\s\u2028\u2029]+/g, "")
        compare(words(textOf(item)), words(textOf(still)))
        // Lines break where they break in a paragraph made at once, and are at their final positions.
        fuzzyCompare(item.implicitHeight, still.implicitHeight, 1)
        const height = item.implicitHeight
        item.caret = false
        tryCompare(editOf(item), "length", editOf(still).length)
        fuzzyCompare(item.implicitHeight, height, 1)
        compare(textOf(item), textOf(still))
    }
    function test_what_is_selected_stays_so_while_the_text_grows(): void {
        const item = createTemporaryObject(paragraph, test, { html: "the fox and the bear " + "word ".repeat(40), caret: true })
        const edit = editOf(item)
        edit.select(4, 15)
        const selected = edit.selectedText
        compare(selected, "fox and the")
        for (let i = 0; i < 30; ++i) item.html += "more "
        compare(edit.selectedText, selected)
        item.caret = false
        wait(200)
        compare(edit.selectedText, selected)
    }
    function test_a_growing_paragraph_survives_another_width(): void {
        const item = createTemporaryObject(paragraph, test, { html: "word ".repeat(80), caret: true })
        const height = item.implicitHeight
        item.width = 250
        tryVerify(() => item.implicitHeight > height)
        const still = createTemporaryObject(paragraph, test, { html: item.html, width: 250 })
        fuzzyCompare(item.implicitHeight, still.implicitHeight, 1)
    }
    function test_a_body_line_is_155_percent_of_its_size(): void {
        const item = createTemporaryObject(paragraph, test, { html: "one" })
        const one = item.implicitHeight
        item.html = "one<br>two<br>three"
        tryVerify(() => item.implicitHeight > one)
        fuzzyCompare((item.implicitHeight - one) / 2 / Theme.bodySize, 1.55, 0.12)
    }
    function test_a_heading_is_bigger_the_higher_it_is(): void {
        const first = createTemporaryObject(paragraph, test, { level: 1 })
        const third = createTemporaryObject(paragraph, test, { level: 3 })
        verify(first.size > third.size)
        compare(editOf(first).Accessible.role, Accessible.Heading)
    }
    function test_code_is_copied_whole_and_grows(): void {
        const item = createTemporaryObject(code, test)
        copied.target = item
        copied.clear()
        click(item, item.width - 30, 15)
        compare(copied.count, 1)
        compare(copied.signalArguments[0][0], "int x = 1;")
        const height = item.implicitHeight
        item.code = "int x = 1;\nint y = 2;\n"
        tryVerify(() => item.implicitHeight > height)
    }
    // With a width of its own, the text is not laid out as a whole to find one.
    function test_long_code_grows_as_fast_as_short_code(): void {
        const item = createTemporaryObject(code, test)
        const edit = find(item, child => child.lineCount !== undefined && child.cursorPosition !== undefined)
        item.code = "a line of code that is longer than the block is wide, and then some more of it;\n"
        tryVerify(() => edit.width >= edit.contentWidth && edit.contentWidth > 300)
        const time = lines => {
            item.code = "int x = 1;\n".repeat(lines)
            const begun = Date.now()
            for (let more = 0; more < 20; ++more) item.code += "y = 2;\n"
            return Date.now() - begun
        }
        time(100)
        const brief = Math.max(4, time(200)), large = time(3000)
        console.log("code: " + brief + " ms of 200 lines, " + large + " ms of 3000")
        verify(edit.width >= 300)
        verify(large < 15 * brief / 2, large + " ms, and " + brief + " ms")
    }
    function test_a_table_fills_its_width(): void {
        const item = createTemporaryObject(table, test)
        tryVerify(() => item.implicitHeight > 2 * Theme.noteSize)
        const before = item.implicitHeight
        item.cells = item.cells.concat(["3", "4"])
        tryVerify(() => item.implicitHeight > before)
    }
    // All cells made anew for each row of a table that is being written would take a frame's time, and more.
    function test_a_growing_table_keeps_its_cells(): void {
        const item = createTemporaryObject(table, test)
        const cellsOf = parent => {
            let found = []
            for (let i = 0; i < parent.children.length; ++i) {
                const child = parent.children[i]
                found = found.concat(child.header !== undefined ? [child] : cellsOf(child))
            }
            return found
        }
        const before = cellsOf(item)
        compare(before.length, 4)
        item.cells = item.cells.concat(["3", "4"])
        const grown = cellsOf(item)
        compare(grown.length, 6)
        for (const cell of before) verify(grown.includes(cell))
        item.cells = ["a", "b"]
        tryVerify(() => cellsOf(item).length === 2)
    }
    function test_a_table_shows_marked_words_and_plain_ones(): void {
        const item = createTemporaryObject(table, test, { cells: ["a", "<b>b</b>", "1 &lt; 2", "x"] })
        const texts = []
        const walk = parent => { for (const child of Array.from(parent.children)) { if (child.textFormat !== undefined && child.html !== undefined) texts.push(child); walk(child) } }
        walk(item)
        const format = words => texts.find(text => text.html === words).textFormat
        compare(format("a"), Text.PlainText)
        compare(format("<b>b</b>"), Text.RichText)
        compare(format("1 &lt; 2"), Text.RichText)
    }
    function test_thoughts_are_folded_away(): void {
        const item = createTemporaryObject(thinking, test)
        const folded = item.implicitHeight
        click(item, 20, 10)
        verify(item.open)
        tryVerify(() => item.implicitHeight > folded)
    }
    // Of thoughts that are being written only the last part is laid out again, and of folded ones nothing.
    function test_long_thoughts_are_laid_out_in_parts(): void {
        const lines = "So the fox \ud83d\ude00 went on and on.\n".repeat(3000), endless = "\u4f60\ud83d\ude00".repeat(10000)
        const item = createTemporaryObject(thinking, test, { source: lines, complete: false })
        const labels = () => all(item, child => child.kind === "note" && child.text !== undefined)
        compare(labels().length, 0)
        item.open = true
        const before = labels(), count = before.length
        verify(count > 10)
        verify(before.every(label => label.text.length < 8100))
        compare(before.map(label => label.text).join("\n"), lines)
        let changes = 0
        for (const label of before.slice(0, -1)) label.textChanged.connect(() => ++changes)
        item.source += "And on.\n".repeat(1000)
        verify(labels().length > count)
        compare(labels().map(label => label.text).join("\n"), lines + "And on.\n".repeat(1000))
        compare(labels().slice(0, count), before)
        compare(changes, 0)
        item.source = endless  // another version
        compare(labels().map(label => label.text).join(""), endless)
        verify(labels().every(label => label.text.length <= 8000 && !/[\ud800-\udbff]$/.test(label.text)))
        item.source = "Short."
        compare(labels().map(label => label.text), ["Short."])
        item.open = false
        compare(labels().length, 0)
    }
    function test_every_kind_of_block_has_a_height_data(): var {
        return [{ tag: "paragraph", kind: BlockModel.Paragraph }, { tag: "heading", kind: BlockModel.Heading, level: 2 },
                { tag: "item", kind: BlockModel.ListItem, indent: 2, marker: "3." }, { tag: "code", kind: BlockModel.Code, verbatim: "x" },
                { tag: "table", kind: BlockModel.Table, columns: 1, cells: ["a"], alignments: [Text.AlignLeft] },
                { tag: "rule", kind: BlockModel.Rule }, { tag: "thinking", kind: BlockModel.Thinking, verbatim: "x" }]
    }
    function test_every_kind_of_block_has_a_height(data: var): void {
        const wanted = Object.assign({}, data)
        delete wanted.tag
        const item = createTemporaryObject(block, test, wanted)
        tryVerify(() => item.implicitHeight >= 12)
    }
    function test_every_kind_of_block_fills_its_message_data(): var {
        return test_every_kind_of_block_has_a_height_data().concat([
            { tag: "quote", kind: BlockModel.Paragraph, quote: 1 }, { tag: "growing", kind: BlockModel.Paragraph, caret: true }])
    }
    function test_every_kind_of_block_fills_its_message(data: var): void {
        const item = createTemporaryObject(message, test, { wanted: Object.assign({ html: "some words that need two lines of three hundred pixels" }, data) })
        const block = item.children[0].children[0]
        tryVerify(() => block.width === 300)
        const content = Array.from(block.children).filter(child => child.item).pop()
        tryVerify(() => content.x + content.width === 300)
        verify(content.width >= 220)
        tryVerify(() => content.height >= content.item.implicitHeight && item.implicitHeight >= content.height && item.implicitHeight < 120)
    }
    // A message list loses its scroll position if a block grows after it was created.
    function test_every_kind_of_block_is_at_once_as_high_as_it_will_be_data(): var {
        return test_every_kind_of_block_fills_its_message_data().concat([
            { tag: "long table", kind: BlockModel.Table, columns: 2, cells: ["a", "b", "1", "long words that need more than one line ".repeat(3)], alignments: [Text.AlignLeft, Text.AlignLeft] },
            { tag: "quoted item", kind: BlockModel.ListItem, indent: 3, quote: 2, marker: "10." },
            { tag: "leftwards", kind: BlockModel.ListItem, indent: 1, marker: "1.", rightToLeft: true, html: "\u05d0\u05d1 ".repeat(40) }])
    }
    function test_every_kind_of_block_is_at_once_as_high_as_it_will_be(data: var): void {
        const item = createTemporaryObject(message, test, { wanted: Object.assign({ html: "some words that need two lines of three hundred pixels" }, data) })
        const height = item.implicitHeight
        compare(height, Math.round(height))
        wait(100)
        compare(item.implicitHeight, height)
    }
    function test_thoughts_can_be_left_out(): void {
        verify(!createTemporaryObject(block, test, { kind: BlockModel.Thinking, verbatim: "x", showThinking: false }).visible)
    }
}
