import QtQuick
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The device the model runs on, or the server; amber with a reason if it is not the requested one.
Tag {
    id: badge

    required property InferenceController inference
    readonly property var device: inference.device

    text: device.text
    visible: device.isSet
    readonly property bool elsewhere: inference.model.server !== ""
    ink: elsewhere ? Theme.colors.accent : device.fallback ? Theme.colors.warn : Theme.colors.good
    ground: elsewhere ? Theme.colors.accentSoft : device.fallback ? Theme.colors.warnSoft : Theme.colors.goodSoft
    Accessible.description: device.fallback ? device.reason : device.detail
    HoverHandler { id: hover }
    Tip {
        visible: hover.hovered
        text: badge.device.name + "\n" + badge.device.detail + (badge.device.fallback ? "\n" + badge.device.reason : "")
    }
}
