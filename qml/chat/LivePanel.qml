import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Live state of the engine. Displays PanelModel's figures and computes none.
Item {
    id: view

    required property PanelModel panel
    required property InferenceController inference

    readonly property bool live: panel.phase !== PanelModel.Idle
    readonly property bool decoding: panel.phase === PanelModel.Decode
    readonly property bool elsewhere: panel.server !== ""
    readonly property string perSecond: panel.pieces ? qsTr("pieces/s") : qsTr("tok/s")
    readonly property bool began: live || panel.tokens > 0  // from then on items keep their positions

    Flickable {
        id: flick
        anchors { left: parent.left; right: parent.right; top: parent.top; bottom: footer.top; bottomMargin: Theme.space(2) }
        contentHeight: column.implicitHeight + Theme.space(3)
        boundsBehavior: Flickable.StopAtBounds
        interactive: contentHeight > height
        clip: true
        T.ScrollBar.vertical: ScrollBar {}

        ColumnLayout {
            id: column
            x: Theme.space(4)
            y: Theme.space(3)
            width: view.width - Theme.space(8)
            spacing: Theme.space(2.5)

            RowLayout {
                spacing: Theme.space(2)
                Label {
                    id: head
                    kind: "label"
                    font.weight: Font.DemiBold
                    text: view.decoding ? qsTr("Now") :
                        view.panel.phase === PanelModel.Prefill ? qsTr("Reading the prompt") :
                        view.live ? qsTr("Waiting") :
                        view.panel.tokens > 0 ? qsTr("Last reply") : qsTr("Live panel")
                    Layout.fillWidth: true
                }
                DeviceBadge {
                    inference: view.inference
                    maximumWidth: Math.min(column.width * (elsewhere ? 0.5 : 0.64), column.width - head.implicitWidth - Theme.space(2))
                }
            }
            Label {
                visible: !view.began
                kind: "note"
                text: qsTr("Speed appears here while a reply is written.")
                wrapMode: Text.Wrap
                Layout.fillWidth: true
            }
            RowLayout {
                visible: view.began
                spacing: Theme.space(2)
                Layout.fillWidth: true
                Layout.topMargin: -Theme.space(1.5)
                Digits {
                    id: figure
                    readonly property double shown: view.decoding ? view.panel.decodeNow :
                        view.panel.phase === PanelModel.Prefill ? view.panel.prefillSpeed :
                        view.panel.decodeAverage
                    text: Figures.speed(shown)
                    pixelSize: Theme.figureSize
                    weight: Font.DemiBold
                    Layout.minimumHeight: unit.figureHeight
                }
                Label {
                    id: unit
                    readonly property real figureHeight: Math.ceil(Theme.figureSize * 1.2)
                    visible: figure.text !== ""
                    text: view.perSecond
                    color: Theme.colors.muted
                    Layout.alignment: Qt.AlignBottom
                    bottomPadding: Theme.figureSize * 0.16
                    Layout.fillWidth: true
                }
            }
            Label {
                kind: "note"
                visible: text !== ""
                wrapMode: Text.Wrap
                Layout.fillWidth: true
                Layout.topMargin: -Theme.space(2)
                text: Figures.percent(view.panel.bandwidthShare) !== "" ?
                    qsTr("%1 of this machine's %2 tok/s ceiling")
                        .arg(Figures.percent(view.panel.bandwidthShare)).arg(Figures.speed(view.panel.ceiling)) :
                    ""
                HoverHandler { id: shareHover }
                Tip {
                    visible: shareHover.hovered
                    text: qsTr("Bytes that must be read for each token, times decode speed, divided by the bandwidth measured on this device for that many bytes (%1 GB/s; %2)")
                        .arg(Figures.gigabytes(view.panel.bandwidth)).arg(Figures.moment(view.panel.bandwidthTime))
                }
            }
            Label {
                objectName: "measuredHere"
                visible: view.elsewhere && view.began
                kind: "note"
                text: view.panel.pieces && !view.live ?
                    qsTr("Measured by this program; %1 tells no number of tokens, so pieces of text are counted.").arg(view.panel.server) :
                    qsTr("Measured by this program. %1 does not tell its memory, cache and bandwidth.").arg(view.panel.server)
                wrapMode: Text.Wrap
                Layout.fillWidth: true
                Layout.topMargin: -Theme.space(1)
            }
            Label {
                visible: view.panel.others > 0
                kind: "note"
                text: qsTr("%n other answer(s) at the same time", "", view.panel.others)
                wrapMode: Text.Wrap
                Layout.fillWidth: true
                Layout.topMargin: -Theme.space(1)
            }
            Progress {
                visible: view.panel.phase === PanelModel.Prefill && view.panel.prefillTotal > 0
                value: view.panel.prefillTotal > 0 ? view.panel.prefillDone / view.panel.prefillTotal : 0
                Layout.fillWidth: true
                Accessible.name: qsTr("Prefill progress")
            }
            Sparkline {
                Layout.fillWidth: true
                Layout.topMargin: Theme.space(1)
                Layout.bottomMargin: Theme.space(1)
                visible: view.began
                points: view.panel.history
                ceiling: view.panel.ceiling > 0 ? view.panel.ceiling : 0
                ceilingText: qsTr("ceiling %1").arg(Figures.speed(view.panel.ceiling))
            }

            FigureLine {
                Layout.fillWidth: true
                keep: view.began
                name: qsTr("Time to first token")
                value: Figures.duration(view.panel.ttftMs)
                strong: true
                tip: view.elsewhere ? qsTr("From sending the request to the first text that arrived, the network included") :
                    qsTr("From the request's arrival in the engine to the first sampled token")
            }
            FigureLine {
                Layout.fillWidth: true
                keep: view.began && !view.elsewhere
                name: qsTr("Prefill")
                value: Figures.speed(view.panel.prefillSpeed); unit: "tok/s"
                tip: view.elsewhere ? qsTr("As the server tells it") : qsTr("Prompt tokens computed per second; %1 of %2")
                    .arg(Figures.integer(view.panel.prefillDone)).arg(Figures.integer(view.panel.prefillTotal))
            }
            FigureLine {
                Layout.fillWidth: true
                keep: view.began
                name: qsTr("Decode, average")
                value: Figures.speed(view.panel.decodeAverage)
                unit: view.perSecond
                tip: qsTr("Tokens after the first, divided by the time since the first")
            }
            FigureLine {
                Layout.fillWidth: true
                keep: view.began
                name: view.elsewhere ? qsTr("ms per piece p50") : qsTr("ms per token p50")
                value: Figures.milliseconds(view.panel.tpotP50)
                tip: view.elsewhere ? qsTr("Between pieces of text as they arrived; a piece may be several tokens") : ""
            }
            FigureLine {
                Layout.fillWidth: true
                keep: view.began
                name: qsTr("p95 · p99")
                value: Figures.milliseconds(view.panel.tpotP95) === "" ? "" :
                    Figures.milliseconds(view.panel.tpotP95) + " · " + Figures.milliseconds(view.panel.tpotP99)
            }
            FigureLine {
                Layout.fillWidth: true
                keep: view.began
                name: view.panel.pieces ? qsTr("Pieces") : qsTr("Tokens")
                value: view.panel.tokens > 0 ? Figures.integer(view.panel.tokens) : ""
            }
            FigureLine {
                Layout.fillWidth: true
                visible: view.panel.drafted > 0
                name: qsTr("Accepted of drafted tokens")
                value: qsTr("%1 of %2").arg(Figures.integer(view.panel.accepted)).arg(Figures.integer(view.panel.drafted))
            }

            PanelBar {
                Layout.fillWidth: true
                Layout.topMargin: Theme.space(2.5)
                visible: view.began
                name: qsTr("This reply")
                figure: Figures.duration(view.panel.replyMs)
                total: view.panel.replyMs
                parts: [
                    { name: qsTr("queue"), value: view.panel.queueMs,
                        text: Figures.milliseconds(view.panel.queueMs), ink: Theme.colors.faint },
                    { name: qsTr("template"), value: view.panel.templateMs,
                        text: Figures.milliseconds(view.panel.templateMs), ink: Theme.colors.mlx },
                    { name: qsTr("tokenize"), value: view.panel.tokenizeMs,
                        text: Figures.milliseconds(view.panel.tokenizeMs), ink: Theme.colors.gguf },
                    { name: qsTr("prefill"), value: view.elsewhere ? NaN : view.panel.prefillMs,
                        text: Figures.milliseconds(view.elsewhere ? NaN : view.panel.prefillMs), ink: Theme.colors.safetensors },
                    { name: qsTr("until the first text"), value: view.elsewhere ? view.panel.ttftMs : NaN,
                        text: Figures.milliseconds(view.elsewhere ? view.panel.ttftMs : NaN), ink: Theme.colors.safetensors },
                    { name: qsTr("decode"), value: view.panel.decodeMs,
                        text: Figures.milliseconds(view.panel.decodeMs), ink: Theme.colors.accent }
                ]
                unit: "ms"
            }
            PanelBar {
                Layout.fillWidth: true
                Layout.topMargin: Theme.space(2.5)
                visible: view.began && view.panel.contextTotal > 0 && view.panel.contextUsed > 0
                name: qsTr("Context of this reply")
                figure: qsTr("%1 of %2").arg(Figures.integer(view.panel.contextUsed)).arg(Figures.integer(view.panel.contextTotal))
                total: view.panel.contextTotal
                parts: [
                    { name: qsTr("reused from the cache"), value: view.panel.contextReused,
                        text: Figures.integer(view.panel.contextReused), ink: Theme.colors.faint, numberFirst: true },
                    { name: "", value: Math.max(0, view.panel.contextUsed - view.panel.contextReused),
                        text: "", ink: Theme.colors.accent }
                ]
            }
            DeviceBar {
                Layout.fillWidth: true
                Layout.topMargin: Theme.space(2.5)
                visible: !view.elsewhere && device.parts.length > 0
                device: view.inference.device
            }
            PanelBar {
                Layout.fillWidth: true
                Layout.topMargin: Theme.space(2.5)
                visible: view.panel.weightBytes > 0
                name: qsTr("Memory")
                figure: qsTr("%1 of %2").arg(Figures.bytes(view.panel.processBytes)).arg(Figures.bytes(view.panel.machineBytes))
                total: view.panel.machineBytes
                parts: [
                    { name: qsTr("weights"), value: view.panel.weightBytes,
                        text: Figures.megabytes(view.panel.weightBytes), ink: Theme.colors.gguf },
                    { name: qsTr("cache %1").arg(view.panel.cacheType), value: view.panel.cacheBytes,
                        text: view.panel.cacheHeld > 0 ?
                            qsTr("%1 of %2").arg(Figures.megabytes(view.panel.cacheHeld)).arg(Figures.megabytes(view.panel.cacheBytes)) :
                            Figures.megabytes(view.panel.cacheBytes), ink: Theme.colors.mlx },
                    { name: qsTr("scratch"), value: view.panel.scratchBytes,
                        text: Figures.megabytes(view.panel.scratchBytes), ink: Theme.colors.safetensors }
                ].concat(view.panel.draftBytes > 0 ? [
                    { name: qsTr("draft model"), value: view.panel.draftBytes,
                        text: Figures.megabytes(view.panel.draftBytes), ink: Theme.colors.accent }
                ] : [])
                unit: "MB"
            }
        }
    }
    Label {
        id: footer
        anchors { left: parent.left; right: parent.right; bottom: parent.bottom; margins: Theme.space(4); bottomMargin: Theme.space(3) }
        kind: "mono"
        color: Theme.colors.muted
        wrapMode: Text.Wrap
        text: (view.panel.loadMs > 0 ? qsTr("Loaded in %1").arg(Figures.duration(view.panel.loadMs)) + " · " : "") +
            qsTr("%1 hides this panel").arg(Actions.keys("chat.panel"))
    }
}
