import QtQuick
import QtTest
import Minerva.App
import Minerva.Compare
import Minerva.Components
import Minerva.Theme

// The comparison page on real runs of the built-in model in three formats, and its parts with made-up figures.
Case {
    id: test
    name: "Compare"
    when: windowShown
    width: 1180
    height: 800
    visible: true

    readonly property int patience: 90000

    Component { id: exporter; ExportButton { compare: comparison; picture: test } }
    Component { id: page; ComparePage { compare: comparison; library: models; servers: boxes; inference: idleEngine; width: 1180; height: 800 } }
    Component { id: tightPage; ComparePage { compare: tightComparison; library: models; servers: boxes; inference: idleEngine; width: 1180; height: 800 } }
    Component { id: verdict; VerdictCard { verdict: "The figures agree"; agrees: true; lines: ["Decode within 2 %"]; width: 600 } }
    Component { id: wideTable; FigureTable { columns: comparison.columns; width: 1000 } }
    Component { id: narrowTable; FigureTable { columns: comparison.columns; narrow: true; width: 600 } }
    Component { id: bars; BarsCard { columns: comparison.columns; title: "Decode"; key: "decode"; width: 400 } }
    Component { id: spread; SpreadChart { columns: comparison.columns; reference: comparison.reference; width: 500; height: 300 } }
    Component { id: divergence; DivergenceCard { columns: comparison.columns; reference: comparison.reference; width: 500 } }
    Component { id: figureColumns; FigureColumns {} }
    Component {
        id: column
        ColumnCard {
            index: 0; name: "TinyLlama"; path: "/m/tiny.gguf"; format: "GGUF"; type: "Q4_K"; label: "Q4_K"; stage: ColumnModel.Done; stageText: ""; progress: -1; reference: false
            figures: ({ decode: 39.4, ttft: 118, kl: 0.03 }); speeds: []; pieces: false; text: "a <b> sea\nof salt"; markStart: 2; markLength: 3; tokens: 4; notes: []; error: ({ headline: "", detail: "", hint: "", details: "" })
            width: 380; height: 260
        }
    }

    function visibleText(item: var, text: string): var { return all(item, child => child.visible && child.text === text) }
    function button(item: var, text: string): var { return all(item, child => child.text === text && child.clicked !== undefined && child.visible)[0] }

    function init(): void {
        comparison.startOver()
        comparison.maxTokens = 24
        tightComparison.startOver()
    }
    // Runs first, before anything is stored.
    function test_1_an_empty_page_works_at_once(): void {
        const item = createTemporaryObject(page, test)
        verify(item.empty)
        const mains = all(item, child => child.kind === "main" && child.visible && child.clicked !== undefined)
        compare(mains.length, 1)
        click(mains[0])
        compare(comparison.state, CompareController.Preparing)
        tryVerify(() => comparison.state === CompareController.Done, patience)
        compare(comparison.columns.count, 3)
        for (const format of ["SafeTensors", "GGUF", "MLX"]) verify(visibleText(item, format).length >= 2, format)  // in its column and in the table
        compare(comparison.reference, "Minerva built-in BF16")
        tryVerify(() => item.result.height > 700)
        tryVerify(() => comparison.runs.count === 1)
        verify(button(item, "Run again").enabled)
    }
    function test_2_a_kept_run_is_opened_and_run_again(): void {
        const item = createTemporaryObject(page, test)
        const list = all(item, child => child.currentIndex !== undefined && child.chosen !== undefined && child.visible)[0]
        verify(list && list.count === 1)
        list.currentIndex = 0
        list.forceActiveFocus()
        keyClick(Qt.Key_Return)
        tryVerify(() => comparison.state === CompareController.Done)
        compare(comparison.columns.count, 3)
        compare(comparison.verdict, "")
        keyClick(Qt.Key_Return, Qt.ControlModifier)
        compare(comparison.state, CompareController.Running)
        tryVerify(() => comparison.state === CompareController.Done, patience)
        verify(comparison.verdict !== "")
        verify(visibleText(item, comparison.verdict).length === 1)
    }
    function test_3_stop_stops(): void {
        const item = createTemporaryObject(page, test)
        for (let i = 0; i < 2; ++i) comparison.addModel(builtInModel, "Built-in", "SafeTensors", "BF16")
        comparison.prompt = "Tell me a story.\nTell me another.\nAnd one more."
        verify(item.choosing && !item.empty)
        click(button(item, "Compare"))
        compare(comparison.state, CompareController.Running)
        click(button(item, "Stop"))  // Esc is tested in app.actions
        tryVerify(() => comparison.state === CompareController.Done, 5000)
        verify(visibleText(item, "Stopped").length + all(item, child => child.visible && String(child.text).includes("stopped")).length > 0)
    }
    function test_4_models_are_added_and_taken_out(): void {
        const item = createTemporaryObject(page, test)
        comparison.addModel(builtInModel, "A model with a name that is longer than any column is wide, by far", "GGUF", "Q4_K")
        verify(!button(item, "Compare").enabled)
        comparison.addModel("/not/there.gguf", "Other", "", "")
        comparison.prompt = "Hi"
        verify(button(item, "Compare").enabled)
        click(button(item, "Compare"))
        tryVerify(() => comparison.state === CompareController.Done, patience)
        const error = all(item, child => child.headline !== undefined && child.visible)[0]
        verify(error.headline.includes("Other"), error.headline)
        comparison.change()
        const out = all(item, child => child.iconName === "close" && child.visible && child.tip.includes("Other"))[0]
        click(out)
        compare(comparison.columns.count, 1)
    }
    function test_5_what_does_not_fit_is_offered_in_turn(): void {
        const item = createTemporaryObject(tightPage, test)
        for (let i = 0; i < 2; ++i) tightComparison.addModel(builtInModel, "Built-in", "SafeTensors", "BF16")
        tightComparison.prompt = "Hi"
        tightComparison.interleaved = true
        tightComparison.maxTokens = 8
        click(button(item, "Compare"))
        tryVerify(() => tightComparison.notice.isSet, patience)
        click(button(item, "Run one after another"))
        tryVerify(() => tightComparison.state === CompareController.Done, patience)
        verify(!tightComparison.notice.isSet)
    }
    function test_6_nothing_is_wider_than_a_narrow_page_data(): var { return [{ tag: "420", width: 420 }, { tag: "700", width: 700 }, { tag: "1180", width: 1180 }] }
    function test_6_nothing_is_wider_than_a_narrow_page(data: var): void {
        const item = createTemporaryObject(page, test, { width: data.width })
        comparison.open(1)
        tryVerify(() => comparison.state === CompareController.Done)
        wait(50)
        for (const child of all(item, child => child.visible && child.width > 0 && child.implicitWidth !== undefined && child.text !== undefined && child.text !== "")) {
            const right = child.mapToItem(item, child.width, 0).x
            verify(right <= data.width + 0.5, child.text + " ends at " + right)
        }
    }
    function test_7_the_result_is_written_out(): void {
        const item = createTemporaryObject(page, test)
        comparison.open(1)
        tryVerify(() => comparison.state === CompareController.Done)
        for (const kind of ["md", "csv", "json"]) {
            item.exporter.said = ""
            item.exporter.save("file://" + emptyFolder + "/out." + kind, kind)
            compare(item.exporter.said, "Saved as " + emptyFolder + "/out." + kind)
        }
        wait(50)  // until laid out
        item.exporter.save("file://" + emptyFolder + "/out.png", "png")
        tryCompare(item.exporter, "said", "Saved as " + emptyFolder + "/out.png")
        const nothing = createTemporaryQmlObject("import QtQuick; Item {}", test)
        const button = createTemporaryObject(exporter, test, { picture: nothing })
        button.save("file://" + emptyFolder + "/none.png", "png")
        compare(button.said, "The picture could not be written to " + emptyFolder + "/none.png")
        const image = createTemporaryQmlObject("import QtQuick; Image {}", test)
        image.source = "file://" + emptyFolder + "/out.png"
        tryCompare(image, "status", Image.Ready)
        compare(image.sourceSize.width, item.result.width * 2)
        item.exporter.save("file:///nowhere/at/all.md", "md")
        verify(comparison.notice.isSet)
        comparison.dismissNotice()
    }
    // Two models of the same format and type: only the labels tell them apart.
    function test_8_every_part_shows_which_model_is_which(): void {
        const labels = ["Morning", "Evening"]
        for (const label of labels) comparison.addModel(builtInModel, label, "SafeTensors", "BF16")
        comparison.prompt = "Tell me a story."
        comparison.start()
        tryVerify(() => comparison.state === CompareController.Done, patience)
        verify(labels.includes(comparison.reference), comparison.reference)
        for (const part of [wideTable, narrowTable, bars, spread]) {
            const item = createTemporaryObject(part, test)
            for (const label of labels) tryVerify(() => visibleText(item, label).length === 1, 5000, item + " " + label)
        }
        const card = createTemporaryObject(divergence, test)  // has a row for each model but the reference
        for (const label of labels) tryVerify(() => visibleText(card, label).length === (label === comparison.reference ? 0 : 1), 5000, label)
    }
    function test_a_token_that_differs_is_marked_and_markup_is_text(): void {
        const item = createTemporaryObject(column, test)
        verify(item.html.includes('">a <span style="background-color:' + Theme.colors.warnSoft + '">&lt;b></span> sea\nof salt</p>'), item.html)
        item.markStart = -1
        verify(all(item, child => child.textFormat === Text.PlainText && child.text === item.text).length === 1)
    }
    function test_b_figures_are_written_as_the_table_writes_them(): void {
        const rows = createTemporaryObject(figureColumns, test).rows
        const show = (key, value) => rows.find(row => row.key === key).show(value)
        compare(show("kl", 0), "0")
        compare(show("kl", 0.0312), "0.031")
        compare(show("kl", 0.00002), "2e-5")
        compare(show("kl", NaN), "")
        compare(show("top1", 1), "100 %")
        compare(show("top1", 0.931), "93.1 %")
        compare(show("bits", 4.5), "4.5")
        compare(show("perplexity", 9.714), "9.71")
        compare(show("p50", 0.434), "0.43")
        compare(show("decode", 39.4), "39.4")
        compare(rows.length, 12)
    }
    function test_c_a_verdict_is_said_in_words(): void {
        const item = createTemporaryObject(verdict, test)
        compare(item.Accessible.name, "The figures agree. Decode within 2 %")
        item.verdict = ""
        verify(!item.visible)
    }
}
