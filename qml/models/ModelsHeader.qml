import QtQuick
import QtQuick.Layouts
import Minerva.Components
import Minerva.Theme

// Column titles of the list of models; same widths as in ModelRow.
Rectangle {
    visible: width >= Theme.space(190)
    implicitHeight: visible ? Theme.space(9) : 0
    color: Theme.colors.surface
    radius: Theme.cardRadius
    RowLayout {
        anchors { fill: parent; leftMargin: Theme.space(4); rightMargin: Theme.space(4) }
        spacing: Theme.space(4)
        Label { text: qsTr("Name"); kind: "label"; font.weight: Font.DemiBold; Layout.fillWidth: true }
        Label { text: qsTr("Format"); kind: "label"; font.weight: Font.DemiBold; Layout.preferredWidth: Theme.space(34) }
        Label {
            text: qsTr("Size")
            kind: "label"
            font.weight: Font.DemiBold
            horizontalAlignment: Text.AlignRight
            Layout.preferredWidth: Theme.space(16)
        }
        Label {
            text: qsTr("Measured")
            kind: "label"
            font.weight: Font.DemiBold
            horizontalAlignment: Text.AlignRight
            Layout.preferredWidth: Theme.space(24)
        }
        Item { Layout.preferredWidth: Theme.space(25) + Theme.hit + Theme.space(1) }
    }
    Rectangle { anchors.bottom: parent.bottom; width: parent.width; height: 1; color: Theme.colors.line }
}
