import QtQuick
import Minerva.Theme

// "Name ........ value": a line with a right-aligned figure, for the live panel and detail pages. Uses anchors instead of a
// layout, because figures change constantly, and items moved by a layout cause an additional frame.
Item {
    id: line

    required property string name
    property string value: ""
    property string unit: ""
    property bool strong: false
    property string tip: ""
    property bool keep: false  // visible even while the value is unknown

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
    Item {  // mirrored with the window, unlike the number in it
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
