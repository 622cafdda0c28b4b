import QtQuick
import QtQuick.Shapes
import Minerva.Theme

// A small line over time. points: [{x, y}] in any unit; the line spans minX..maxX and 0..the highest. A ceiling is dashed.
// Drawn as thin turned rectangles: smooth without multisampling, and cheap where the CPU draws.
Item {
    id: graph

    property var points: []
    property real maxY: 1
    property real ceiling: 0
    property string ceilingText: ""
    property int mostSegments: 120

    // At most `mostSegments` pieces, whatever the length of the history.
    readonly property var thinned: {
        const every = Math.max(1, Math.ceil(points.length / mostSegments))
        return every === 1 ? points : points.filter((p, i) => i % every === 0 || i === points.length - 1)
    }
    readonly property real minX: points.length > 0 ? points[0].x : 0
    readonly property real maxX: points.length > 0 ? points[points.length - 1].x : 1
    readonly property real headroom: Theme.space(4)
    readonly property real peak: Math.max(maxY, ceiling)
    function px(x: real): real { return maxX > minX ? (x - minX) / (maxX - minX) * width : 0 }
    function py(y: real): real { return height - 1 - (peak > 0 ? Math.min(1, y / peak) : 0) * (height - headroom - 2) }

    implicitHeight: Theme.space(15)
    Accessible.role: Accessible.Chart
    Accessible.name: ceilingText

    Rectangle { anchors.bottom: parent.bottom; width: parent.width; height: 1; color: Theme.colors.line }
    Shape {
        anchors { left: parent.left; right: parent.right }
        y: Math.round(graph.py(graph.ceiling)) + 0.5
        height: 1
        visible: graph.ceiling > 0
        ShapePath {
            strokeColor: Theme.colors.faint
            strokeWidth: 1
            strokeStyle: ShapePath.DashLine
            dashPattern: [3, 4]
            fillColor: "transparent"
            PathLine { x: graph.width; y: 0 }
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
    Repeater {
        model: Math.max(0, graph.thinned.length - 1)
        Rectangle {
            required property int index
            // A history that begins anew is shorter for a moment than the pieces that stand.
            readonly property point from: place(index)
            readonly property point to: place(index + 1)
            function place(at: int): point {
                const there = graph.thinned[Math.min(at, graph.thinned.length - 1)]
                return there === undefined ? Qt.point(0, 0) : Qt.point(graph.px(there.x), graph.py(there.y))
            }
            x: from.x - height / 2
            y: from.y - height / 2
            width: Math.hypot(to.x - from.x, to.y - from.y) + height
            height: 2 * Theme.scale
            radius: height / 2
            color: Theme.colors.accent
            antialiasing: true
            transform: Rotation {
                origin { x: Theme.scale; y: Theme.scale }
                angle: Math.atan2(to.y - from.y, to.x - from.x) * 180 / Math.PI
            }
        }
    }
}
