import QtQuick
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A chart of the benchmark: tokens per second over a number, with the range of the repetitions. The arrow keys walk through its points,
// whose figures are then shown and read.
Card {
    id: chart

    required property var facts  // an entry of SpeedBenchmark.charts
    property color ink: Theme.colors.accent
    property int current: -1     // the point whose figures are shown; -1: none
    readonly property var points: facts.points
    readonly property string said: current >= 0 && current < points.length ? points[current].words : ""
    readonly property alias dots: dots

    function across(x: real): real { return x / chart.facts.mostX * plot.width }
    function up(value: real): real { return plot.height * (1 - value / chart.facts.most) }
    function walk(by: int): void { current = current < 0 ? (by > 0 ? 0 : points.length - 1) : Math.max(0, Math.min(points.length - 1, current + by)) }

    implicitWidth: Theme.space(80)
    implicitHeight: Theme.space(56)
    activeFocusOnTab: true
    Accessible.role: Accessible.Chart
    Accessible.name: said !== "" ? facts.title + ". " + said : facts.words
    Accessible.focusable: true
    Keys.onRightPressed: walk(1)
    Keys.onLeftPressed: walk(-1)
    onActiveFocusChanged: if (!activeFocus) current = -1
    onFactsChanged: current = -1

    FocusRing { anchors.margins: -2 - chart.padding; shown: chart.activeFocus; radius: Theme.cardRadius + around }
    Label {
        id: heading
        anchors { left: parent.left; right: unit.left; rightMargin: Theme.space(2) }
        text: chart.facts.title
        kind: "label"
        font.weight: Font.DemiBold
        elide: Text.ElideRight
        Accessible.ignored: true
    }
    Label { id: unit; anchors.right: parent.right; text: qsTr("tok/s"); kind: "label"; Accessible.ignored: true }
    Item {
        id: plot
        LayoutMirroring.enabled: false  // numbers run left to right
        LayoutMirroring.childrenInherit: true
        anchors {
            fill: parent
            topMargin: heading.height + Theme.space(4)
            bottomMargin: Theme.space(11)
            leftMargin: Theme.space(12)
            rightMargin: Theme.space(4)
        }
        Repeater {
            model: chart.facts.ticks
            Item {
                required property double modelData
                width: plot.width
                y: Math.round(chart.up(modelData))
                Rectangle { width: parent.width; height: 1; color: Theme.colors.line }
                Label {
                    text: parent.modelData % 1 === 0 ? Figures.integer(parent.modelData) || "0" : Figures.speed(parent.modelData)
                    kind: "label"
                    anchors { right: parent.left; rightMargin: Theme.space(2) }
                    y: -height / 2
                    Accessible.ignored: true
                }
            }
        }
        Repeater {
            model: chart.facts.ticksX
            Label {
                required property double modelData
                text: Figures.integer(modelData)
                kind: "label"
                x: Math.round(chart.across(modelData) - width / 2)
                y: plot.height + Theme.space(1.5)
                Accessible.ignored: true
            }
        }
        SeriesLine {
            readonly property real first: chart.points.length > 0 ? chart.across(chart.points[0].x) : 0
            x: first - thickness / 2
            y: -thickness / 2
            width: (chart.points.length > 0 ? chart.across(chart.points[chart.points.length - 1].x) : 0) - first + thickness
            height: plot.height + thickness
            points: chart.facts.line
            upper: chart.facts.most
            color: chart.ink
            thickness: 2 * Theme.scale
        }
        Repeater {
            id: dots
            model: chart.points
            Item {
                id: dot
                required property var modelData
                required property int index
                readonly property bool here: index === chart.current || hover.hovered
                x: chart.across(modelData.x)
                y: chart.up(modelData.value)
                z: here ? 1 : 0
                Accessible.role: Accessible.StaticText
                Accessible.name: modelData.words
                Rectangle {
                    x: -width / 2
                    y: chart.up(dot.modelData.high) - dot.y
                    width: Math.max(1, 2 * Theme.scale)
                    height: chart.up(dot.modelData.low) - chart.up(dot.modelData.high)
                    color: chart.ink
                }
                Rectangle {
                    anchors.centerIn: parent
                    width: Theme.space(dot.here ? 3 : 2)
                    height: width
                    radius: width / 2
                    color: chart.ink
                    border.width: dot.here ? 2 : 0
                    border.color: Theme.colors.text
                    HoverHandler { id: hover; margin: Theme.space(1) }
                    TapHandler { margin: Theme.space(1); onTapped: chart.current = dot.index }
                    Tip { visible: hover.hovered; delay: 100; text: dot.modelData.words }
                }
            }
        }
    }
    Label {
        anchors { left: parent.left; right: parent.right; bottom: parent.bottom }
        text: chart.said !== "" ? chart.said :
            chart.facts.across === "batch" ? qsTr("conversations at the same time; rates of all together") : qsTr("tokens already in the context")
        kind: "label"
        color: chart.said !== "" ? Theme.colors.text : Theme.colors.muted
        horizontalAlignment: Text.AlignRight
        elide: Text.ElideRight
        Accessible.ignored: true
    }
}
