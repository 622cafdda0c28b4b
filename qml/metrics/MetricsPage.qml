import QtQuick
import QtQuick.Dialogs
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.Actions
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Performance of the replies on this machine: one record in full, and the history.
Item {
    id: page

    required property MetricsController metrics
    required property SpeedBenchmark speed
    required property DeviceCheck devices
    required property InferenceController inference
    required property LocalServer server
    required property Settings settings
    property string view: "replies"  // or "benchmark", "devices", "server"

    readonly property HistoryModel history: metrics.history
    readonly property bool narrow: width < Theme.space(230)
    readonly property bool cramped: width < Theme.space(190)  // for the page's head
    readonly property bool tiny: width < Theme.space(140)
    readonly property bool empty: history.total === 0
    readonly property real edge: Theme.space(narrow ? 4 : 6)
    readonly property var shown: metrics.shown
    readonly property var medians: history.medians
    readonly property var modelChoices: history.models
    readonly property var deviceChoices: history.devices
    readonly property double current: shown.recordId ?? 0
    readonly property FigureWords words: FigureWords {}
    readonly property alias table: table
    readonly property alias timing: timing
    readonly property alias steadiness: steadiness

    function choose(recordId: var): void { metrics.open(recordId); scroll.contentY = 0 }

    ActionShortcut { name: "metrics.benchmark"; possible: page.metrics.benchmark.canRun; onActivated: page.metrics.benchmark.run() }
    ActionShortcut { name: "metrics.charts"; onActivated: page.view = "benchmark" }
    ActionShortcut { name: "metrics.server"; onActivated: page.view = "server" }
    ActionShortcut {
        name: "metrics.export"
        possible: page.view === "benchmark" ? (page.speed.subject.model ?? "") !== "" : page.history.count > 0
        onActivated: exportMenu.popup(exportButton, 0, exportButton.height + Theme.space(1))
    }

    ColumnLayout {
        anchors { fill: parent; topMargin: Theme.pageTop }
        spacing: Theme.space(3)

        PageHead {
            spacing: Theme.space(2)
            Layout.fillWidth: true
            Layout.leftMargin: page.edge
            Layout.rightMargin: page.edge
            Label { visible: !page.cramped; text: qsTr("Metrics"); kind: "title"; Layout.minimumWidth: implicitWidth }
            Tab {
                text: qsTr("Replies")
                tight: page.tiny
                checked: page.view === "replies"
                Layout.leftMargin: page.cramped ? 0 : Theme.space(1)
                onClicked: page.view = "replies"
            }
            Tab {
                objectName: "benchmarkTab"
                text: page.tiny ? qsTr("Speed") : qsTr("Benchmark")
                tight: page.tiny
                checked: page.view === "benchmark"
                Accessible.name: qsTr("Benchmark")
                onClicked: page.view = "benchmark"
            }
            Tab { text: qsTr("Devices"); tight: page.tiny; checked: page.view === "devices"; onClicked: page.view = "devices" }
            Tab { text: qsTr("Server"); tight: page.tiny; checked: page.view === "server"; onClicked: page.view = "server" }
            Item { Layout.fillWidth: true }
            Button {
                visible: page.view === "replies"
                iconName: page.cramped ? "metrics" : ""
                text: page.cramped ? "" : page.narrow ? qsTr("Measure") : qsTr("Run benchmark")
                Accessible.name: qsTr("Run benchmark")
                enabled: page.metrics.benchmark.canRun
                tip: page.inference.model.server !== "" ?
                    qsTr("A benchmark measures a model of this computer; the present one runs on %1").arg(page.inference.model.server) :
                    qsTr("Measures the loaded model: random prompts of 512 tokens and replies of 128, five times after one warm-up run. What a conversation had in the cache is computed again afterwards") +
                    "  " + Actions.keys("metrics.benchmark")
                onClicked: page.metrics.benchmark.run()
            }
            Button {
                id: exportButton
                visible: page.view === "benchmark" ? (page.speed.subject.model ?? "") !== "" : !page.empty && page.view === "replies"
                enabled: page.view === "benchmark" ? !page.speed.running : page.history.count > 0
                iconName: page.cramped ? "arrow-down" : ""
                text: page.cramped ? "" : qsTr("Export")
                Accessible.name: qsTr("Export")
                tip: (page.view === "benchmark" ? qsTr("Export the benchmark") : qsTr("Export the rows of the table")) + "  " + Actions.keys("metrics.export")
                onClicked: exportMenu.popup(exportButton, 0, height + Theme.space(1))
                Menu {
                    id: exportMenu
                    MenuItem { visible: page.view === "benchmark"; text: qsTr("Markdown..."); note: ".md"; onTriggered: dialog.choose("md") }
                    MenuItem { visible: page.view === "benchmark"; text: qsTr("Chart..."); note: ".svg"; onTriggered: dialog.choose("svg") }
                    MenuItem { visible: page.view !== "benchmark"; text: qsTr("Table..."); note: ".csv"; onTriggered: dialog.choose("csv") }
                    MenuItem { text: qsTr("Everything..."); note: ".json"; onTriggered: dialog.choose("json") }
                }
            }
        }
        ErrorCard {
            error: page.metrics.error
            dismissible: true
            Layout.fillWidth: true
            Layout.leftMargin: page.edge
            Layout.rightMargin: page.edge
            onDismissed: page.metrics.dismissError()
        }
        BenchmarkCard {
            benchmark: page.metrics.benchmark
            Layout.fillWidth: true
            Layout.leftMargin: page.edge
            Layout.rightMargin: page.edge
        }
        Flickable {
            id: scroll
            Layout.fillWidth: true
            Layout.fillHeight: true
            contentHeight: content.implicitHeight + page.edge
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: ScrollBar {}

            ColumnLayout {
                id: content
                x: page.edge
                width: scroll.width - 2 * page.edge
                spacing: Theme.space(3)

                ColumnLayout {
                    visible: page.view === "replies"
                    spacing: Theme.space(3)
                    Layout.fillWidth: true

                    EmptyState {
                        visible: page.empty && !page.metrics.missing
                        sentence: qsTr("Speed, time to first token and where the time went are kept here for every reply. Nothing has been measured yet: send a message.")
                        Layout.fillWidth: true
                        Layout.topMargin: scroll.height / 4
                    }
                    Label {
                        visible: page.metrics.missing
                        text: qsTr("This reply has no measurements: it is older than the metrics page, or a copy in a branch.")
                        kind: "note"
                        wrapMode: Text.Wrap
                        Layout.fillWidth: true
                    }
                    RowLayout {
                        visible: page.current !== 0
                        spacing: Theme.space(2)
                        Layout.fillWidth: true
                        ElidedLabel {
                            text: page.shown.title ?? ""
                            kind: "header"
                            Layout.fillWidth: true
                            Layout.maximumWidth: Math.ceil(implicitWidth)
                        }
                        FormatTag { format: page.shown.format ?? "" }
                        Label { text: page.shown.type ?? ""; kind: "note"; visible: text !== "" && !page.narrow }
                        Tag {
                            visible: page.shown.benchmark ?? false
                            text: qsTr("benchmark")
                            ink: Theme.colors.accent
                            ground: Theme.colors.accentSoft
                        }
                        ElidedLabel {
                            text: (page.shown.time ?? "") + " · " + (page.shown.device ?? "")
                            kind: "note"
                            elide: Text.ElideRight
                            Layout.fillWidth: true
                        }
                    }
                    GridLayout {
                        visible: page.current !== 0
                        columns: page.narrow ? 1 : 2
                        columnSpacing: Theme.space(3)
                        rowSpacing: Theme.space(3)
                        Layout.fillWidth: true
                        TimingCard {
                            id: timing
                            shown: page.shown
                            Layout.fillWidth: true
                            Layout.fillHeight: true
                            Layout.preferredWidth: 1
                        }
                        SteadinessCard {
                            id: steadiness
                            shown: page.shown
                            intervals: page.metrics.intervals
                            stalls: page.metrics.stalls
                            Layout.fillWidth: true
                            Layout.fillHeight: true
                            Layout.preferredWidth: 1
                        }
                    }
                    GridLayout {
                        visible: !page.empty
                        columns: page.narrow ? 1 : 5
                        columnSpacing: Theme.space(2)
                        rowSpacing: Theme.space(2)
                        Layout.fillWidth: true
                        Layout.topMargin: Theme.space(3)
                        Label { text: qsTr("History"); kind: "header" }
                        ComboBox {
                            model: page.modelChoices
                            textRole: "title"
                            valueRole: "value"
                            currentIndex: Math.max(0, page.modelChoices.findIndex(entry => entry.value === page.history.model))
                            Accessible.name: qsTr("Model")
                            Layout.preferredWidth: Theme.space(70)
                            Layout.fillWidth: page.narrow
                            onActivated: page.history.model = currentValue
                        }
                        ComboBox {
                            model: page.deviceChoices
                            textRole: "title"
                            valueRole: "value"
                            currentIndex: Math.max(0, page.deviceChoices.findIndex(entry => entry.value === page.history.device))
                            Accessible.name: qsTr("Device")
                            Layout.preferredWidth: Theme.space(60)
                            Layout.fillWidth: page.narrow
                            onActivated: page.history.device = currentValue
                        }
                        Toggle {
                            text: qsTr("Benchmarks only")
                            checked: page.history.benchmarksOnly
                            onToggled: page.history.benchmarksOnly = checked
                        }
                        Item { Layout.fillWidth: true }
                    }
                    GridLayout {
                        visible: !page.empty
                        columns: page.narrow ? 1 : 2
                        columnSpacing: Theme.space(3)
                        rowSpacing: Theme.space(3)
                        Layout.fillWidth: true
                        HistoryChart {
                            title: qsTr("Decode, tok/s")
                            key: "decode"
                            unit: qsTr("tok/s")
                            points: page.history.points
                            median: page.medians.decode
                            current: page.current
                            Layout.fillWidth: true
                            Layout.preferredWidth: 1
                            onChosen: recordId => page.choose(recordId)
                        }
                        HistoryChart {
                            title: qsTr("Time to first token, ms")
                            key: "ttft"
                            unit: "ms"
                            points: page.history.points
                            median: page.medians.ttft
                            current: page.current
                            Layout.fillWidth: true
                            Layout.preferredWidth: 1
                            onChosen: recordId => page.choose(recordId)
                        }
                    }
                    HistoryTable {
                        id: table
                        visible: page.history.count > 0
                        history: page.history
                        current: page.current
                        narrow: page.narrow
                        Layout.fillWidth: true
                        onChosen: recordId => page.choose(recordId)
                    }
                    Label {
                        visible: !page.empty && page.history.count === 0
                        text: qsTr("There are no measurements for this selection.")
                        kind: "note"
                        Layout.fillWidth: true
                    }
                    Label {
                        visible: text !== ""
                        text: page.metrics.said
                        kind: "note"
                        wrapMode: Text.WrapAtWordBoundaryOrAnywhere
                        Layout.fillWidth: true
                    }
                }
                Loader {
                    active: page.view === "benchmark"
                    visible: active
                    Layout.fillWidth: true
                    sourceComponent: SpeedPart { speed: page.speed; narrow: page.narrow }
                }
                Loader {
                    active: page.view === "devices"
                    visible: active
                    Layout.fillWidth: true
                    sourceComponent: DevicesPart {
                        devices: page.devices
                        inference: page.inference
                        settings: page.settings
                        narrow: page.narrow
                    }
                }
                Loader {
                    active: page.view === "server"
                    visible: active
                    Layout.fillWidth: true
                    sourceComponent: ServerPart {
                        server: page.server
                        settings: page.settings
                        narrow: page.tiny
                        elsewhere: page.inference.model.server
                    }
                }
            }
        }
    }
    FileDialog {
        id: dialog
        property string exportKind: "csv"
        function choose(kind: string): void { exportKind = kind; open() }
        title: qsTr("Export the figures")
        fileMode: FileDialog.SaveFile
        defaultSuffix: exportKind
        nameFilters: [exportKind.toUpperCase() + " (*." + exportKind + ")"]
        onAccepted: page.view === "benchmark" ? page.speed.exportTo(selectedFile, exportKind) : page.metrics.exportTo(selectedFile, exportKind)
    }
}
