import QtQuick
import QtQuick.Layouts
import Minerva.Components
import Minerva.Theme

// Whether a repeated run confirms the first one, with the differences.
Rectangle {
    id: card

    required property string verdict
    required property bool agrees
    required property var lines
    property var rows: []  // CompareController.verdictRows

    readonly property var columns: [
        { key: "model", title: qsTr("Model") },
        { key: "figure", title: qsTr("Speed") },
        { key: "before", title: qsTr("Before") },
        { key: "range", title: qsTr("Expected now") },
        { key: "now", title: qsTr("Now") },
        { key: "samples", title: qsTr("Samples") },
        { key: "said", title: "" }
    ]
    function cell(row: var, key: string): string {
        return key !== "said" ? row[key] : !row.judged ? qsTr("not judged") : row.agrees ? qsTr("agrees") : qsTr("differs")
    }

    visible: verdict !== ""
    implicitHeight: row.implicitHeight + Theme.space(5)
    radius: Theme.cardRadius
    color: agrees ? Theme.colors.goodSoft : Theme.colors.warnSoft
    border.width: 1
    border.color: Theme.colors.line
    Accessible.role: Accessible.AlertMessage
    Accessible.name: verdict + ". " + lines.join(". ")

    RowLayout {
        id: row
        anchors {
            left: parent.left
            right: parent.right
            verticalCenter: parent.verticalCenter
            leftMargin: Theme.space(4)
            rightMargin: Theme.space(4)
        }
        spacing: Theme.space(3)
        Icon {
            icon: card.agrees ? "check" : "warning"
            color: card.agrees ? Theme.colors.good : Theme.colors.warn
            Layout.alignment: Qt.AlignTop
        }
        ColumnLayout {
            spacing: Theme.space(0.5)
            Label { text: card.verdict; font.weight: Font.DemiBold; wrapMode: Text.Wrap; Layout.fillWidth: true }
            LayoutRepeater {
                model: card.lines
                Label { required property string modelData; text: modelData; kind: "note"; wrapMode: Text.Wrap; Layout.fillWidth: true }
            }
            GridLayout {
                visible: card.rows.length > 0
                columns: card.columns.length
                columnSpacing: Theme.space(4)
                rowSpacing: Theme.space(1)
                Layout.fillWidth: true
                Layout.topMargin: Theme.space(2)
                LayoutRepeater {
                    model: card.columns
                    Label { required property var modelData; text: modelData.title; kind: "label"; font.weight: Font.DemiBold }
                }
                LayoutRepeater {
                    model: card.rows.length * card.columns.length
                    Label {
                        required property int index
                        readonly property var row: card.rows[Math.floor(index / card.columns.length)]
                        readonly property string key: card.columns[index % card.columns.length].key
                        text: card.cell(row, key)
                        kind: "label"
                        color: key === "said" ?
                            (!row.judged ? Theme.colors.muted : row.agrees ? Theme.colors.good : Theme.colors.warn) :
                            Theme.colors.text
                        elide: Text.ElideRight
                        Layout.fillWidth: key === "model"
                    }
                }
            }
        }
    }
}
