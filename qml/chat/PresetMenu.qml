import QtQuick
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Selects what is used for replies in this conversation: the settings or a preset. Below: actions on the current preset.
Menu {
    id: menu

    required property Presets presets
    required property ChatController chat
    required property string modelName
    required property string modelPath
    signal editRequested(string presetId)  // "": a new one, from the current values

    readonly property string none: "none"
    readonly property string current: chat.presetId
    readonly property bool own: presets.all.some(preset => preset.own && preset.presetId === current)
    readonly property string usual: presets.all.length > 0 ?  // so that it is evaluated again when the presets change
        presets.ofModel(modelPath) || none : none

    implicitWidth: Math.max(Theme.space(72), widest + leftPadding + rightPadding)
    Instantiator {
        model: menu.presets.all
        delegate: MenuItem {
            required property var modelData
            text: modelData.name
            note: modelData.note
            checkable: true
            checked: menu?.current === modelData.presetId  // null while the row is being removed
            onTriggered: menu.chat.usePreset(modelData.presetId)
        }
        onObjectAdded: (index, item) => menu.insertItem(index, item)
        onObjectRemoved: (index, item) => menu.removeItem(item)
    }
    T.MenuSeparator {
        enabled: false  // skipped by the arrow keys
        implicitHeight: 1 + 2 * padding
        padding: Theme.space(1)
        contentItem: Rectangle { implicitHeight: 1; color: Theme.colors.line }
    }
    MenuItem { text: qsTr("Save as a preset..."); iconName: "plus"; onTriggered: menu.editRequested("") }
    MenuItem {
        visible: menu.own
        enabled: visible
        text: qsTr("Edit %1...").arg(menu.chat.preset)
        iconName: "pencil"
        onTriggered: menu.editRequested(menu.current)
    }
    MenuItem {
        visible: menu.own
        enabled: visible
        text: qsTr("Delete %1").arg(menu.chat.preset)
        iconName: "trash"
        onTriggered: menu.presets.remove(menu.current)
    }
    MenuItem {
        // Only useful if the current or the default choice is a preset.
        visible: menu.modelName !== "" && (menu.current !== menu.none || menu.usual !== menu.none)
        enabled: visible
        text: qsTr("Use for %1 by default").arg(menu.modelName)
        checkable: true
        checked: menu.usual === menu.current
        onTriggered: menu.presets.setOfModel(menu.modelPath, menu.usual === menu.current ? menu.none : menu.current)
    }
}
