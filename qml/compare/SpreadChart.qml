import QtQuick
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Scatter plot of speed (up: faster) against divergence from the most precise model (left: closer). Points are labelled.
Card {
    id: chart

    required property ColumnModel columns
    required property string reference

    property real highest: 1
    property real farthest: 0.001
    readonly property real longestName: plot.width * 0.55

    function measure(): void {
        let speed = 0, far = 0
        for (let i = 0; i < dots.count; ++i) {
            const dot = dots.itemAt(i)
            if (dot === null || !(dot.figures.decode > 0 && dot.figures.kl >= 0)) continue
            speed = Math.max(speed, dot.figures.decode)
            far = Math.max(far, dot.figures.kl)
        }
        highest = Math.max(speed, 1e-9)
        farthest = Math.max(far, 1e-9)
        Qt.callLater(placeNames)
    }
    // Moves the labels of nearby points below each other.
    function placeNames(): void {
        const line = Theme.space(4.5), placed = []
        const shown = Array.from({ length: dots.count }, (v, i) => dots.itemAt(i)).filter(dot => dot !== null && dot.shown)
        for (const dot of shown.sort((a, b) => a.y - b.y)) {
            let y = dot.y
            for (const other of placed)
                if (Math.abs(other.x - dot.x) < longestName && Math.abs(other.y - y) < line) y = other.y + line
            dot.lower = y - dot.y
            placed.push({ x: dot.x, y: y })
        }
    }

    implicitHeight: Theme.space(47)
    Accessible.role: Accessible.Chart
    Accessible.name: qsTr("Speed against closeness to %1").arg(reference)

    Label {
        id: title
        text: qsTr("Speed against closeness to the original")
        kind: "label"
        font.weight: Font.DemiBold
        width: parent.width
        elide: Text.ElideRight
    }
    Item {
        id: plot
        anchors {
            fill: parent
            topMargin: title.height + Theme.space(7)
            bottomMargin: Theme.space(6)
            leftMargin: Theme.space(10)
            rightMargin: Theme.space(4)
        }
        Rectangle { width: 1; height: parent.height; color: Theme.colors.line }
        Rectangle { y: parent.height; width: parent.width; height: 1; color: Theme.colors.line }
        Label {
            text: Figures.speed(chart.highest)
            kind: "label"
            anchors { right: parent.left; rightMargin: Theme.space(1.5) }
            y: -height / 2
        }
        Label { text: qsTr("tok/s"); kind: "label"; x: Theme.space(1); y: -height - Theme.space(1) }
        Label { text: "0"; kind: "label"; x: -width - Theme.space(1.5); y: parent.height - height / 2 }
        Label {
            text: qsTr("KL from %1").arg(chart.reference)
            kind: "label"
            elide: Text.ElideMiddle
            horizontalAlignment: Text.AlignRight
            width: parent.width
            y: parent.height + Theme.space(1.5)
        }
        Repeater {
            id: dots
            model: chart.columns
            onItemAdded: Qt.callLater(chart.measure)
            Item {
                id: dot
                required property string format
                required property string label
                required property var figures
                readonly property bool shown: figures.decode > 0 && figures.kl >= 0
                property real lower: 0  // offset of the label
                readonly property bool turned: x > plot.width * 0.5
                onFiguresChanged: Qt.callLater(chart.measure)
                visible: shown
                x: shown ? figures.kl / chart.farthest * plot.width * 0.94 + Theme.space(3) : 0
                y: shown ? plot.height * (1 - figures.decode / chart.highest) : 0
                Rectangle {
                    anchors.centerIn: parent
                    width: Theme.space(3.5)
                    height: width
                    radius: width / 2
                    color: Theme.formatColor(dot.format)
                    border.width: 2
                    border.color: Theme.colors.surface
                }
                Label {
                    text: dot.label
                    kind: "note"
                    elide: Text.ElideMiddle
                    width: Math.min(implicitWidth, chart.longestName)
                    color: Theme.colors.text
                    x: dot.turned ? -width - Theme.space(3) : Theme.space(3)
                    y: dot.lower - height / 2
                }
            }
        }
    }
}
