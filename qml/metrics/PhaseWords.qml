import QtQml
import Minerva.Theme

// The phases of a reply in order: names, definitions, colours. key: in MetricsController.shown.phases. reached: of replies
// that were not stopped before it.
QtObject {
    readonly property var rows: [
        { key: "queue", ink: Theme.colors.faint, title: qsTr("queue"),
            tip: qsTr("From sending the message to the engine's first step for it, without the other phases listed here") },
        { key: "load", ink: Theme.colors.bad, title: qsTr("load"),
            tip: qsTr("Waiting for the model to load; zero if it was already loaded") },
        { key: "template", ink: Theme.colors.mlx, title: qsTr("template"),
            tip: qsTr("Formatting the conversation with the model's chat template") },
        { key: "tokenize", ink: Theme.colors.gguf, title: qsTr("tokenize"),
            tip: qsTr("Splitting that text into tokens") },
        { key: "prefill", reached: true, ink: Theme.colors.safetensors, title: qsTr("prefill"),
            tip: qsTr("Steps that computed the prompt; what was already in the cache is not computed again") },
        { key: "first_token", reached: true, ink: Theme.colors.warn, title: qsTr("first token"),
            tip: qsTr("From the end of the prompt to the first token: reading the predictions back and sampling from them") },
        { key: "decode", reached: true, ink: Theme.colors.accent, title: qsTr("decode"),
            tip: qsTr("Steps of one token each, and sampling from their predictions") },
        { key: "detokenize", reached: true, ink: Theme.colors.good, title: qsTr("detokenize"),
            tip: qsTr("Converting tokens to text and passing it to the window") },
        { key: "render", ink: Theme.colors.muted, title: qsTr("render"),
            tip: qsTr("From the engine's last output to the frame that shows it. What is drawn before that, while the engine is still working, is not counted") }
    ]
    readonly property var unaccounted: ({ key: "unaccounted", ink: Theme.colors.line, title: qsTr("unaccounted"),
        tip: qsTr("The rest of the total time: between the phases, and measured by none of them") })
}
