import QtQuick
import Minerva.Theme

// The files of a sent message, right-aligned like its bubble, in order.
Item {
    id: list

    required property var files  // [{name, bytes}]
    signal showRequested(int position)

    implicitHeight: flow.height
    Flow {
        id: flow
        readonly property real natural: Array.from(children)
            .filter(child => child.implicitWidth > 0)
            .reduce((sum, chip) => sum + chip.implicitWidth + spacing, -spacing)
        anchors.right: parent.right
        width: Math.min(list.width, natural)
        spacing: Theme.space(1.5)
        Repeater {
            model: list.files
            AttachmentChip {
                required property int index
                required property var modelData
                name: modelData.name
                bytes: modelData.bytes
                ground: Theme.colors.ownMessage
                maximumWidth: list.width
                onClicked: list.showRequested(index)
            }
        }
    }
}
