import QtQuick
import QtQuick.Layouts
import Minerva.Theme

// "Name ........ value": one line of the panel or of a details page, right-aligned figures.
RowLayout {
    id: line

    required property string name
    property string value: ""
    property string unit: ""
    property bool strong: false
    property string tip: ""

    spacing: Theme.space(1)
    visible: value !== ""
    Accessible.role: Accessible.StaticText
    Accessible.name: name + ": " + value + " " + unit

    Label {
        text: line.name
        kind: "note"
        elide: Text.ElideRight
        Layout.fillWidth: true
        HoverHandler { id: hover }
        Tip { visible: line.tip !== "" && hover.hovered; text: line.tip }
    }
    Label {
        text: line.value + (line.unit === "" ? "" : " " + line.unit)
        kind: "note"
        color: Theme.colors.text
        font.weight: line.strong ? Font.DemiBold : Font.Normal
    }
}
