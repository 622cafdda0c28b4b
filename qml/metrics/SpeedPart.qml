import QtQuick
import QtQuick.Layouts
import Minerva.Actions
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The benchmark with charts: what to measure, the run, the charts and figures of a report, and the reports that are kept.
ColumnLayout {
    id: part

    required property SpeedBenchmark speed
    property bool narrow: false

    readonly property var subject: speed.subject
    readonly property bool hasReport: (subject.model ?? "") !== ""
    readonly property LoadForecast forecast: speed.forecast
    readonly property alias run: runButton
    readonly property LastingRows charts: LastingRows { list: part.speed.charts }

    spacing: Theme.space(3)
    // Only while this is shown: what is free is looked at again when it is next.
    onVisibleChanged: forecast.wanted = visible
    Component.onCompleted: forecast.wanted = visible
    Component.onDestruction: forecast.wanted = false

    Card {
        padding: Theme.space(part.narrow ? 3 : 4)
        implicitHeight: settings.implicitHeight + 2 * padding
        Layout.fillWidth: true
        ColumnLayout {
            id: settings
            width: parent.width
            spacing: Theme.space(3)
            Label {
                text: part.speed.model !== "" ?
                    qsTr("How fast %1 reads and writes here: prompts of 128 tokens and replies of 64, three times after one warm-up, as minerva-bench speed measures them. It takes the processor for a while.").arg(part.speed.model) :
                    qsTr("Measures how fast a model reads and writes here, with many conversations and with long ones.")
                wrapMode: Text.WrapAtWordBoundaryOrAnywhere
                Layout.fillWidth: true
            }
            GridLayout {
                columns: part.narrow ? 1 : 2
                columnSpacing: Theme.space(4)
                rowSpacing: Theme.space(part.narrow ? 1 : 3)
                enabled: !part.speed.running
                Layout.fillWidth: true
                Label { text: qsTr("Conversations at the same time"); color: Theme.colors.muted; Accessible.ignored: true }
                SpeedChoice {
                    name: qsTr("Conversations at the same time")
                    choices: part.speed.batches
                    Layout.fillWidth: true
                    onToggled: value => part.speed.toggleBatch(value)
                }
                Label {
                    text: qsTr("Tokens already in the context")
                    color: Theme.colors.muted
                    Layout.topMargin: part.narrow ? Theme.space(2) : 0
                    Accessible.ignored: true
                }
                SpeedChoice {
                    name: qsTr("Tokens already in the context")
                    choices: part.speed.depths
                    whyNot: part.speed.modelContext > 0 ?
                        qsTr("This model was made for %1 tokens").arg(Figures.integer(part.speed.modelContext)) : ""
                    Layout.fillWidth: true
                    onToggled: value => part.speed.toggleDepth(value)
                }
            }
            Label {
                objectName: "speedNeeds"
                visible: text !== ""
                text: part.speed.whyNot !== "" ? part.speed.whyNot : part.forecast.model === "" || part.speed.model === "" ? "" :
                    qsTr("%n measurement(s); another instance of the model takes %1, and %2 are free.", "", part.speed.measurements)
                        .arg(Figures.bytes(part.forecast.total)).arg(Figures.bytes(part.forecast.room))
                kind: "note"
                color: part.speed.whyNot !== "" ? Theme.colors.warn : Theme.colors.muted
                wrapMode: Text.WrapAtWordBoundaryOrAnywhere
                Layout.fillWidth: true
            }
            GridLayout {
                columns: part.narrow ? 1 : 3
                columnSpacing: Theme.space(3)
                rowSpacing: Theme.space(2)
                Layout.fillWidth: true
                Button {
                    id: runButton
                    objectName: "speedRun"
                    kind: part.speed.running ? "plain" : "main"
                    text: part.speed.running ? qsTr("Cancel") : qsTr("Measure")
                    tip: part.speed.running ? Actions.keys("app.stop") : ""
                    enabled: part.speed.running || part.speed.canRun
                    onClicked: part.speed.running ? part.speed.cancel() : part.speed.run()
                }
                Progress {
                    visible: part.speed.running
                    value: part.speed.progress
                    Accessible.name: qsTr("Benchmark")
                    Layout.fillWidth: true
                    Layout.alignment: Qt.AlignVCenter
                }
                Label {
                    visible: part.speed.running
                    text: part.speed.stage
                    kind: "note"
                    wrapMode: Text.Wrap
                    Layout.minimumWidth: part.narrow ? 0 : Theme.space(75)
                    Layout.fillWidth: part.narrow
                }
                Item { visible: !part.speed.running && !part.narrow; Layout.fillWidth: true }
            }
        }
    }
    ErrorCard {
        error: part.speed.error
        dismissible: true
        Layout.fillWidth: true
        onDismissed: part.speed.dismissError()
    }
    RowLayout {
        visible: part.hasReport
        spacing: Theme.space(2)
        Layout.fillWidth: true
        ElidedLabel { text: part.subject.model ?? ""; kind: "header"; Layout.fillWidth: true; Layout.maximumWidth: Math.ceil(implicitWidth) }
        FormatTag { format: part.subject.format ?? "" }
        Label { text: part.subject.type ?? ""; kind: "note"; visible: text !== "" && !part.narrow }
        ElidedLabel { text: part.subject.device ?? ""; kind: "note"; elide: Text.ElideRight; Layout.fillWidth: true }
    }
    GridLayout {
        visible: part.hasReport && part.charts.count > 0
        columns: part.narrow ? 1 : 2
        columnSpacing: Theme.space(3)
        rowSpacing: Theme.space(3)
        Layout.fillWidth: true
        LayoutRepeater {
            model: part.charts.count
            SpeedChart {
                required property int index
                facts: part.charts.rows[index]
                ink: Theme.formatColor(part.subject.format ?? "")
                Layout.fillWidth: true
                Layout.preferredWidth: 1
            }
        }
    }
    SpeedTable {
        visible: part.hasReport
        rows: part.speed.table
        narrow: part.narrow
        Layout.fillWidth: true
    }
    Label {
        visible: part.subject.disturbed ?? false
        text: qsTr("Minerva did other work during this benchmark, such as a reply: the model is faster than its figures.")
        kind: "note"
        color: Theme.colors.warn
        wrapMode: Text.Wrap
        Layout.fillWidth: true
    }
    Label {
        visible: part.hasReport
        text: qsTr("Medians of %n repetition(s) with random text: prompts of %1 tokens, replies of %2.", "", part.subject.repetitions ?? 0)
            .arg(part.subject.prompt ?? 0).arg(part.subject.generate ?? 0) + " " + (part.subject.machine ?? "")
        kind: "note"
        wrapMode: Text.WrapAtWordBoundaryOrAnywhere
        Layout.fillWidth: true
    }
    Label {
        visible: text !== ""
        text: part.speed.said
        kind: "note"
        wrapMode: Text.WrapAtWordBoundaryOrAnywhere
        Layout.fillWidth: true
    }
    UndoLine {
        id: undoLine
        visible: part.speed.removedName !== ""
        text: qsTr("Deleted %1").arg(part.speed.removedName)
        Layout.fillWidth: true
        onUndone: part.speed.undoRemove()
        onPassed: part.speed.dismissUndo()
        Connections {
            target: part.speed
            function onRemovedChanged() { undoLine.again() }
        }
    }
    Label { visible: kept.count > 0; text: qsTr("Kept benchmarks"); kind: "header"; Layout.topMargin: Theme.space(3) }
    SpeedList {
        id: kept
        visible: count > 0
        speed: part.speed
        Layout.fillWidth: true
    }
}
