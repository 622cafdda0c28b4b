import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The main figures of the live panel in one line, for narrow windows; the prefill speed is omitted in very narrow ones.
Rectangle {
    id: strip

    required property PanelModel panel
    required property InferenceController inference

    implicitHeight: row.implicitHeight + Theme.space(3)
    radius: Theme.radius
    color: Theme.colors.sunken

    component Figure: ColumnLayout {
        required property string name
        required property string value
        spacing: 0
        visible: value !== ""
        Label { text: parent.name; kind: "label" }
        Label { text: parent.value; kind: "note"; color: Theme.colors.text; font.weight: Font.DemiBold }
    }
    RowLayout {
        id: row
        anchors {
            left: parent.left
            right: parent.right
            verticalCenter: parent.verticalCenter
            leftMargin: Theme.space(3)
            rightMargin: Theme.space(3)
        }
        spacing: Theme.space(4)
        Figure {
            name: qsTr("Decode")
            value: Figures.speed(strip.panel.decodeAverage) === "" ? "" : Figures.speed(strip.panel.decodeAverage) + " " + (strip.panel.pieces ? qsTr("pieces/s") : qsTr("tok/s"))
        }
        Figure {
            name: qsTr("First token")
            value: Figures.duration(strip.panel.ttftMs)
        }
        Figure {
            name: qsTr("Prefill")
            value: strip.width < Theme.space(125) || Figures.speed(strip.panel.prefillSpeed) === "" ? "" :
                Figures.speed(strip.panel.prefillSpeed) + " tok/s"
        }
        Figure {
            name: qsTr("Reply's context")
            value: strip.panel.contextTotal > 0 && strip.panel.contextUsed > 0 ?
                Figures.integer(strip.panel.contextUsed) + " / " + Figures.integer(strip.panel.contextTotal) : ""
        }
        Item { Layout.fillWidth: true }
        DeviceBadge { inference: strip.inference; maximumWidth: Theme.space(40); Layout.fillWidth: true; Layout.maximumWidth: implicitWidth }
    }
}
