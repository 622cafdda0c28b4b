import QtQuick
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A centred display formula; scrolls if too wide. Shows its source until it is rendered, or if it cannot be. The button
// copies the source.
Item {
    id: block

    required property string source
    signal copyRequested(string text)

    implicitWidth: 1
    implicitHeight: Math.max(shown.implicitHeight, copy.implicitHeight)
    Accessible.role: Accessible.StaticText
    Accessible.name: qsTr("Formula: %1").arg(source)

    HoverHandler { id: hover }
    Item {
        id: shown
        anchors { left: parent.left; right: parent.right; verticalCenter: parent.verticalCenter }
        implicitHeight: formula.drawn ? formula.implicitHeight + Theme.space(2) : words.implicitHeight
        height: implicitHeight
        Flickable {
            anchors.fill: parent
            visible: formula.drawn
            contentWidth: Math.max(width, formula.implicitWidth)
            contentHeight: height
            clip: true
            interactive: contentWidth > width
            flickableDirection: Flickable.HorizontalFlick
            boundsBehavior: Flickable.StopAtBounds
            MathItem {
                id: formula
                x: Math.max(0, Math.round((parent.width - implicitWidth) / 2))
                y: Theme.space(1)
                width: implicitWidth
                height: implicitHeight
                source: block.source
                size: Theme.bodySize
                color: Theme.colors.text
            }
        }
        PlainText {
            id: words
            visible: !formula.drawn
            width: parent.width
            text: block.source
            wrapMode: Text.Wrap
            color: Theme.colors.muted
            font.family: Theme.mono
            font.pixelSize: Theme.codeSize
        }
    }
    IconButton {
        id: copy
        anchors { right: parent.right; verticalCenter: parent.verticalCenter }
        opacity: hover.hovered || activeFocus ? 1 : 0
        iconName: copied.running ? "check" : "copy"
        tip: formula.problem === "" ? qsTr("Copy the formula's source") : qsTr("Copy the source. %1").arg(formula.problem)
        onClicked: { block.copyRequested(block.source); copied.restart() }
        Timer { id: copied; interval: 1500 }
    }
}
