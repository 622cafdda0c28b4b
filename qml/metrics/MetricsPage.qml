import QtQuick
import QtQuick.Dialogs
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// What replies took on this machine: one in full, all over time.
Item {
    id: page

    required property MetricsController metrics

    readonly property HistoryModel history: metrics.history
    readonly property bool narrow: width < Theme.space(190)
    readonly property bool empty: history.total === 0
    readonly property real edge: Theme.space(narrow ? 4 : 6)
    readonly property double current: metrics.shown.recordId ?? 0
    readonly property FigureWords words: FigureWords {}
    readonly property alias table: table
    readonly property alias timing: timing
    readonly property alias steadiness: steadiness

    function choose(recordId: var): void { metrics.open(recordId); scroll.contentY = 0 }

    Shortcut { sequence: "Ctrl+E"; enabled: page.visible && page.history.count > 0; onActivated: exportMenu.popup(exportButton, 0, exportButton.height + Theme.space(1)) }

    ColumnLayout {
        anchors { fill: parent; topMargin: Theme.space(5) }
        spacing: Theme.space(3)

        RowLayout {
            spacing: Theme.space(2)
            Layout.fillWidth: true
            Layout.leftMargin: page.edge
            Layout.rightMargin: page.edge
            Label { text: qsTr("Metrics"); kind: "title"; Layout.minimumWidth: implicitWidth }
            Item { Layout.fillWidth: true }
            Button {
                id: exportButton
                visible: !page.empty
                enabled: page.history.count > 0
                text: qsTr("Export")
                tip: qsTr("Export the rows of the table  Ctrl+E")
                onClicked: exportMenu.popup(exportButton, 0, height + Theme.space(1))
                Menu {
                    id: exportMenu
                    MenuItem { text: qsTr("Table..."); note: ".csv"; onTriggered: dialog.choose("csv") }
                    MenuItem { text: qsTr("Everything..."); note: ".json"; onTriggered: dialog.choose("json") }
                }
            }
        }
        ErrorCard {
            visible: page.metrics.error.isSet
            headline: page.metrics.error.headline
            reason: page.metrics.error.detail
            hint: page.metrics.error.hint
            details: page.metrics.error.details
            dismissible: true
            Layout.fillWidth: true
            Layout.leftMargin: page.edge
            Layout.rightMargin: page.edge
            onDismissed: page.metrics.dismissError()
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

                EmptyState {
                    visible: page.empty && !page.metrics.missing
                    sentence: qsTr("Speed, time to first token and where the time went are kept here for every reply. Nothing was measured yet: send a message.")
                    Layout.fillWidth: true
                    Layout.topMargin: scroll.height / 4
                }
                Label {
                    visible: page.metrics.missing
                    text: qsTr("Nothing was measured of this reply: it is older than the metrics page, or a copy in a branch.")
                    kind: "note"
                    wrapMode: Text.Wrap
                    Layout.fillWidth: true
                }
                RowLayout {
                    visible: page.current !== 0
                    spacing: Theme.space(2)
                    Layout.fillWidth: true
                    ElidedLabel { text: page.metrics.shown.title ?? ""; kind: "header"; Layout.fillWidth: true; Layout.maximumWidth: Math.ceil(implicitWidth) }
                    FormatTag { format: page.metrics.shown.format ?? "" }
                    Label { text: page.metrics.shown.type ?? ""; kind: "note"; visible: text !== "" && !page.narrow }
                    Tag { visible: page.metrics.shown.benchmark ?? false; text: qsTr("benchmark"); ink: Theme.colors.accent; ground: Theme.colors.accentSoft }
                    ElidedLabel { text: (page.metrics.shown.time ?? "") + " · " + (page.metrics.shown.device ?? ""); kind: "note"; elide: Text.ElideRight; Layout.fillWidth: true }
                }
                GridLayout {
                    visible: page.current !== 0
                    columns: page.narrow ? 1 : 2
                    columnSpacing: Theme.space(3)
                    rowSpacing: Theme.space(3)
                    Layout.fillWidth: true
                    TimingCard { id: timing; shown: page.metrics.shown; Layout.fillWidth: true; Layout.fillHeight: true; Layout.preferredWidth: 1 }
                    SteadinessCard { id: steadiness; shown: page.metrics.shown; intervals: page.metrics.intervals; stalls: page.metrics.stalls; Layout.fillWidth: true; Layout.fillHeight: true; Layout.preferredWidth: 1 }
                }
                GridLayout {
                    visible: !page.empty
                    columns: page.narrow ? 1 : 5
                    columnSpacing: Theme.space(2)
                    rowSpacing: Theme.space(2)
                    Layout.fillWidth: true
                    Layout.topMargin: Theme.space(3)
                    Label { text: qsTr("History"); kind: "header" }
                    ComboBox { model: page.history.models; textRole: "title"; valueRole: "value"; currentIndex: Math.max(0, page.history.models.findIndex(entry => entry.value === page.history.model)); Accessible.name: qsTr("Model"); Layout.preferredWidth: Theme.space(70); Layout.fillWidth: page.narrow; onActivated: page.history.model = currentValue }
                    ComboBox { model: page.history.devices; textRole: "title"; valueRole: "value"; currentIndex: Math.max(0, page.history.devices.findIndex(entry => entry.value === page.history.device)); Accessible.name: qsTr("Device"); Layout.preferredWidth: Theme.space(60); Layout.fillWidth: page.narrow; onActivated: page.history.device = currentValue }
                    Toggle { text: qsTr("Benchmarks only"); checked: page.history.benchmarksOnly; onToggled: page.history.benchmarksOnly = checked }
                    Item { Layout.fillWidth: true }
                }
                GridLayout {
                    visible: !page.empty
                    columns: page.narrow ? 1 : 2
                    columnSpacing: Theme.space(3)
                    rowSpacing: Theme.space(3)
                    Layout.fillWidth: true
                    HistoryChart { title: qsTr("Decode, tok/s"); key: "decode"; unit: qsTr("tok/s"); points: page.history.points; median: page.history.medians.decode; current: page.current; Layout.fillWidth: true; Layout.preferredWidth: 1; onChosen: recordId => page.choose(recordId) }
                    HistoryChart { title: qsTr("Time to first token, ms"); key: "ttft"; unit: "ms"; points: page.history.points; median: page.history.medians.ttft; current: page.current; Layout.fillWidth: true; Layout.preferredWidth: 1; onChosen: recordId => page.choose(recordId) }
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
                Label { visible: !page.empty && page.history.count === 0; text: qsTr("Nothing was measured of this choice."); kind: "note"; Layout.fillWidth: true }
                Label { visible: text !== ""; text: page.metrics.said; kind: "note"; wrapMode: Text.WrapAtWordBoundaryOrAnywhere; Layout.fillWidth: true }
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
        onAccepted: page.metrics.exportTo(selectedFile, exportKind)
    }
}
