import QtQuick
import Minerva.Theme

// A number whose digits all have the same width, so that it does not jitter while counting. (Qt 6.4 cannot enable a font's
// tabular digits.)
Row {
    id: figure

    property string text: ""
    property color color: Theme.colors.text
    property real pixelSize: Theme.noteSize
    property int weight: Font.Normal

    LayoutMirroring.enabled: false  // numbers run left to right in every script
    Accessible.role: Accessible.StaticText
    Accessible.name: text

    FontMetrics {
        id: metrics
        font.family: Theme.sans
        font.pixelSize: figure.pixelSize
        font.weight: figure.weight
        // `font` is listed to evaluate this again when it changes (such as by scaling): method calls create no binding dependency.
        readonly property real digit: (font, Math.max(...Array.from("0123456789", c => advanceWidth(c))))
    }
    Repeater {
        model: figure.text.length
        PlainText {
            required property int index
            readonly property string glyph: figure.text.charAt(index)
            text: glyph
            width: (metrics.font, glyph >= "0" && glyph <= "9" ? metrics.digit : metrics.advanceWidth(glyph))
            horizontalAlignment: Text.AlignHCenter
            color: figure.color
            font: metrics.font
        }
    }
}
