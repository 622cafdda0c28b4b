import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Shown before any model is chosen: one sentence, a button to try it with the built-in model, and earlier comparisons.
ColumnLayout {
    id: part

    required property CompareController compare

    spacing: Theme.space(8)
    EmptyState {
        sentence: qsTr("Ask several models or formats the same question and see which is faster, smaller and closer to the original on this machine.")
        actionText: part.compare.hasBuiltIn ? qsTr("Try the built-in model in three formats") : ""
        Layout.fillWidth: true
        Layout.maximumWidth: Theme.space(95)
        Layout.alignment: Qt.AlignHCenter
        onAction: part.compare.tryBuiltIn()
    }
    ColumnLayout {
        visible: part.compare.runs.count > 0
        spacing: Theme.space(2)
        Layout.fillWidth: true
        Layout.maximumWidth: Theme.space(150)
        Layout.alignment: Qt.AlignHCenter
        Label { text: qsTr("Earlier comparisons"); kind: "label"; font.weight: Font.DemiBold }
        Rectangle {
            Layout.fillWidth: true
            implicitHeight: Math.min(runs.contentHeight + Theme.space(2), Theme.space(90))
            radius: Theme.cardRadius
            color: Theme.colors.surface
            border.width: 1
            border.color: Theme.colors.line
            EarlierRuns {
                id: runs
                compare: part.compare
                anchors { fill: parent; margins: Theme.space(1) }
                onChosen: runId => part.compare.open(runId)
            }
        }
    }
}
