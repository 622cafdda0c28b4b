import QtQuick
import Minerva.Theme

// Whether a model fits the chosen device of this machine; the tooltip has the reason.
Tag {
    id: tag

    required property string fit  // "fits", "slow", "no", "cannot"; empty: unknown, hidden
    property string reason: ""

    visible: text !== ""
    text: ({ fits: qsTr("Fits"), slow: qsTr("Fits, slowly"), no: qsTr("Does not fit"), cannot: qsTr("Cannot run") })[fit] ?? ""
    ink: fit === "fits" ? Theme.colors.good : fit === "slow" ? Theme.colors.warn : Theme.colors.bad
    ground: fit === "fits" ? Theme.colors.goodSoft : fit === "slow" ? Theme.colors.warnSoft : Theme.colors.badSoft
    HoverHandler { id: hover }
    Tip { visible: tag.reason !== "" && hover.hovered; text: tag.reason }
}
