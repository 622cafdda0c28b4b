import QtQml
import Minerva.Theme

// The phases of a reply in order: names, definitions, colours. key: in MetricsController.shown.phases.
QtObject {
    readonly property var rows: [
        { key: "queue", ink: Theme.colors.faint, title: qsTr("queue"),
            tip: qsTr("From sending it to the engine's first step for it, but for what is named here beside") },
        { key: "load", ink: Theme.colors.bad, title: qsTr("load"),
            tip: qsTr("Waiting for a model to be loaded; nothing where it was there already") },
        { key: "template", ink: Theme.colors.mlx, title: qsTr("template"),
            tip: qsTr("Writing the conversation as the model's chat template wants it") },
        { key: "tokenize", ink: Theme.colors.gguf, title: qsTr("tokenize"),
            tip: qsTr("Cutting that text into tokens") },
        { key: "prefill", ink: Theme.colors.safetensors, title: qsTr("prefill"),
            tip: qsTr("Steps that computed the prompt; what the cache already had is not computed") },
        { key: "first_token", ink: Theme.colors.warn, title: qsTr("first token"),
            tip: qsTr("From the end of the prompt to the first token: reading the predictions back and choosing from them") },
        { key: "decode", ink: Theme.colors.accent, title: qsTr("decode"),
            tip: qsTr("Steps of one token each, and choosing from their predictions") },
        { key: "detokenize", ink: Theme.colors.good, title: qsTr("detokenize"),
            tip: qsTr("Making text of tokens and handing it to the window") },
        { key: "render", ink: Theme.colors.muted, title: qsTr("render"),
            tip: qsTr("From the engine's last word to the frame that shows it. What is drawn before that, while the engine goes on, takes no time of its own") }
    ]
    readonly property var unaccounted: ({ key: "unaccounted", ink: Theme.colors.line, title: qsTr("unaccounted"),
        tip: qsTr("What is left of the whole time: between the phases, and measured by none of them") })
}
