import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.Theme

T.MenuItem {
    id: item

    property string note: ""  // right-aligned: a shortcut or a figure
    property string iconName: ""

    implicitWidth: contentItem.implicitWidth + leftPadding + rightPadding
    implicitHeight: visible ? Math.max(Theme.hit, contentItem.implicitHeight + topPadding + bottomPadding) : 0
    horizontalPadding: Theme.space(2.5)
    hoverEnabled: true
    verticalPadding: Theme.space(1)

    contentItem: RowLayout {
        spacing: Theme.space(2.5)
        Icon {
            visible: item.iconName !== "" || item.checkable
            icon: item.checkable ? "check" : item.iconName === "" ? "plus" : item.iconName
            size: Math.round(16 * Theme.scale)
            opacity: item.checkable && !item.checked ? 0 : 1
            color: item.enabled ? Theme.colors.muted : Theme.colors.faint
        }
        Label {
            text: item.text
            color: item.enabled ? Theme.colors.text : Theme.colors.faint
            elide: Text.ElideMiddle
            Layout.fillWidth: true
        }
        Label { visible: text !== ""; text: item.note; kind: "label"; color: item.enabled ? Theme.colors.muted : Theme.colors.faint }
    }
    background: Rectangle {
        radius: Theme.tagRadius
        color: item.highlighted ? Theme.colors.sunken : "transparent"
    }
}
