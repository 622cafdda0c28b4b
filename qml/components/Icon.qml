import QtQuick
import QtQuick.Controls.impl
import Minerva.Theme

// A tinted line icon from resources/icons.
IconImage {
    required property string icon
    property real size: Math.round(18 * Theme.scale)

    source: "qrc:/qt/qml/Minerva/Components/icons/" + icon + ".svg"
    sourceSize.width: size
    sourceSize.height: size
    width: size
    height: size
    color: Theme.colors.muted
    mirror: Theme.mirrored && icon.startsWith("chevron-")
}
