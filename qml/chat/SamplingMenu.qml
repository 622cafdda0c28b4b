import QtQuick
import Minerva.App
import Minerva.Components

// The sampling presets.
Menu {
    id: menu

    required property Settings settings

    Repeater {
        model: menu.settings.presets
        MenuItem {
            required property string modelData
            text: modelData
            checkable: true
            checked: menu.settings.preset === modelData
            onTriggered: menu.settings.applyPreset(modelData)
        }
    }
}
