import QtQuick
import Minerva.Theme

// A figure whose digits all take the same width, so that it does not tremble while it counts.
// (Qt 6.4 cannot ask a font for its tabular digits.)
Row {
    id: figure

    property string text: ""
    property color color: Theme.colors.text
    property real pixelSize: Theme.noteSize
    property int weight: Font.Normal

    LayoutMirroring.enabled: false  // figures run rightwards in every script
    Accessible.role: Accessible.StaticText
    Accessible.name: text

    FontMetrics {
        id: metrics
        font.family: Theme.sans
        font.pixelSize: figure.pixelSize
        font.weight: figure.weight
        // A method's answer is asked again when the font is named beside it: the window has another scale.
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
