import QtQuick
import Minerva.Theme

// A surface with a border. Its children are positioned where it is used; `padding` insets them.
Rectangle {
    id: card

    default property alias content: inner.data
    property real padding: Theme.space(4)

    implicitWidth: inner.childrenRect.width + 2 * padding
    implicitHeight: inner.childrenRect.height + 2 * padding
    radius: Theme.cardRadius
    color: Theme.colors.surface
    border.width: 1
    border.color: Theme.colors.line

    Item {
        id: inner
        anchors { fill: parent; margins: card.padding }
    }
}
