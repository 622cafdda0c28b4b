import QtQml
import Minerva.App

// The columns of the figure table, in order, and their formatting. key: in ColumnModel's roles `figures` and `best`; share:
// of the table's width.
QtObject {
    readonly property var rows: [
        { key: "load", share: 0.9, title: qsTr("Load"),
            tip: qsTr("From opening the file until the first step is possible"), show: v => Figures.duration(v) },
        { key: "ttft", share: 0.9, title: qsTr("TTFT"),
            tip: qsTr("Time to first token: from the request's arrival in the engine"), show: v => Figures.duration(v) },
        { key: "prefill", share: 1.25, title: qsTr("Prefill tok/s"),
            tip: qsTr("Prompt tokens computed per second"), show: v => Figures.speed(v) },
        { key: "decode", share: 1.3, title: qsTr("Decode tok/s"),
            tip: qsTr("Tokens after the first, divided by the time since the first"), show: v => Figures.speed(v) },
        { key: "p50", share: 1.0, title: qsTr("ms/token"),
            tip: qsTr("Half of the tokens took at most this long (p50)"), show: v => fine(v) },
        { key: "p95", share: 0.75, title: qsTr("p95"),
            tip: qsTr("95 of 100 tokens took at most this many ms"), show: v => fine(v) },
        { key: "memory", share: 0.95, title: qsTr("Memory"),
            tip: qsTr("Weights, state of the conversation, and scratch memory on the device"), show: v => Figures.bytes(v) },
        { key: "disk", share: 0.85, title: qsTr("Disk"),
            tip: qsTr("Size of the weight files"), show: v => Figures.bytes(v) },
        { key: "bits", share: 1.15, title: qsTr("Bits/weight"),
            tip: qsTr("File size in bits per parameter"), show: v => Figures.decimal(v, 1) },
        { key: "kl", share: 1.05, title: qsTr("KL"),
            tip: qsTr("Mean divergence of the predictions from the most precise model's, in nats; 0 means identical"),
            show: v => divergence(v) },
        { key: "top1", share: 1.0, title: qsTr("Same top"),
            tip: qsTr("How often the most likely token is the same as the most precise model's"),
            show: v => isNaN(v) ? "" : Figures.decimal(v * 100, v === 1 ? 0 : 1) + " %" },
        { key: "perplexity", share: 1.1, title: qsTr("Perplexity"),
            tip: qsTr("Of the text all models are measured on; lower means less surprised"),
            show: v => Figures.decimal(v, v < 100 ? 2 : 0) }
    ]

    readonly property real shares: rows.reduce((sum, row) => sum + row.share, 0)

    function fine(ms: real): string { return Figures.decimal(ms, ms < 9.95 ? 2 : ms < 99.5 ? 1 : 0) }
    function divergence(kl: real): string {
        return isNaN(kl) ? "" :
            kl === 0 ? "0" :
            kl < 0.0001 ? kl.toExponential(0) :
            Figures.decimal(kl, Math.max(0, 1 - Math.floor(Math.log10(kl))))
    }
}
