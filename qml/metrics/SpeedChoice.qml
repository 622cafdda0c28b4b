import QtQuick
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Numbers of which several can be chosen, such as the numbers of conversations of a benchmark.
Flow {
    id: choice

    required property var choices  // [{value, chosen, possible}]
    required property string name
    property string whyNot: ""     // of those that are not possible
    signal toggled(int value)

    spacing: Theme.space(1.5)
    Accessible.role: Accessible.Grouping
    Accessible.name: name

    Repeater {
        model: choice.choices.length  // not they themselves: all would be made anew with each choice, and lose the focus
        Item {
            id: place
            required property int index
            readonly property var modelData: choice.choices[index]
            implicitWidth: chip.implicitWidth
            implicitHeight: chip.implicitHeight
            HoverHandler { id: hover; enabled: !place.modelData.possible }  // a button that is off takes no part in hovering
            Tip { visible: hover.hovered && !place.modelData.possible && choice.whyNot !== ""; text: choice.whyNot }
            T.AbstractButton {
                id: chip
                implicitWidth: Math.max(Theme.hit, label.implicitWidth + Theme.space(5))
                implicitHeight: Math.max(Theme.hit, label.implicitHeight + Theme.space(2))
                text: place.modelData.value > 0 ? Figures.integer(place.modelData.value) : "0"
                checked: place.modelData.chosen
                enabled: choice.enabled && place.modelData.possible
                hoverEnabled: true
                focusPolicy: Qt.StrongFocus
                Accessible.role: Accessible.CheckBox
                Accessible.name: choice.name + " " + text
                Accessible.description: place.modelData.possible ? "" : choice.whyNot
                Accessible.checkable: true
                Accessible.checked: checked
                onClicked: choice.toggled(place.modelData.value)
                contentItem: Item {
                    Label {
                        id: label
                        anchors.centerIn: parent
                        text: chip.text
                        color: !place.modelData.possible ? Theme.colors.faint : chip.checked ? Theme.colors.accent : Theme.colors.text
                        Accessible.ignored: true
                    }
                }
                background: Rectangle {
                    radius: Theme.radius
                    color: chip.checked ? Theme.colors.accentSoft : chip.hovered ? Theme.colors.sunken : Theme.colors.surface
                    border.width: 1
                    border.color: chip.checked ? Theme.colors.accent : Theme.colors.line
                    FocusRing { shown: chip.visualFocus }
                }
            }
        }
    }
}
