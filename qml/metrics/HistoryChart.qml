import QtQuick
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A figure over time, oldest on the left: a dot per reply, coloured by format; benchmarks are rings with their range.
Card {
    id: chart

    required property string title
    required property string key     // in the points: "decode", "ttft"
    required property var points     // HistoryModel.points
    required property string unit
    property double median: NaN
    property double current: 0       // record shown in full
    signal chosen(var recordId)

    readonly property var known: visible ? points.filter(point => point[key] > 0) : []  // dots are not made while another page is shown
    // With the median, which is of more replies than are shown.
    readonly property real highest:
        roundUp(known.reduce((most, point) => Math.max(most, point[key], point[key + "High"] || 0), median || 0) || 1)
    readonly property alias dots: dots

    // Rounds up to a value that is easy to read, as is its half.
    function roundUp(v: real): real {
        const power = Math.pow(10, Math.floor(Math.log10(v)))
        return [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].map(step => step * power).find(step => step >= v * 0.9999) ?? v
    }
    function show(v: real): string { return key === "ttft" ? Figures.milliseconds(v) : Figures.speed(v) }

    implicitWidth: Theme.space(80)
    implicitHeight: Theme.space(44)
    Accessible.role: Accessible.Chart
    Accessible.name: title

    Label {
        id: heading
        anchors.left: parent.left
        text: chart.title
        kind: "label"
        font.weight: Font.DemiBold
        elide: Text.ElideRight
        width: parent.width - medianLabel.width - Theme.space(2)
    }
    Label {
        id: medianLabel
        anchors.right: parent.right
        visible: chart.median > 0
        text: qsTr("median %1 %2").arg(chart.show(chart.median)).arg(chart.unit)
        kind: "label"
    }
    Item {
        id: plot
        LayoutMirroring.enabled: false  // time runs left to right
        LayoutMirroring.childrenInherit: true
        anchors {
            fill: parent
            topMargin: heading.height + Theme.space(4)
            bottomMargin: Theme.space(5)
            leftMargin: Theme.space(11)
            rightMargin: Theme.space(2)
        }
        Repeater {
            model: [1, 0.5, 0]
            Item {
                required property real modelData
                width: plot.width
                y: Math.round(plot.height * (1 - modelData))
                Rectangle { width: parent.width; height: 1; color: Theme.colors.line }
                Label {
                    text: parent.modelData > 0 ? chart.show(chart.highest * parent.modelData) : "0"
                    kind: "label"
                    anchors { right: parent.left; rightMargin: Theme.space(1.5) }
                    y: -height / 2
                }
            }
        }
        Rectangle {
            visible: chart.median > 0
            y: Math.round(plot.height * (1 - chart.median / chart.highest))
            width: parent.width
            height: 1
            color: Theme.colors.accent
            opacity: 0.5
        }
        Repeater {
            id: dots
            model: chart.known
            Item {
                id: dot
                required property var modelData
                required property int index
                readonly property double value: modelData[chart.key]
                readonly property bool here: modelData.recordId === chart.current
                readonly property real low: modelData[chart.key + "Low"] || value
                readonly property real high: modelData[chart.key + "High"] || value
                readonly property string words: qsTr("%1 %2, %3, %4")
                    .arg(chart.show(value)).arg(chart.unit).arg(modelData.title).arg(modelData.time) +
                    (modelData.benchmark ? ", " + qsTr("benchmark, %1 to %2").arg(chart.show(low)).arg(chart.show(high)) : "")
                x: chart.known.length > 1 ? index / (chart.known.length - 1) * plot.width : plot.width / 2
                y: plot.height * (1 - value / chart.highest)
                z: here ? 1 : 0
                Accessible.role: Accessible.StaticText
                Accessible.name: words
                Rectangle {
                    visible: dot.modelData.benchmark
                    x: -width / 2
                    y: plot.height * (1 - dot.high / chart.highest) - dot.y
                    width: Math.max(1, 2 * Theme.scale)
                    height: plot.height * (dot.high - dot.low) / chart.highest
                    color: Theme.formatColor(dot.modelData.format)
                }
                Rectangle {
                    anchors.centerIn: parent
                    width: Theme.space(dot.here || dotHover.hovered ? 3 : 2)
                    height: width
                    radius: width / 2
                    color: dot.modelData.benchmark ? Theme.colors.surface : Theme.formatColor(dot.modelData.format)
                    border.width: dot.modelData.benchmark ? 2 : dot.here ? 2 : 0
                    border.color: dot.modelData.benchmark ? Theme.formatColor(dot.modelData.format) : Theme.colors.text
                    HoverHandler { id: dotHover; margin: Theme.space(1) }
                    TapHandler { margin: Theme.space(1); onTapped: chart.chosen(dot.modelData.recordId) }
                    Tip { visible: dotHover.hovered; delay: 100; text: dot.words }
                }
            }
        }
        Label {
            visible: chart.known.length > 1
            text: chart.known[0]?.time ?? ""
            kind: "label"
            y: parent.height + Theme.space(1.5)
            width: parent.width / 2
            elide: Text.ElideRight
        }
        Label {
            visible: chart.known.length > 0
            text: chart.known[chart.known.length - 1]?.time ?? ""
            kind: "label"
            y: parent.height + Theme.space(1.5)
            anchors.right: parent.right
        }
        Label { visible: chart.known.length === 0; anchors.centerIn: parent; text: qsTr("No figures yet."); kind: "note" }
    }
}
