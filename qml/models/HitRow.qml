import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.Components
import Minerva.Theme

// A model on the hub, found or recommended: title, a note, its formats. A click opens it.
T.AbstractButton {
    id: row

    required property string title
    required property string note
    required property var formats
    property bool bottomMost: false

    implicitHeight: Math.max(Theme.space(15), texts.implicitHeight + Theme.space(5))
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus
    Accessible.role: Accessible.Button
    Accessible.name: title + ", " + Array.from(formats).join(" ") + ", " + note

    contentItem: RowLayout {
        spacing: Theme.space(3)
        ColumnLayout {
            id: texts
            spacing: Theme.space(0.5)
            Layout.leftMargin: Theme.space(4)
            Layout.fillWidth: true
            Label { text: row.title; font.weight: Font.DemiBold; elide: Text.ElideMiddle; Layout.fillWidth: true }
            Label { text: row.note; kind: "note"; elide: Text.ElideRight; Layout.fillWidth: true }
        }
        LayoutRepeater {
            model: row.formats
            FormatTag { required property string modelData; format: modelData }
        }
        Icon { icon: "chevron-right"; size: Math.round(16 * Theme.scale); Layout.rightMargin: Theme.space(4) }
    }
    background: Rectangle {
        radius: Theme.cardRadius
        color: row.hovered ? Theme.colors.sunken : "transparent"
        Rectangle { visible: !row.bottomMost; anchors.bottom: parent.bottom; width: parent.width; height: 1; color: Theme.colors.line }
        FocusRing { shown: row.visualFocus; around: 0 }
    }
}
