import QtQuick
import Minerva.Theme

// "Name ........ value": one line of the panel or of a details page, right-aligned figures.
// Anchors, no layout: what a layout moves while a frame is made costs a frame more, and figures change with every text.
Item {
    id: line

    required property string name
    property string value: ""
    property string unit: ""
    property bool strong: false
    property string tip: ""
    property bool keep: false  // stays while its value is not known yet

    implicitWidth: title.implicitWidth + Theme.space(1) + figure.implicitWidth
    implicitHeight: Math.max(title.implicitHeight, figure.implicitHeight)
    visible: keep || value !== ""
    Accessible.role: Accessible.StaticText
    Accessible.name: name + ": " + value + " " + unit

    Label {
        id: title
        anchors { left: parent.left; right: figure.left; rightMargin: Theme.space(1); verticalCenter: parent.verticalCenter }
        text: line.name
        kind: "note"
        elide: Text.ElideRight
        HoverHandler { id: hover }
        Tip { visible: line.tip !== "" && hover.hovered; text: line.tip }
    }
    Item {  // mirrored with the window, which the figure in it is not
        id: figure
        anchors { right: parent.right; verticalCenter: parent.verticalCenter }
        implicitWidth: digits.implicitWidth
        implicitHeight: digits.implicitHeight
        Digits {
            id: digits
            text: line.value === "" || line.unit === "" ? line.value : line.value + " " + line.unit
            weight: line.strong ? Font.DemiBold : Font.Normal
        }
    }
}
