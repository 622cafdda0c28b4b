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
    property bool keep: false  // stays while its value is not known yet

    spacing: Theme.space(1)
    visible: keep || value !== ""
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
    Digits {
        text: line.value === "" || line.unit === "" ? line.value : line.value + " " + line.unit
        weight: line.strong ? Font.DemiBold : Font.Normal
    }
}
