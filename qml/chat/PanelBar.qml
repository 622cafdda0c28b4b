import QtQuick
import QtQuick.Layouts
import Minerva.Components
import Minerva.Theme

// A titled bar with a legend below: "weights 637 · cache 92 MB".
ColumnLayout {
    id: bar

    required property string name
    required property string figure
    required property real total
    required property var parts  // [{name, value, text, ink, numberFirst?}]; parts whose value is not > 0 are omitted
    property string unit: ""

    readonly property var known: parts.filter(part => part.value > 0)
    spacing: Theme.space(1)
    Item {
        Layout.fillWidth: true
        implicitHeight: title.implicitHeight
        Label {
            id: title
            anchors { left: parent.left; right: figure.left; rightMargin: Theme.space(1) }
            text: bar.name
            kind: "label"
            font.weight: Font.DemiBold
            elide: Text.ElideRight
        }
        Label { id: figure; anchors.right: parent.right; text: bar.figure; kind: "label"; font.weight: Font.DemiBold }
    }
    Bar {
        Layout.fillWidth: true
        values: bar.known.map(part => part.value)
        inks: bar.known.map(part => part.ink)
        total: bar.total
        description: bar.name + ": " + bar.figure
    }
    Label {
        kind: "label"
        visible: text !== ""
        wrapMode: Text.Wrap
        Layout.fillWidth: true
        text: {
            const named = bar.known.filter(part => part.name !== "")
            const texts = named.map(part => part.numberFirst ? part.text + " " + part.name : part.name + " " + part.text)
            if (texts.length > 0 && bar.unit !== "") texts.push(texts.pop() + " " + bar.unit)
            return texts.map(text => text.replace(/ /g, "\u00a0")).join(" · ")  // lines break between the parts alone
        }
    }
}
