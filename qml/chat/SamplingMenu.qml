import QtQuick
import Minerva.App
import Minerva.Components

// The sampling presets.
Menu {
    id: list

    required property Settings settings

    Repeater {
        model: list.settings.presets
        MenuItem {
            required property string modelData
            text: modelData
            checkable: true
            checked: list.settings.preset === modelData
            onTriggered: list.settings.applyPreset(modelData)
        }
    }
}
