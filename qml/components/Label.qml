import QtQuick
import Minerva.Theme

// Plain text in the theme's fonts. `kind`: body, title, header, note, label, mono.
PlainText {
    property string kind: "body"

    color: kind === "note" || kind === "label" ? Theme.colors.muted : Theme.colors.text
    font.family: kind === "mono" ? Theme.mono : Theme.sans
    font.pixelSize: {
        switch (kind) {
        case "title": return Theme.titleSize
        case "header": return Theme.headerSize
        case "note": return Theme.noteSize
        case "mono": return Theme.codeSize
        case "label": return Theme.labelSize
        }
        return Theme.bodySize
    }
    font.weight: kind === "title" || kind === "header" ? Font.DemiBold : Font.Normal
    horizontalAlignment: Text.AlignLeft  // follows the window's direction, not that of the text
    Accessible.role: Accessible.StaticText
    Accessible.name: text
}
