pragma Singleton

import QtQuick

// Minerva's appearance: colours, fonts, spacing, motion. `dark`, `scale`, `reducedMotion` and `pixelRatio` are set in Main.qml.
QtObject {
    id: theme

    property bool dark: false
    property real scale: 1.0
    property bool reducedMotion: false
    property real pixelRatio: 1  // device pixels per logical pixel

    readonly property bool mirrored: Qt.application.layoutDirection === Qt.RightToLeft  // right-to-left layout

    readonly property ColorSet colors: dark ? darkColors : lightColors

    readonly property ColorSet lightColors: ColorSet {
        bg: "#FAFAF8"; surface: "#FFFFFF"; sunken: "#F2F2EE"; line: "#E3E2DC"
        text: "#1D1F21"; muted: "#5F6368"; faint: "#6F7378"
        accent: "#0F6E66"; accentInk: "#FFFFFF"; accentSoft: "#DDF0EC"
        gguf: "#2563B8"; ggufSoft: "#E3ECF9"
        safetensors: "#A8540A"; safetensorsSoft: "#FBEBDA"
        mlx: "#7A3EB8"; mlxSoft: "#F0E6FA"
        good: "#1B7A3D"; goodSoft: "#E1F3E6"
        warn: "#925A00"; warnSoft: "#FBF0DA"
        bad: "#B3261E"; badSoft: "#FBE9E7"
        ownMessage: "#ECEBE5"
    }
    readonly property ColorSet darkColors: ColorSet {
        bg: "#151719"; surface: "#1C1F22"; sunken: "#101214"; line: "#2C3034"
        text: "#E7E8E6"; muted: "#A4A9AE"; faint: "#8D9297"
        accent: "#4FC4B4"; accentInk: "#06201D"; accentSoft: "#16322F"
        gguf: "#7FB0F5"; ggufSoft: "#1B2A40"
        safetensors: "#F0A45C"; safetensorsSoft: "#3A2814"
        mlx: "#C79BF2"; mlxSoft: "#2F2140"
        good: "#6FCF8E"; goodSoft: "#16301E"
        warn: "#F2C063"; warnSoft: "#3A2C10"
        bad: "#F28B82"; badSoft: "#3B1D1B"
        ownMessage: "#262A2E"
    }

    // Font sizes in pixels at scale 1.
    readonly property FontMetrics systemFont: FontMetrics {}
    // The desktop's font, or else Inter if installed. Its variable font (called Inter Variable in newer packages) is
    // TrueType: Qt blends the glyphs of the other one with gamma correction, which is three times as slow and looks bold on
    // a dark background.
    readonly property string sans: {
        if (!["", "sans", "sans serif", "sans-serif"].includes(systemFont.font.family.toLowerCase())) return systemFont.font.family
        const families = Array.from(Qt.fontFamilies())
        return ["Inter Variable", "Inter"].find(family => families.includes(family)) ?? systemFont.font.family
    }
    // Semibold instead of bold: with variable fonts, Qt emboldens bold text once more.
    readonly property string strongCss: "b{font-weight:600}"
    function marked(html: string): string {
        return html.replace(/<b>/g, "<font color=\"" + colors.accent + "\">").replace(/<\/b>/g, "</font>")
    }
    // Computed once instead of by every paragraph. Code has the ground of own messages: the sunken one is hardly seen on the page's.
    readonly property string richCss: strongCss + " a{color:" + colors.accent + "} code{font-family:'" + mono +
        "';font-size:" + Math.round(codeSize) + "px;background-color:" + colors.ownMessage + "}"
    readonly property string bodyTag: paragraphTag(lineFactor, "")
    function paragraphTag(factor: real, align: string): string {
        return "<p " + (align === "" ? "" : "align=\"" + align + "\" ") +
            "style=\"line-height:" + Math.round(100 * factor) + "%;margin:0\">"
    }
    readonly property string mono: "monospace"
    readonly property real titleSize: 20 * scale
    readonly property real headerSize: 15 * scale
    readonly property real bodySize: 14 * scale
    readonly property real noteSize: 12.5 * scale
    readonly property real labelSize: 11.5 * scale
    readonly property real figureSize: 34 * scale
    readonly property real codeSize: 12.5 * scale
    readonly property real lineHeight: 1.55  // relative to the pixel size
    readonly property FontMetrics bodyFont: FontMetrics { font.family: theme.sans; font.pixelSize: 100 }
    // The same relative to the font's line spacing, as Text and rich text expect it.
    readonly property real lineFactor: Math.max(1, lineHeight * 100 / bodyFont.height)
    readonly property FontMetrics codeFont: FontMetrics { font.family: theme.mono; font.pixelSize: 100 }
    readonly property real codeLineFactor: Math.max(1, 1.5 * 100 / codeFont.height)

    // Spacing in multiples of four pixels.
    function space(steps: real): real { return Math.round(4 * steps * scale) }
    readonly property int hit: Math.round(32 * scale)
    readonly property int pageTop: space(5)  // above the header of a page
    readonly property int radius: Math.round(8 * scale)
    readonly property int cardRadius: Math.round(12 * scale)
    readonly property int bubbleRadius: Math.round(14 * scale)
    readonly property int tagRadius: Math.round(6 * scale)
    readonly property int focusWidth: 2

    readonly property int motion: reducedMotion ? 0 : 120

    // Each format has the same colour everywhere; its name is always shown with it.
    function formatColor(format: string): color {
        switch (format) {
        case "GGUF": return colors.gguf
        case "SafeTensors": return colors.safetensors
        case "MLX": return colors.mlx
        }
        return colors.muted
    }
    function formatSoft(format: string): color {
        switch (format) {
        case "GGUF": return colors.ggufSoft
        case "SafeTensors": return colors.safetensorsSoft
        case "MLX": return colors.mlxSoft
        }
        return colors.sunken
    }
}
