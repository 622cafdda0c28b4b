import QtQuick
import QtQuick.Shapes
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A small line chart. points: [{x, y}] in any unit; the line spans all of x and 0..maximum. The ceiling is drawn dashed if
// it is less than three times the maximum.
Item {
    id: graph

    property alias points: line.points
    property real ceiling: 0
    property string ceilingText: ""

    readonly property real peak: Math.max(1, line.highest)
    readonly property bool ceilingShown: ceiling > 0 && ceiling < 3 * peak
    readonly property real upper: ceilingShown ? Math.max(peak, ceiling) : peak
    readonly property real headroom: Math.ceil(ceilingLabel.implicitHeight) + 2  // space for the label above the line

    implicitHeight: Theme.space(15)
    Accessible.role: Accessible.Chart
    Accessible.name: ceilingText

    Rectangle { anchors.bottom: parent.bottom; width: parent.width; height: 1; color: Theme.colors.line }
    Shape {
        id: dashes
        anchors { left: parent.left; right: parent.right }
        y: Math.round(graph.headroom + (1 - graph.ceiling / graph.upper) * line.height) + 0.5
        height: 1
        visible: graph.ceilingShown
        ShapePath {
            strokeColor: Theme.colors.faint
            strokeWidth: 1
            strokeStyle: ShapePath.DashLine
            dashPattern: [3, 4]
            fillColor: "transparent"
            PathLine { x: graph.width; y: 0 }
        }
    }
    SeriesLine {
        id: line
        anchors { fill: parent; topMargin: graph.headroom }
        upper: graph.upper
        color: Theme.colors.accent
        thickness: 2 * Theme.scale
    }
    PlainText {
        id: ceilingLabel
        anchors.right: parent.right
        visible: graph.ceilingShown
        text: graph.ceilingText
        color: Theme.colors.faint
        font.family: Theme.sans
        font.pixelSize: Theme.labelSize
    }
}
