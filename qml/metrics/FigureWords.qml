import QtQml
import Minerva.App

// Names, definitions and formatting of a reply's figures. key: in HistoryModel's role `figures`. show: below a title with the unit;
// alone: with its unit, if that depends on the figure.
QtObject {
    readonly property string stall: qsTr("A stall is a token that took more than four times the median and more than 50 ms")
    readonly property var rows: [
        { key: "prompt", title: qsTr("Prompt"), unit: qsTr("tokens"),
            tip: qsTr("Tokens of the whole conversation as it was sent"), show: v => Figures.integer(v) },
        { key: "reused", title: qsTr("Reused"), unit: qsTr("tokens"),
            tip: qsTr("Tokens of the prompt that were still in the cache and were not computed again"), show: v => Figures.integer(v) },
        { key: "generated", title: qsTr("Generated"), unit: qsTr("tokens"),
            tip: qsTr("Tokens of the reply, including its end token"), show: v => Figures.integer(v) },
        { key: "ttft", title: qsTr("TTFT"), unit: "ms",
            tip: qsTr("Time to first token: from the request's arrival in the engine to the first sampled token"),
            show: v => Figures.milliseconds(v), alone: v => Figures.duration(v) },
        { key: "prefill", title: qsTr("Prefill"), unit: "tok/s",
            tip: qsTr("Prompt tokens computed per second"), show: v => Figures.speed(v) },
        { key: "decode", title: qsTr("Decode"), unit: "tok/s",
            tip: qsTr("Tokens after the first, divided by the time since the first"), show: v => Figures.speed(v) },
        { key: "p50", title: qsTr("p50"), unit: "ms",
            tip: qsTr("Half of the tokens took at most this long"), show: v => Figures.milliseconds(v) },
        { key: "p95", title: qsTr("p95"), unit: "ms",
            tip: qsTr("95 of 100 tokens took at most this long"), show: v => Figures.milliseconds(v) },
        { key: "p99", title: qsTr("p99"), unit: "ms",
            tip: qsTr("99 of 100 tokens took at most this long"), show: v => Figures.milliseconds(v) },
        { key: "stalls", title: qsTr("Stalls"), unit: "", tip: stall, show: v => Figures.integer(v) },
        { key: "share", title: qsTr("Bandwidth"), unit: "",
            tip: qsTr("Share of the read bandwidth measured on this device: bytes that each token needs (all weights, and the cache of the positions so far), times decode speed"),
            show: v => Figures.percent(v) }
    ]
    function row(key: string): var { return rows.find(row => row.key === key) }
}
