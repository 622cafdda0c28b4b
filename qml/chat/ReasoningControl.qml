import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Whether the model thinks before it answers in this conversation, and how much; only what its chat template knows.
RowLayout {
    id: control

    required property ChatController chat

    readonly property var reasoning: chat.reasoning
    readonly property bool choosesEffort: reasoning.efforts.length > 0 && reasoning.on
    readonly property bool wanted: reasoning.switchable || choosesEffort

    // The template's word if it is not one of the usual ones.
    function titleOf(effort: string): string {
        switch (effort) {
        case "": return qsTr("Model default")
        case "none": return qsTr("None")
        case "minimal": return qsTr("Minimal")
        case "low": return qsTr("Low")
        case "medium": return qsTr("Medium")
        case "high": return qsTr("High")
        case "xhigh": return qsTr("Very high")
        case "max": return qsTr("Maximum")
        default: return effort.charAt(0).toUpperCase() + effort.slice(1)
        }
    }

    visible: wanted
    spacing: Theme.space(1)

    Toggle {
        visible: control.reasoning.switchable
        kind: "quiet"
        text: qsTr("Think")
        tip: qsTr("Think before answering. Takes longer, and helps with hard questions.")
        Accessible.name: qsTr("Think before answering")
        checked: control.reasoning.on
        onToggled: control.chat.useReasoning(checked)
        Layout.leftMargin: Theme.space(2)
        Layout.rightMargin: Theme.space(control.choosesEffort ? 0 : 2)
    }
    Button {
        visible: control.choosesEffort
        readonly property string effort: control.titleOf(control.reasoning.effort)
        kind: "quiet"
        text: control.reasoning.switchable ? effort : qsTr("Thinking: %1").arg(effort)
        tip: qsTr("How much the model thinks before it answers")
        Accessible.name: qsTr("Effort of thinking: %1").arg(effort)
        iconName: "chevron-down"
        iconAtEnd: true
        onClicked: menu.visible ? menu.close() : menu.open()
        Menu {
            id: menu
            y: -height - Theme.space(1)
            implicitWidth: Math.max(Theme.space(36), widest + leftPadding + rightPadding)
            Instantiator {
                model: control.reasoning.efforts
                delegate: MenuItem {
                    required property string modelData
                    text: control.titleOf(modelData)
                    note: modelData !== "" && modelData === control.reasoning.usualEffort ? qsTr("default") : ""
                    checkable: true
                    checked: control.reasoning.effort === modelData
                    onTriggered: control.chat.useEffort(modelData)
                }
                onObjectAdded: (index, item) => menu.insertItem(index, item)
                onObjectRemoved: (index, item) => menu.removeItem(item)
            }
        }
    }
}
