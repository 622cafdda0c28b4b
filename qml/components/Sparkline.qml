import QtQuick
import QtQuick.Shapes
import Minerva.Theme

// A small line over time. points: [{x, y}] in any unit; the line spans minX..maxX and 0..maxY. A ceiling is dashed.
Item {
    id: graph

    property var points: []
    property real maxY: 1
    property real ceiling: 0
    property string ceilingText: ""
    property real minX: points.length > 0 ? points[0].x : 0
    property real maxX: points.length > 0 ? points[points.length - 1].x : 1

    readonly property real headroom: Theme.space(4)
    readonly property real peak: Math.max(maxY, ceiling)
    function px(x: real): real { return maxX > minX ? (x - minX) / (maxX - minX) * width : 0 }
    function py(y: real): real { return height - 1 - (peak > 0 ? Math.min(1, y / peak) : 0) * (height - headroom - 2) }

    implicitHeight: Theme.space(15)
    Accessible.role: Accessible.Chart
    Accessible.name: ceilingText

    Rectangle { anchors.bottom: parent.bottom; width: parent.width; height: 1; color: Theme.colors.line }
    Shape {
        anchors.fill: parent
        visible: graph.ceiling > 0
        ShapePath {
            strokeColor: Theme.colors.line
            strokeWidth: 1
            strokeStyle: ShapePath.DashLine
            dashPattern: [3, 4]
            fillColor: "transparent"
            startX: 0; startY: graph.py(graph.ceiling)
            PathLine { x: graph.width; y: graph.py(graph.ceiling) }
        }
    }
    Text {
        anchors.right: parent.right
        y: Math.max(0, graph.py(graph.ceiling) - height - 2)
        visible: graph.ceiling > 0
        text: graph.ceilingText
        color: Theme.colors.faint
        font.family: Theme.sans
        font.pixelSize: Theme.labelSize
    }
    Shape {
        anchors.fill: parent
        visible: graph.points.length > 1
        layer.enabled: true
        layer.samples: 4
        ShapePath {
            strokeColor: Theme.colors.accent
            strokeWidth: 2 * Theme.scale
            fillColor: "transparent"
            joinStyle: ShapePath.RoundJoin
            capStyle: ShapePath.RoundCap
            PathPolyline { path: graph.points.map(p => Qt.point(graph.px(p.x), graph.py(p.y))) }
        }
    }
}
