import QtQuick
import QtTest
import Minerva.Metrics

Case {
    id: test
    name: "Timing"
    when: windowShown
    width: 900
    height: 600
    visible: true

    readonly property var figures: ({ prompt: 100, reused: 20, generated: 5, prefill: 842, decode: 39.1, ttft: 198, p50: 25, p95: 30, p99: 300, stalls: 1, share: 0.71, wall: 1000 })
    readonly property var shown: ({
        recordId: 7, title: "Model", format: "GGUF", type: "Q4_K", device: "CPU", time: "now", benchmark: false, repetitions: 1, end: "stop", figures: figures,
        phases: { queue: 10, load: 0, template: 20, tokenize: 30, prefill: 200, first_token: 40, decode: 600, detokenize: 50, render: 40 }, wall: 1000, unaccounted: 10
    })

    Component { id: timing; TimingCard { width: 600 } }
    Component { id: steadiness; SteadinessCard { width: 600 } }
    Component { id: chart; HistoryChart { title: "Decode"; key: "decode"; unit: "tok/s"; width: 400 } }
    SignalSpy { id: chosen; signalName: "chosen" }

    function pieces(card) { return all(card, item => item.modelData !== undefined && item.modelData.words !== undefined && item.color !== undefined) }

    function test_the_phases_fill_the_bar_and_unaccounted_is_one_of_them(): void {
        const card = createTemporaryObject(timing, test, { shown: shown })
        compare(card.parts.length, 10)
        compare(card.parts[9].words.key, "unaccounted")
        fuzzyCompare(card.parts.reduce((sum, part) => sum + part.ms, 0), 1000, 1)
        tryVerify(() => pieces(card).length === 10)
        const bar = pieces(card)[0].parent
        const widths = pieces(card).map(piece => piece.width)
        fuzzyCompare(widths.reduce((a, b) => a + b, 0), bar.width, 1)
        fuzzyCompare(widths[6] / bar.width, 0.6, 0.001)  // decode
        compare(card.written(0), "0 ms")
        compare(card.written(0.01), "<0.1 ms")
        compare(card.written(5841), "5.84 s")
        compare(card.share(600), "60.0 %")
    }
    function test_what_a_stopped_reply_did_not_reach_is_left_out(): void {
        const phases = Object.assign({}, shown.phases, { first_token: 0, decode: 0, detokenize: 0 })
        const card = createTemporaryObject(timing, test, { shown: Object.assign({}, shown, { phases: phases }) })
        compare(card.parts.map(part => part.words.key), ["queue", "load", "template", "tokenize", "prefill", "render", "unaccounted"])
    }
    function test_a_time_that_stands_alone_has_its_unit(): void {
        const slow = Object.assign({}, figures, { ttft: 2115 })
        const card = createTemporaryObject(steadiness, test, { shown: Object.assign({}, shown, { figures: slow }), intervals: [], stalls: [] })
        const line = find(card, child => child.key === "ttft")
        compare(line.value, "2.12 s")
        compare(line.unit, "")
    }
    function test_a_reply_without_phases_says_so(): void {
        const card = createTemporaryObject(timing, test, { shown: Object.assign({}, shown, { wall: NaN }) })
        compare(card.parts.length, 0)
        verify(all(card, item => item.text === "The phases of this reply were not measured." && item.visible).length === 1)
    }
    function test_a_stall_is_marked_at_its_token(): void {
        const points = Array.from({ length: 101 }, (v, i) => Qt.point(i + 1, i === 50 ? 300 : 25))
        const card = createTemporaryObject(steadiness, test, { shown: shown, intervals: points, stalls: [Qt.point(51, 300)] })
        compare(card.marks.count, 1)
        const mark = card.marks.itemAt(0)
        verify(mark.Accessible.name.includes("51"))
        tryVerify(() => Math.abs(mark.x + mark.width / 2 - mark.parent.width / 2) < 2)
        verify(all(card, item => item.text === "no stalls").length === 0)
    }
    function test_a_dot_is_a_reply_and_leads_to_it(): void {
        const points = [{ recordId: 1, decode: 20, title: "A", format: "GGUF", time: "t1", benchmark: false }, { recordId: 2, decode: NaN, title: "A", format: "GGUF", time: "t2", benchmark: false },
                        { recordId: 3, decode: 40, decodeLow: 30, decodeHigh: 45, title: "B", format: "MLX", time: "t3", benchmark: true }]
        const item = createTemporaryObject(chart, test, { points: points, median: 30 })
        compare(item.dots.count, 2)  // unknown values have no dot
        item.visible = false
        item.points = item.points.concat(item.points)
        compare(item.dots.count, 0)
        item.visible = true
        compare(item.dots.count, 4)
        item.points = item.points.slice(0, item.points.length / 2)
        compare(item.highest, 50)
        verify(item.dots.itemAt(1).Accessible.name.includes("benchmark"))
        verify(item.dots.itemAt(1).y < item.dots.itemAt(0).y)
        chosen.target = item
        chosen.clear()
        click(item.dots.itemAt(0), 0, 0)
        compare(chosen.count, 1)
        compare(chosen.signalArguments[0][0], 1)
    }
}
