import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

T.ComboBox {
    id: box

    implicitWidth: Theme.space(45)
    implicitHeight: Theme.hit
    leftPadding: Theme.space(mirrored ? 8 : 2.5)
    rightPadding: Theme.space(mirrored ? 2.5 : 8)
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true

    contentItem: PlainText {
        text: box.displayText
        color: box.enabled ? Theme.colors.text : Theme.colors.faint
        font.family: Theme.sans
        font.pixelSize: Theme.bodySize
        horizontalAlignment: Text.AlignLeft
        verticalAlignment: Text.AlignVCenter
        elide: Text.ElideMiddle
    }
    indicator: Icon {
        x: box.mirrored ? Theme.space(2) : box.width - width - Theme.space(2)
        y: (box.height - height) / 2
        icon: "chevron-down"
        size: Math.round(16 * Theme.scale)
    }
    background: Rectangle {
        radius: Theme.radius
        color: box.hovered ? Theme.colors.sunken : Theme.colors.surface
        border.width: 1
        border.color: Theme.colors.line
        FocusRing { shown: box.visualFocus }
    }
    delegate: T.ItemDelegate {
        id: row
        required property int index
        required property var modelData
        width: ListView.view ? ListView.view.width : implicitWidth
        implicitHeight: Theme.hit
        highlighted: box.highlightedIndex === index
        contentItem: Label {
            leftPadding: Theme.space(2.5)
            rightPadding: Theme.space(2.5)
            text: box.textRole !== "" ? row.modelData[box.textRole] : row.modelData
            verticalAlignment: Text.AlignVCenter
            elide: Text.ElideMiddle
        }
        background: Rectangle { radius: Theme.tagRadius; color: row.highlighted ? Theme.colors.sunken : "transparent" }
    }
    popup: T.Popup {
        y: box.height + Theme.space(1)
        width: box.width
        implicitHeight: Math.min(contentItem.implicitHeight + 2 * padding, Theme.space(80))
        padding: Theme.space(1)
        contentItem: ListView {
            clip: true
            implicitHeight: contentHeight
            model: box.popup.visible ? box.delegateModel : null
            currentIndex: box.highlightedIndex
        }
        background: Rectangle { radius: Theme.radius; color: Theme.colors.surface; border.width: 1; border.color: Theme.colors.line }
    }
}
