import QtQuick
import QtQuick.Layouts
import Minerva.Components
import Minerva.Theme

// What a second run says of the first: agrees or not, and by how much.
Rectangle {
    id: card

    required property string verdict
    required property bool agrees
    required property var lines

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
        anchors { left: parent.left; right: parent.right; verticalCenter: parent.verticalCenter; leftMargin: Theme.space(4); rightMargin: Theme.space(4) }
        spacing: Theme.space(3)
        Icon { icon: card.agrees ? "check" : "warning"; color: card.agrees ? Theme.colors.good : Theme.colors.warn; Layout.alignment: Qt.AlignTop }
        ColumnLayout {
            spacing: Theme.space(0.5)
            Label { text: card.verdict; font.weight: Font.DemiBold; wrapMode: Text.Wrap; Layout.fillWidth: true }
            Repeater {
                model: card.lines
                Label { required property string modelData; text: modelData; kind: "note"; wrapMode: Text.Wrap; Layout.fillWidth: true }
            }
        }
    }
}
