import QtQuick
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The files attached to the draft; scrolls beyond `maximumHeight`.
Flickable {
    id: chips

    required property DraftAttachments files
    property real maximumHeight: Infinity
    readonly property int count: repeater.count
    signal showRequested(int row)
    signal removeRequested(int row)

    function focusChip(row: int): void { repeater.itemAt(row).forceActiveFocus(Qt.TabFocusReason) }
    function reveal(item: Item): void {
        contentY = Math.max(0, Math.min(contentHeight - height, Math.max(item.y + item.height - height, Math.min(contentY, item.y))))
    }

    height: count > 0 ? Math.min(flow.height, maximumHeight) : 0
    visible: count > 0
    clip: contentHeight > height
    contentHeight: flow.height
    boundsBehavior: Flickable.StopAtBounds
    interactive: contentHeight > height
    T.ScrollBar.vertical: ScrollBar {}
    Accessible.role: Accessible.List
    Accessible.name: qsTr("Attached files")

    Flow {
        id: flow
        width: chips.width
        spacing: Theme.space(1.5)
        Repeater {
            id: repeater
            model: chips.files
            AttachmentChip {
                required property int index
                required property int tokens
                maximumWidth: flow.width
                note: tokens < 0 ? Figures.bytes(bytes) :
                    qsTr("%1 · about %2 tokens").arg(Figures.bytes(bytes)).arg(Figures.integer(tokens))
                removable: true
                onActiveFocusChanged: if (activeFocus) chips.reveal(this)
                onClicked: chips.showRequested(index)
                onRemoveRequested: chips.removeRequested(index)
            }
        }
    }
}
