import QtQuick
import Minerva.App
import Minerva.Components
import Minerva.Theme

// How tokens are chosen: as the loaded model recommends, or a preset, which then stays for every model.
Menu {
    id: list

    required property Settings settings

    implicitWidth: Theme.space(65)
    Repeater {
        model: list.settings.presets
        MenuItem {
            required property string modelData
            text: modelData
            note: list.visible ? list.settings.presetNote(modelData) : ""
            checkable: true
            checked: list.settings.preset === modelData
            onTriggered: list.settings.applyPreset(modelData)
        }
    }
}
