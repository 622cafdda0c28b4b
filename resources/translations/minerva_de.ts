<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en_US">
<context>
    <name>Minerva</name>
    <message>
        <source>the window</source>
        <translation>das Fenster</translation>
    </message>
    <message>
        <source>linked</source>
        <translation>eingebunden</translation>
    </message>
    <message>
        <source>the system's keyring</source>
        <translation>den Schlüsselbund des Systems</translation>
    </message>
    <message>
        <source>hashes of downloads and encrypted connections</source>
        <translation>Prüfsummen von Downloads und verschlüsselte Verbindungen</translation>
    </message>
    <message>
        <source>conversations and figures, through Qt</source>
        <translation>Gespräche und Messwerte, über Qt</translation>
    </message>
    <message>
        <source>Markdown in messages</source>
        <translation>Markdown in Nachrichten</translation>
    </message>
    <message>
        <source>formulas in messages, with its fonts</source>
        <translation>Formeln in Nachrichten, mit den Schriften dafür</translation>
    </message>
    <message>
        <source>inside</source>
        <translation>enthalten</translation>
    </message>
    <message>
        <source>regular expressions of tokenizers</source>
        <translation>reguläre Ausdrücke von Tokenizern</translation>
    </message>
    <message>
        <source>Unicode in tokenizers</source>
        <translation>Unicode in Tokenizern</translation>
    </message>
    <message>
        <source>configuration files of models</source>
        <translation>Konfigurationsdateien von Modellen</translation>
    </message>
    <message>
        <source>the HTTP server of minerva-bench</source>
        <translation>der HTTP-Server von minerva-bench</translation>
    </message>
    <message>
        <source>the program's log</source>
        <translation>das Protokoll des Programms</translation>
    </message>
    <message>
        <source>texts of the log, through spdlog</source>
        <translation>Texte des Protokolls, über spdlog</translation>
    </message>
    <message>
        <source>the command line of minerva-bench</source>
        <translation>die Befehlszeile von minerva-bench</translation>
    </message>
    <message>
        <source>computing on a GPU, where there is one</source>
        <translation>das Rechnen auf einer GPU, wo es eine gibt</translation>
    </message>
    <message>
        <source>run</source>
        <translation>vom System benutzt</translation>
    </message>
    <message>
        <source>drawing the window, through Qt</source>
        <translation>das Zeichnen des Fensters, über Qt</translation>
    </message>
    <message>
        <source>the keyboard, through Qt</source>
        <translation>die Tastatur, über Qt</translation>
    </message>
    <message>
        <source>the C++ standard library</source>
        <translation>die C++-Standardbibliothek</translation>
    </message>
    <message>
        <source>the C standard library</source>
        <translation>die C-Standardbibliothek</translation>
    </message>
    <message>
        <source>the window's typeface</source>
        <translation>die Schrift des Fensters</translation>
    </message>
    <message>
        <source>code, and scripts that Inter does not have</source>
        <translation>Code und Schriftsysteme, die Inter nicht hat</translation>
    </message>
    <message>
        <source>which servers an encrypted connection may trust</source>
        <translation>die Frage, welchen Servern eine verschlüsselte Verbindung vertrauen darf</translation>
    </message>
    <message>
        <source>For %1 (%2)</source>
        <translation>Für %1 (%2)</translation>
    </message>
    <message>
        <source>License: %1</source>
        <translation>Lizenz: %1</translation>
    </message>
    <message>
        <source>Copyright: %1</source>
        <translation>Copyright: %1</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Close  Esc</source>
        <translation>Schließen  Esc</translation>
    </message>
    <message>
        <source>Minerva %1</source>
        <translation>Minerva %1</translation>
    </message>
    <message>
        <source>Chat with language models that run on this computer. Minerva opens models in GGUF, SafeTensors and MLX formats and runs them with its own engine, on the CPU or, through Vulkan, on a GPU. Nothing is sent anywhere unless you ask for it.</source>
        <translation>Chat mit Sprachmodellen, die auf diesem Rechner laufen. Minerva öffnet Modelle in den Formaten GGUF, SafeTensors und MLX und führt sie mit eigener Engine aus, auf der CPU oder über Vulkan auf einer GPU. Nichts wird irgendwohin gesendet, wenn Sie es nicht verlangen.</translation>
    </message>
    <message>
        <source>Minerva uses Qt %1 under the GNU Lesser General Public License, version 3. Qt is linked dynamically: you may use another compatible version of it with this program, including one that you have modified. Its source is published at the address below; the source of the installed version is in your system's package repository.</source>
        <translation>Minerva benutzt Qt %1 unter der GNU Lesser General Public License, Version 3. Qt ist dynamisch eingebunden: Sie dürfen eine andere kompatible Version davon mit diesem Programm benutzen, auch eine, die Sie verändert haben. Der Quelltext ist unter der Adresse unten veröffentlicht; den der installierten Version hat die Paketquelle Ihres Systems.</translation>
    </message>
    <message>
        <source>Show the LGPL</source>
        <translation>LGPL zeigen</translation>
    </message>
    <message>
        <source>Show the GPL</source>
        <translation>GPL zeigen</translation>
    </message>
    <message>
        <source>The LGPL supplements the GPL</source>
        <translation>Die LGPL ergänzt die GPL</translation>
    </message>
    <message>
        <source>Made with</source>
        <translation>Gemacht mit</translation>
    </message>
    <message>
        <source>Access token</source>
        <translation>Zugangstoken</translation>
    </message>
    <message>
        <source>The token from %1 is used for gated and private models.</source>
        <translation>Für geschützte und private Modelle gilt das Token aus %1.</translation>
    </message>
    <message>
        <source>A token in your keyring is used for gated and private models.</source>
        <translation>Für geschützte und private Modelle gilt ein Token in Ihrem Schlüsselbund.</translation>
    </message>
    <message>
        <source>Gated and private models need an access token of your account on the hub. It is kept in your keyring, nowhere else, and sent only to the hub.</source>
        <translation>Geschützte und private Modelle brauchen ein Token Ihres Kontos beim Hub. Es liegt in Ihrem Schlüsselbund, sonst nirgends, und wird nur an den Hub gesendet.</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Remove it from the keyring</source>
        <translation>Aus dem Schlüsselbund entfernen</translation>
    </message>
    <message>
        <source>To use one anyway, %1.</source>
        <translation>Um trotzdem eines zu verwenden: %1.</translation>
    </message>
    <message>
        <source>Find an action, conversation or model</source>
        <translation>Aktion, Gespräch oder Modell finden</translation>
    </message>
    <message>
        <source>All shortcuts</source>
        <translation>Alle Tastenkürzel</translation>
    </message>
    <message>
        <source>About Minerva</source>
        <translation>Über Minerva</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Open a model file</source>
        <translation>Modelldatei öffnen</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Messung</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Reset zoom</source>
        <translation>Zoom zurücksetzen</translation>
    </message>
    <message>
        <source>Switch between light and dark theme</source>
        <translation>Zwischen hellem und dunklem Design wechseln</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>Neuer Ordner</translation>
    </message>
    <message>
        <source>Import conversations...</source>
        <translation>Gespräche importieren...</translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation>Gespräche suchen</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Modell wählen</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>Nachricht schreiben</translation>
    </message>
    <message>
        <source>Restore the deleted conversation</source>
        <translation>Das gelöschte Gespräch wiederherstellen</translation>
    </message>
    <message>
        <source>Recently deleted</source>
        <translation>Zuletzt gelöscht</translation>
    </message>
    <message>
        <source>Attach text files</source>
        <translation>Textdateien anhängen</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>Noch einmal antworten</translation>
    </message>
    <message>
        <source>Continue the reply</source>
        <translation>Antwort fortsetzen</translation>
    </message>
    <message>
        <source>Copy the last message</source>
        <translation>Letzte Nachricht kopieren</translation>
    </message>
    <message>
        <source>Go to the newest message</source>
        <translation>Zur neuesten Nachricht</translation>
    </message>
    <message>
        <source>Scroll back a page</source>
        <translation>Eine Seite zurück</translation>
    </message>
    <message>
        <source>Scroll on a page</source>
        <translation>Eine Seite weiter</translation>
    </message>
    <message>
        <source>Next conversation</source>
        <translation>Nächstes Gespräch</translation>
    </message>
    <message>
        <source>Previous conversation</source>
        <translation>Voriges Gespräch</translation>
    </message>
    <message>
        <source>Show the exact prompt</source>
        <translation>Den genauen Prompt anzeigen</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Gespräche</translation>
    </message>
    <message>
        <source>Live panel</source>
        <translation>Live-Anzeige</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>Neue Zeile</translation>
    </message>
    <message>
        <source>Rename the conversation in the list</source>
        <translation>Gespräch in der Liste umbenennen</translation>
    </message>
    <message>
        <source>Pin the conversation in the list</source>
        <translation>Gespräch in der Liste anheften</translation>
    </message>
    <message>
        <source>Delete the conversation in the list</source>
        <translation>Gespräch in der Liste löschen</translation>
    </message>
    <message>
        <source>Search models to download</source>
        <translation>Modelle zum Laden suchen</translation>
    </message>
    <message>
        <source>Back to the list</source>
        <translation>Zurück zur Liste</translation>
    </message>
    <message>
        <source>Run the comparison</source>
        <translation>Vergleich starten</translation>
    </message>
    <message>
        <source>Add a model</source>
        <translation>Modell hinzufügen</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Run benchmark</source>
        <translation>Benchmark starten</translation>
    </message>
    <message>
        <source>Benchmark with charts</source>
        <translation>Benchmark mit Diagrammen</translation>
    </message>
    <message>
        <source>Export the figures</source>
        <translation>Zahlen exportieren</translation>
    </message>
    <message>
        <source>Local server</source>
        <translation>Lokaler Server</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Einstellungen suchen</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Open a file...</source>
        <translation>Datei öffnen...</translation>
    </message>
    <message>
        <source>Open a folder...</source>
        <translation>Ordner öffnen...</translation>
    </message>
    <message>
        <source>A model of a server...</source>
        <translation>Ein Modell eines Servers...</translation>
    </message>
    <message>
        <source>Add a model to the comparison</source>
        <translation>Modell zum Vergleich hinzufügen</translation>
    </message>
    <message>
        <source>Models (*.gguf *.safetensors)</source>
        <translation>Modelle (*.gguf *.safetensors)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Add a model's folder to the comparison</source>
        <translation>Modellordner zum Vergleich hinzufügen</translation>
    </message>
    <message>
        <source>Attached file %1</source>
        <translation>Angehängte Datei %1</translation>
    </message>
    <message>
        <source>%1. Delete removes it</source>
        <translation>%1. Entf entfernt sie</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>%1: show its text</source>
        <translation>%1: Text zeigen</translation>
    </message>
    <message>
        <source>Attached files</source>
        <translation>Angehängte Dateien</translation>
    </message>
    <message>
        <source>%1 · about %2 tokens</source>
        <translation>%1 · etwa %2 Token</translation>
    </message>
    <message>
        <source>Benchmark</source>
        <translation>Benchmark</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Minerva built-in</source>
        <translation>Minerva eingebaut</translation>
    </message>
    <message>
        <source>No requests yet. In a terminal, this line asks the model; other programs take the address as that of OpenAI or Ollama.</source>
        <translation>Noch keine Anfragen. Diese Zeile fragt das Modell in einem Terminal; andere Programme verwenden die Adresse wie die von OpenAI oder Ollama.</translation>
    </message>
    <message>
        <source>Command line</source>
        <translation>Befehlszeile</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Load anyway</source>
        <translation>Trotzdem laden</translation>
    </message>
    <message>
        <source>On the CPU. The computer may become slow, or the system may end Minerva; conversations are kept</source>
        <translation>Auf der CPU. Der Rechner kann langsam werden, oder das System beendet Minerva; Gespräche bleiben erhalten</translation>
    </message>
    <message>
        <source>Deleted the preset %1</source>
        <translation>Voreinstellung %1 gelöscht</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1 auf %2</translation>
    </message>
    <message>
        <source>expected: at most %1 tok/s</source>
        <translation>erwartet: höchstens %1 tok/s</translation>
    </message>
    <message>
        <source>%1 files</source>
        <translation>%1 Dateien</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>Auf diesem Rechner</translation>
    </message>
    <message>
        <source>Another version is here</source>
        <translation>Andere Fassung hier</translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation>Empfohlen</translation>
    </message>
    <message>
        <source>on this computer</source>
        <translation>auf diesem Rechner</translation>
    </message>
    <message>
        <source>another version is on this computer</source>
        <translation>eine andere Fassung ist auf diesem Rechner</translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation>Wird geladen</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>Aktualisieren</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>It is on this computer: %1</source>
        <translation>Es liegt auf diesem Rechner: %1</translation>
    </message>
    <message>
        <source>The hub has another version of what is on this computer. The download replaces it when it is complete and verified</source>
        <translation>Der Hub hat eine andere Fassung als dieser Rechner. Sie ersetzt die hiesige, sobald sie vollständig geladen und geprüft ist</translation>
    </message>
    <message>
        <source>Measured memory bandwidth, divided by the bytes read for each token</source>
        <translation>Gemessene Speicherbandbreite, geteilt durch die Bytes, die für jedes Token gelesen werden</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Tool call</source>
        <translation>Werkzeugaufruf</translation>
    </message>
    <message>
        <source>Copies this code</source>
        <translation>Kopiert diesen Code</translation>
    </message>
    <message>
        <source>%1 pieces/s</source>
        <translation>%1 Stücke/s</translation>
    </message>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 tok/s</translation>
    </message>
    <message>
        <source>Remove %1 from the comparison</source>
        <translation>%1 aus dem Vergleich entfernen</translation>
    </message>
    <message>
        <source>TTFT %1</source>
        <translation>TTFT %1</translation>
    </message>
    <message numerus="yes">
        <source>%n tokens</source>
        <translation><numerusform>%n Token</numerusform><numerusform>%n Tokens</numerusform></translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>most precise</source>
        <translation>am genauesten</translation>
    </message>
    <message>
        <source>Decode speed over the reply</source>
        <translation>Tempo der Ausgabe im Verlauf der Antwort</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>No matches.</source>
        <translation>Keine Treffer.</translation>
    </message>
    <message>
        <source>Earlier comparisons</source>
        <translation>Frühere Vergleiche</translation>
    </message>
    <message>
        <source>New comparison</source>
        <translation>Neuer Vergleich</translation>
    </message>
    <message>
        <source>Change models or prompt</source>
        <translation>Modelle oder Frage ändern</translation>
    </message>
    <message>
        <source>Show the result again</source>
        <translation>Das Ergebnis wieder zeigen</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Run one after another</source>
        <translation>Nacheinander ausführen</translation>
    </message>
    <message>
        <source>Deleted %1</source>
        <translation>%1 gelöscht</translation>
    </message>
    <message>
        <source>Making a GGUF and an MLX copy of the built-in model</source>
        <translation>Kopien des eingebauten Modells als GGUF und MLX entstehen</translation>
    </message>
    <message>
        <source>Making copies</source>
        <translation>Kopien entstehen</translation>
    </message>
    <message>
        <source>Add at least one more: two to four models can be compared. Files can be dropped here.</source>
        <translation>Mindestens noch eines: zwei bis vier Modelle lassen sich vergleichen. Dateien können hier abgelegt werden.</translation>
    </message>
    <message>
        <source>Two to four models can be compared. Files can be dropped here.</source>
        <translation>Zwei bis vier Modelle lassen sich vergleichen. Dateien können hier abgelegt werden.</translation>
    </message>
    <message>
        <source>The prompts are sent to %1 when the comparison is started, not before.</source>
        <translation>Die Prompts werden an %1 gesendet, wenn der Vergleich beginnt, nicht vorher.</translation>
    </message>
    <message>
        <source>A reply is being written in the chat: measured speeds will be lower.</source>
        <translation>Im Chat wird gerade eine Antwort geschrieben: die gemessenen Tempi werden niedriger sein.</translation>
    </message>
    <message>
        <source>Open a model to start</source>
        <translation>Zum Anfangen ein Modell öffnen</translation>
    </message>
    <message>
        <source>Ask %1...</source>
        <translation>%1 fragen...</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>Preset: system prompt and sampling</source>
        <translation>Voreinstellung: Systemprompt und Sampling</translation>
    </message>
    <message>
        <source>Preset: %1</source>
        <translation>Voreinstellung: %1</translation>
    </message>
    <message>
        <source>Stopping...</source>
        <translation>Wird gestoppt ...</translation>
    </message>
    <message>
        <source>Enter queues, Esc stops</source>
        <translation>Enter reiht ein, Esc hält an</translation>
    </message>
    <message>
        <source>Esc stops</source>
        <translation>Esc hält an</translation>
    </message>
    <message>
        <source>Reading the file</source>
        <translation>Datei wird gelesen</translation>
    </message>
    <message>
        <source>Enter sends</source>
        <translation>Enter sendet</translation>
    </message>
    <message>
        <source>Enter queues</source>
        <translation>Enter reiht ein</translation>
    </message>
    <message>
        <source>This does not fit into the context</source>
        <translation>Das passt nicht in den Kontext</translation>
    </message>
    <message>
        <source>The prompt takes %1 tokens and the reply needs %2; the context holds %3. That is %4 too many. Nothing has been sent.</source>
        <translation>Der Prompt braucht %1 Tokens und die Antwort %2; der Kontext fasst %3. Das sind %4 zu viel. Es wurde nichts gesendet.</translation>
    </message>
    <message>
        <source>Dropping the oldest leaves these out of the prompt; they stay in the transcript:</source>
        <translation>Wenn Sie das Älteste weglassen, wird dies nicht mehr mitgesendet; im Verlauf bleibt es stehen:</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Tokens</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>A context of %1 would take %2 more memory; %3 is free.</source>
        <translation>Ein Kontext von %1 bräuchte %2 mehr Speicher; %3 sind frei.</translation>
    </message>
    <message>
        <source>The message itself is too long for this model: shorten it.</source>
        <translation>Die Nachricht selbst ist zu lang für dieses Modell: bitte kürzen.</translation>
    </message>
    <message>
        <source>Keep editing</source>
        <translation>Weiter bearbeiten</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Drop the oldest %1 (%2 tokens)</source>
        <translation>Die ältesten %1 weglassen (%2 Tokens)</translation>
    </message>
    <message>
        <source>The prompt then has %1 tokens</source>
        <translation>Der Prompt hat dann %1 Tokens</translation>
    </message>
    <message>
        <source>Shorter reply (at most %1 tokens)</source>
        <translation>Kürzere Antwort (höchstens %1 Tokens)</translation>
    </message>
    <message>
        <source>Load with a context of %1 (+ %2)</source>
        <translation>Mit einem Kontext von %1 laden (+ %2)</translation>
    </message>
    <message>
        <source>The model is loaded again, then the message is sent</source>
        <translation>Das Modell wird neu geladen, dann wird die Nachricht gesendet</translation>
    </message>
    <message>
        <source>%1 of %2 tokens</source>
        <translation>%1 von %2 Tokens</translation>
    </message>
    <message>
        <source>Next prompt: %1</source>
        <translation>Nächster Prompt: %1</translation>
    </message>
    <message>
        <source>Tokens are counted by %1</source>
        <translation>Tokens zählt %1</translation>
    </message>
    <message>
        <source>Only the server knows how many tokens the messages are, and whether they fit: it is not asked before they are sent.</source>
        <translation>Nur der Server weiß, wie viele Tokens die Nachrichten sind und ob sie hineinpassen: Er wird vor dem Senden nicht gefragt.</translation>
    </message>
    <message>
        <source>The prompt as it would be sent now takes %1 of the context, without what the model's template leaves out of earlier replies, such as thoughts. %2 of them are in the cache and need not be read again.</source>
        <translation>Der Prompt, wie er jetzt gesendet würde, nimmt %1 des Kontexts ein, ohne das, was die Vorlage des Modells aus früheren Antworten weglässt, etwa Gedanken. %2 davon liegen im Cache und müssen nicht noch einmal gelesen werden.</translation>
    </message>
    <message>
        <source>%1, pinned</source>
        <translation>%1, angeheftet</translation>
    </message>
    <message>
        <source>a reply is being written</source>
        <translation>eine Antwort wird geschrieben</translation>
    </message>
    <message>
        <source>Stop the reply</source>
        <translation>Antwort anhalten</translation>
    </message>
    <message>
        <source>Rename, pin, move, export or delete  Menu key</source>
        <translation>Umbenennen, anheften, verschieben, exportieren oder löschen  Menütaste</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>New folder, import, recently deleted</source>
        <translation>Neuer Ordner, importieren, zuletzt gelöscht</translation>
    </message>
    <message>
        <source>Recently deleted...</source>
        <translation>Zuletzt gelöscht...</translation>
    </message>
    <message>
        <source>No conversation matches.</source>
        <translation>Kein Gespräch passt dazu.</translation>
    </message>
    <message>
        <source>Conversations you start appear here.</source>
        <translation>Hier erscheinen die Gespräche, die Sie beginnen.</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Pin to the top</source>
        <translation>Oben anheften</translation>
    </message>
    <message>
        <source>Move to folder...</source>
        <translation>In einen Ordner legen...</translation>
    </message>
    <message>
        <source>Export...</source>
        <translation>Exportieren...</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>Kein Ordner</translation>
    </message>
    <message>
        <source>New folder...</source>
        <translation>Neuer Ordner...</translation>
    </message>
    <message>
        <source>Markdown...</source>
        <translation>Markdown...</translation>
    </message>
    <message>
        <source>Everything, as JSON...</source>
        <translation>Alles, als JSON...</translation>
    </message>
    <message>
        <source>Remove folder, keep conversations</source>
        <translation>Ordner entfernen, Gespräche behalten</translation>
    </message>
    <message>
        <source>Export the conversation</source>
        <translation>Gespräch exportieren</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>Everything, as JSON (*.json)</source>
        <translation>Alles, als JSON (*.json)</translation>
    </message>
    <message>
        <source>Import conversations: Minerva (.json, .md), ChatGPT (conversations.json), OpenAI messages (.json, .jsonl)</source>
        <translation>Gespräche importieren: Minerva (.json, .md), ChatGPT (conversations.json), OpenAI-Nachrichten (.json, .jsonl)</translation>
    </message>
    <message>
        <source>Conversations (*.json *.jsonl *.md)</source>
        <translation>Gespräche (*.json *.jsonl *.md)</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Make a smaller copy of %1</source>
        <translation>Eine kleinere Kopie von %1</translation>
    </message>
    <message>
        <source>Copying %1</source>
        <translation>%1 wird kopiert</translation>
    </message>
    <message>
        <source>The copy of %1 is ready</source>
        <translation>Die Kopie von %1 ist fertig</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>No available type would make a smaller copy of this model.</source>
        <translation>Kein verfügbarer Typ ergäbe eine kleinere Kopie dieses Modells.</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Type of the copy</source>
        <translation>Typ der Kopie</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>etwa %1</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Change...</source>
        <translation>Ändern...</translation>
    </message>
    <message>
        <source>Make the copy</source>
        <translation>Kopie erstellen</translation>
    </message>
    <message>
        <source>Copy progress</source>
        <translation>Fortschritt der Kopie</translation>
    </message>
    <message>
        <source>%1 of %2 · %3</source>
        <translation>%1 von %2 · %3</translation>
    </message>
    <message>
        <source>Reading the model</source>
        <translation>Das Modell wird gelesen</translation>
    </message>
    <message>
        <source>Save the copy as</source>
        <translation>Kopie speichern als</translation>
    </message>
    <message>
        <source>GGUF (*.gguf)</source>
        <translation>GGUF (*.gguf)</translation>
    </message>
    <message>
        <source>Left out of the prompt from here up: %1 messages, %2 tokens</source>
        <translation>Ab hier nach oben nicht im Prompt: %1 Nachrichten, %2 Tokens</translation>
    </message>
    <message>
        <source>Put back</source>
        <translation>Wieder mitsenden</translation>
    </message>
    <message>
        <source>Prompts start with the first message again if they fit</source>
        <translation>Prompts beginnen wieder mit der ersten Nachricht, wenn sie passen</translation>
    </message>
    <message>
        <source>Enter restores it, Delete removes it for good</source>
        <translation>Enter stellt es wieder her, Entf löscht es endgültig</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Delete for good</source>
        <translation>Endgültig löschen</translation>
    </message>
    <message>
        <source>Delete now</source>
        <translation>Jetzt löschen</translation>
    </message>
    <message>
        <source>Delete all now...</source>
        <translation>Alle jetzt löschen...</translation>
    </message>
    <message>
        <source>They are kept for %1 days, then removed for good when Minerva starts.</source>
        <translation>Sie werden %1 Tage aufbewahrt und dann beim Start von Minerva endgültig gelöscht.</translation>
    </message>
    <message>
        <source>Nothing was deleted in the last %1 days.</source>
        <translation>In den letzten %1 Tagen wurde nichts gelöscht.</translation>
    </message>
    <message numerus="yes">
        <source>Delete %n conversation(s) for good? This cannot be undone.</source>
        <translation><numerusform>%n Gespräch endgültig löschen? Das lässt sich nicht rückgängig machen.</numerusform><numerusform>%n Gespräche endgültig löschen? Das lässt sich nicht rückgängig machen.</numerusform></translation>
    </message>
    <message>
        <source>Keep them</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Delete all now</source>
        <translation>Alle jetzt löschen</translation>
    </message>
    <message numerus="yes">
        <source>%n thread(s)</source>
        <translation><numerusform>%n Thread</numerusform><numerusform>%n Threads</numerusform></translation>
    </message>
    <message>
        <source>This Vulkan driver runs on the CPU</source>
        <translation>Dieser Vulkan-Treiber läuft auf der CPU</translation>
    </message>
    <message numerus="yes">
        <source>%n layer(s)</source>
        <translation><numerusform>%n Schicht</numerusform><numerusform>%n Schichten</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>experts of %n layer(s)</source>
        <translation><numerusform>Experten von %n Schicht</numerusform><numerusform>Experten von %n Schichten</numerusform></translation>
    </message>
    <message>
        <source>token embedding</source>
        <translation>Einbettung der Token</translation>
    </message>
    <message numerus="yes">
        <source>Shared by %n device(s)</source>
        <translation><numerusform>Auf %n Gerät verteilt</numerusform><numerusform>Auf %n Geräte verteilt</numerusform></translation>
    </message>
    <message>
        <source>%1 per token from device to device</source>
        <translation>%1 pro Token von Gerät zu Gerät</translation>
    </message>
    <message>
        <source>runs on the CPU</source>
        <translation>läuft auf der CPU</translation>
    </message>
    <message>
        <source>%1: %2 GB/s</source>
        <translation>%1: %2 GB/s</translation>
    </message>
    <message>
        <source>Measured here with Minerva's own read kernel, from memory; what fits into a cache is read faster.</source>
        <translation>Hier mit Minervas eigenem Lese-Kernel gemessen, aus dem Arbeitsspeicher; was in einen Cache passt, wird schneller gelesen.</translation>
    </message>
    <message>
        <source>in software</source>
        <translation>in Software</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>in Gebrauch</translation>
    </message>
    <message>
        <source>Chosen</source>
        <translation>Gewählt</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Run models on this device from the next load on. It is remembered by its UUID, not by its position in a list</source>
        <translation>Modelle ab dem nächsten Laden auf diesem Gerät ausführen. Gemerkt wird seine UUID, nicht sein Platz in einer Liste</translation>
    </message>
    <message>
        <source>Testing...</source>
        <translation>Wird geprüft...</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Compares this device's predictions with the reference's and measures how fast it reads its memory; takes a few seconds</source>
        <translation>Vergleicht die Vorhersagen dieses Geräts mit denen der Referenz und misst, wie schnell es seinen Speicher liest; dauert einige Sekunden</translation>
    </message>
    <message>
        <source>Memory in use</source>
        <translation>Belegter Speicher</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>As reported by the driver; updated every few seconds while this is shown</source>
        <translation>Laut Treiber; wird alle paar Sekunden aktualisiert, solange dies zu sehen ist</translation>
    </message>
    <message>
        <source>Read bandwidth</source>
        <translation>Lesebandbreite</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>Chosen automatically: the fastest device that works.</source>
        <translation>Automatisch gewählt: das schnellste Gerät, das funktioniert.</translation>
    </message>
    <message>
        <source>All GPUs: as few of them as a model needs; from the next load on.</source>
        <translation>Alle GPUs: so wenige, wie das Modell braucht; ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Chosen by you; used from the next load on.</source>
        <translation>Von Ihnen gewählt; gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Use all GPUs</source>
        <translation>Alle GPUs verwenden</translation>
    </message>
    <message>
        <source>Share models that are too large for one GPU between all of them, from the next load on</source>
        <translation>Modelle, die für eine GPU zu groß sind, ab dem nächsten Laden auf alle verteilen</translation>
    </message>
    <message>
        <source>Choose automatically</source>
        <translation>Automatisch wählen</translation>
    </message>
    <message>
        <source>The chosen device (%1) is not available. Models run on the CPU until it is back or another one is chosen.</source>
        <translation>Das gewählte Gerät (%1) ist nicht verfügbar. Bis es zurück ist oder ein anderes gewählt wird, laufen Modelle auf der CPU.</translation>
    </message>
    <message>
        <source>%1 downloads</source>
        <translation>%1-mal geladen</translation>
    </message>
    <message>
        <source>gated</source>
        <translation>geschützt</translation>
    </message>
    <message>
        <source>Search Hugging Face, or paste a link</source>
        <translation>Hugging Face durchsuchen oder einen Link einfügen</translation>
    </message>
    <message>
        <source>Minerva is set to stay offline: no requests are sent to the hub.</source>
        <translation>Minerva soll offline bleiben: es werden keine Anfragen an den Hub gesendet.</translation>
    </message>
    <message>
        <source>Go online</source>
        <translation>Online gehen</translation>
    </message>
    <message>
        <source>Asking the hub</source>
        <translation>Der Hub wird gefragt</translation>
    </message>
    <message>
        <source>Searching for "%1"</source>
        <translation>Suche nach „%1“</translation>
    </message>
    <message>
        <source>Results for "%1"</source>
        <translation>Ergebnisse für „%1“</translation>
    </message>
    <message>
        <source>No model with GGUF, SafeTensors or MLX files has this in its name.</source>
        <translation>Kein Modell mit GGUF-, SafeTensors- oder MLX-Dateien hat das im Namen.</translation>
    </message>
    <message>
        <source>No requests are sent to the hub before you search or open a model. Files are checked as they arrive and used only if they are correct.</source>
        <translation>Der Hub wird erst gefragt, wenn Sie suchen oder ein Modell öffnen. Dateien werden beim Eintreffen geprüft und nur benutzt, wenn sie stimmen.</translation>
    </message>
    <message>
        <source>the end</source>
        <translation>das Ende</translation>
    </message>
    <message>
        <source>First token that differs</source>
        <translation>Erstes abweichendes Token</translation>
    </message>
    <message>
        <source>not comparable</source>
        <translation>nicht vergleichbar</translation>
    </message>
    <message>
        <source>no token differs</source>
        <translation>kein Token weicht ab</translation>
    </message>
    <message>
        <source>token %1</source>
        <translation>Token %1</translation>
    </message>
    <message>
        <source>here</source>
        <translation>hier</translation>
    </message>
    <message>
        <source>Download progress</source>
        <translation>Fortschritt des Downloads</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Remove from this list; the model stays</source>
        <translation>Aus der Liste entfernen; das Modell bleibt</translation>
    </message>
    <message>
        <source>Cancel and delete what was downloaded</source>
        <translation>Abbrechen und löschen, was schon geladen ist</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>A smaller model with the same vocabulary suggests what comes next, and this one checks several tokens at a time. On a processor this makes replies faster without changing them; it takes memory. It applies when the model is loaded next.</source>
        <translation>Ein kleineres Modell mit demselben Vokabular schlägt vor, was folgt, und dieses prüft mehrere Token auf einmal. Auf dem Prozessor werden Antworten dadurch schneller, ohne sich zu ändern; es braucht Speicher. Es gilt ab dem nächsten Laden des Modells.</translation>
    </message>
    <message>
        <source>With the present settings both take %1 of %2 free. %3 of it is the draft model: weights %4, state of conversations %5, working memory %6.</source>
        <translation>Mit den jetzigen Einstellungen brauchen beide %1 von %2 freiem Speicher. %3 davon ist das Entwurfsmodell: Gewichte %4, Zustand der Gespräche %5, Zwischenergebnisse %6.</translation>
    </message>
    <message>
        <source>Forget this comparison</source>
        <translation>Diesen Vergleich vergessen</translation>
    </message>
    <message>
        <source>Ask several models or formats the same question and see which is faster, smaller and closer to the original on this machine.</source>
        <translation>Stellen Sie mehreren Modellen oder Formaten dieselbe Frage und sehen Sie, welches auf diesem Rechner schneller, kleiner und näher am Original ist.</translation>
    </message>
    <message>
        <source>Try the built-in model in three formats</source>
        <translation>Das eingebaute Modell in drei Formaten ausprobieren</translation>
    </message>
    <message>
        <source>Hide details</source>
        <translation>Details ausblenden</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>: expected %1, found %2</source>
        <translation>: erwartet %1, gefunden %2</translation>
    </message>
    <message>
        <source>: expected %1</source>
        <translation>: erwartet %1</translation>
    </message>
    <message>
        <source>Where: %1</source>
        <translation>Wo: %1</translation>
    </message>
    <message>
        <source>Kind: %1</source>
        <translation>Art: %1</translation>
    </message>
    <message>
        <source>Saved as %1</source>
        <translation>Gespeichert als %1</translation>
    </message>
    <message>
        <source>The picture could not be written to %1</source>
        <translation>Das Bild konnte nicht nach %1 geschrieben werden</translation>
    </message>
    <message>
        <source>Table...</source>
        <translation>Tabelle...</translation>
    </message>
    <message>
        <source>Everything...</source>
        <translation>Alles...</translation>
    </message>
    <message>
        <source>Picture...</source>
        <translation>Bild...</translation>
    </message>
    <message>
        <source>Export the comparison</source>
        <translation>Vergleich exportieren</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>From opening the file until the first step is possible</source>
        <translation>Vom Öffnen der Datei, bis der erste Schritt möglich ist</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>Time to first token: from the request's arrival in the engine</source>
        <translation>Zeit bis zum ersten Token: ab dem Eintreffen der Anfrage in der Engine</translation>
    </message>
    <message>
        <source>Prefill tok/s</source>
        <translation>Prefill tok/s</translation>
    </message>
    <message>
        <source>Prompt tokens computed per second</source>
        <translation>Gelesene Prompt-Tokens je Sekunde</translation>
    </message>
    <message>
        <source>Decode tok/s</source>
        <translation>Decode tok/s</translation>
    </message>
    <message>
        <source>Tokens after the first, divided by the time since the first</source>
        <translation>Tokens nach dem ersten, geteilt durch die Zeit seitdem</translation>
    </message>
    <message>
        <source>ms/token</source>
        <translation>ms/Token</translation>
    </message>
    <message>
        <source>Half of the tokens took at most this long (p50)</source>
        <translation>Die Hälfte der Tokens brauchte höchstens so lange (p50)</translation>
    </message>
    <message>
        <source>p95</source>
        <translation>p95</translation>
    </message>
    <message>
        <source>95 of 100 tokens took at most this many ms</source>
        <translation>95 von 100 Tokens brauchten höchstens so viele ms</translation>
    </message>
    <message>
        <source>Weights, state of the conversation, and scratch memory on the device</source>
        <translation>Gewichte, Zustand des Gesprächs und Zwischenspeicher auf dem Gerät</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Platte</translation>
    </message>
    <message>
        <source>Size of the weight files</source>
        <translation>Größe der Gewichtsdateien</translation>
    </message>
    <message>
        <source>Bits/weight</source>
        <translation>Bits/Gewicht</translation>
    </message>
    <message>
        <source>File size in bits per parameter</source>
        <translation>Dateigröße in Bits je Parameter</translation>
    </message>
    <message>
        <source>KL</source>
        <translation>KL</translation>
    </message>
    <message>
        <source>Mean divergence of the predictions from the most precise model's, in nats; 0 means identical</source>
        <translation>Mittlere Abweichung der Vorhersagen vom genauesten Modell, in Nat; 0 heißt gleich</translation>
    </message>
    <message>
        <source>Same top</source>
        <translation>Gleich vorn</translation>
    </message>
    <message>
        <source>How often the most likely token is the same as the most precise model's</source>
        <translation>Wie oft das wahrscheinlichste Token das des genauesten Modells ist</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>Of the text all models are measured on; lower means less surprised</source>
        <translation>Des Textes, an dem alle Modelle gemessen werden; kleiner heißt weniger überrascht</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>Zahlen</translation>
    </message>
    <message>
        <source>%1, best</source>
        <translation>%1, am besten</translation>
    </message>
    <message>
        <source>A stall is a token that took more than four times the median and more than 50 ms</source>
        <translation>Ein Stocken ist ein Token, das mehr als das Vierfache des Medians und mehr als 50 ms brauchte</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Tokens of the whole conversation as it was sent</source>
        <translation>Tokens des ganzen Gesprächs, wie es gesendet wurde</translation>
    </message>
    <message>
        <source>Reused</source>
        <translation>Im Cache</translation>
    </message>
    <message>
        <source>Tokens of the prompt that were still in the cache and were not computed again</source>
        <translation>Tokens des Prompts, die noch im Cache waren und nicht neu berechnet wurden</translation>
    </message>
    <message>
        <source>Generated</source>
        <translation>Erzeugt</translation>
    </message>
    <message>
        <source>Tokens of the reply, including its end token</source>
        <translation>Tokens der Antwort einschließlich des End-Tokens</translation>
    </message>
    <message>
        <source>Time to first token: from the request's arrival in the engine to the first sampled token</source>
        <translation>Zeit bis zum ersten Token: vom Eintreffen der Anfrage in der Engine bis zum ersten gewählten Token</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>Prefill</translation>
    </message>
    <message>
        <source>Decode</source>
        <translation>Decode</translation>
    </message>
    <message>
        <source>p50</source>
        <translation>p50</translation>
    </message>
    <message>
        <source>Half of the tokens took at most this long</source>
        <translation>Die Hälfte der Tokens brauchte höchstens so lange</translation>
    </message>
    <message>
        <source>95 of 100 tokens took at most this long</source>
        <translation>95 von 100 Tokens brauchten höchstens so lange</translation>
    </message>
    <message>
        <source>p99</source>
        <translation>p99</translation>
    </message>
    <message>
        <source>99 of 100 tokens took at most this long</source>
        <translation>99 von 100 Tokens brauchten höchstens so lange</translation>
    </message>
    <message>
        <source>Stalls</source>
        <translation>Stocken</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>Bandbreite</translation>
    </message>
    <message>
        <source>Share of the read bandwidth measured on this device: bytes that each token needs (all weights, and the cache of the positions so far), times decode speed</source>
        <translation>Anteil der auf diesem Gerät gemessenen Lesebandbreite: Bytes, die jedes Token braucht (alle Gewichte und der Cache der bisherigen Stellen), mal Tempo der Ausgabe</translation>
    </message>
    <message>
        <source>Welcome to Minerva</source>
        <translation>Willkommen bei Minerva</translation>
    </message>
    <message>
        <source>Chat with language models that run on this machine. What you write stays on it unless you choose a model of a server.</source>
        <translation>Chatten Sie mit Sprachmodellen, die auf diesem Rechner laufen. Was Sie schreiben, bleibt darauf, solange Sie kein Modell eines Servers wählen.</translation>
    </message>
    <message>
        <source>Try it now</source>
        <translation>Gleich ausprobieren</translation>
    </message>
    <message>
        <source>A tiny model comes with Minerva: %1 parameters, works offline, knows little. It is loaded.</source>
        <translation>Minerva bringt ein winziges Modell mit: %1 Parameter, läuft offline, weiß wenig. Es ist geladen.</translation>
    </message>
    <message>
        <source>A tiny model comes with Minerva. It works offline and knows little.</source>
        <translation>Minerva bringt ein winziges Modell mit. Es läuft offline und weiß wenig.</translation>
    </message>
    <message>
        <source>Load the built-in model</source>
        <translation>Eingebautes Modell laden</translation>
    </message>
    <message>
        <source>Who are you?</source>
        <translation>Wer bist du?</translation>
    </message>
    <message>
        <source>Tell me a story about a fox</source>
        <translation>Erzähl mir eine Geschichte über einen Fuchs</translation>
    </message>
    <message>
        <source>What is 7 + 8?</source>
        <translation>Was ist 7 + 8?</translation>
    </message>
    <message>
        <source>Bring your own model</source>
        <translation>Ein eigenes Modell verwenden</translation>
    </message>
    <message>
        <source>Open a GGUF or SafeTensors file where it is, or look for one to download. No requests are sent to any server before you do.</source>
        <translation>Öffnen Sie eine GGUF- oder SafeTensors-Datei dort, wo sie liegt, oder suchen Sie eine zum Laden. Vorher wird keine Anfrage an einen Server gesendet.</translation>
    </message>
    <message>
        <source>Discover models</source>
        <translation>Modelle entdecken</translation>
    </message>
    <message>
        <source>Already on this computer</source>
        <translation>Schon auf diesem Rechner</translation>
    </message>
    <message>
        <source>It needs about %1, and %2 is free</source>
        <translation>Es braucht etwa %1, und %2 sind da</translation>
    </message>
    <message>
        <source>Replies would be written without the draft model: %1</source>
        <translation>Antworten würden ohne das Entwurfsmodell geschrieben: %1</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Passt</translation>
    </message>
    <message>
        <source>Fits, slowly</source>
        <translation>Passt, langsam</translation>
    </message>
    <message>
        <source>Does not fit</source>
        <translation>Passt nicht</translation>
    </message>
    <message>
        <source>Cannot run</source>
        <translation>Läuft nicht</translation>
    </message>
    <message numerus="yes">
        <source>Folder %1, %n conversation(s)</source>
        <translation><numerusform>Ordner %1, %n Gespräch</numerusform><numerusform>Ordner %1, %n Gespräche</numerusform></translation>
    </message>
    <message>
        <source>closed</source>
        <translation>zu</translation>
    </message>
    <message>
        <source>open</source>
        <translation>offen</translation>
    </message>
    <message>
        <source>Rename or remove the folder  Menu key</source>
        <translation>Ordner umbenennen oder entfernen  Menütaste</translation>
    </message>
    <message>
        <source>%1 with these settings: %2 of %3 free</source>
        <translation>%1 mit diesen Einstellungen: %2 von %3, die frei sind</translation>
    </message>
    <message>
        <source>The model was made for %1 tokens: %2 would be reduced to that.</source>
        <translation>Das Modell ist für %1 Tokens gemacht: %2 würden auf diesen Wert verringert.</translation>
    </message>
    <message>
        <source>weights %1 · state of conversations of %2 tokens %3 · working memory %4</source>
        <translation>Gewichte %1 · Zustand von Gesprächen mit %2 Tokens %3 · Zwischenergebnisse %4</translation>
    </message>
    <message>
        <source>draft model %1: weights %2 · state of conversations %3 · working memory %4</source>
        <translation>Entwurfsmodell %1: Gewichte %2 · Zustand der Gespräche %3 · Zwischenergebnisse %4</translation>
    </message>
    <message>
        <source>median %1 %2</source>
        <translation>Median %1 %2</translation>
    </message>
    <message>
        <source>%1 %2, %3, %4</source>
        <translation>%1 %2, %3, %4</translation>
    </message>
    <message>
        <source>benchmark, %1 to %2</source>
        <translation>Benchmark, %1 bis %2</translation>
    </message>
    <message>
        <source>No figures yet.</source>
        <translation>Noch keine Zahlen.</translation>
    </message>
    <message>
        <source>Measured replies</source>
        <translation>Gemessene Antworten</translation>
    </message>
    <message>
        <source>benchmark</source>
        <translation>Benchmark</translation>
    </message>
    <message>
        <source>bench</source>
        <translation>Bench</translation>
    </message>
    <message numerus="yes">
        <source>Medians of %n repetition(s) with random text</source>
        <translation><numerusform>Mediane aus %n Wiederholung mit zufälligem Text</numerusform><numerusform>Mediane aus %n Wiederholungen mit zufälligem Text</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%1 to %2 in %n repetition(s)</source>
        <translation><numerusform>%1 bis %2 in %n Wiederholung</numerusform><numerusform>%1 bis %2 in %n Wiederholungen</numerusform></translation>
    </message>
    <message>
        <source>Try now</source>
        <translation>Jetzt versuchen</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>Überall</translation>
    </message>
    <message>
        <source>%1 is in the trash</source>
        <translation>%1 liegt im Papierkorb</translation>
    </message>
    <message>
        <source>Empty it to free %1: %2</source>
        <translation>%1 werden frei, wenn Sie ihn leeren: %2</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>File comparison progress</source>
        <translation>Fortschritt des Dateivergleichs</translation>
    </message>
    <message>
        <source>Comparing files: %1 of %2 · %3</source>
        <translation>Dateien werden verglichen: %1 von %2 · %3</translation>
    </message>
    <message>
        <source>Comparing files</source>
        <translation>Dateien werden verglichen</translation>
    </message>
    <message>
        <source>There are no duplicate files.</source>
        <translation>Es gibt keine doppelten Dateien.</translation>
    </message>
    <message>
        <source>Duplicate files take %1</source>
        <translation>Doppelte Dateien belegen %1</translation>
    </message>
    <message>
        <source>SHA-256 %1</source>
        <translation>SHA-256 %1</translation>
    </message>
    <message>
        <source>%1 can be freed</source>
        <translation>%1 können frei werden</translation>
    </message>
    <message>
        <source>Minerva uses each file where it is, so one copy is enough. Delete the others with the program they belong to.</source>
        <translation>Minerva verwendet jede Datei dort, wo sie liegt; eine Kopie genügt also. Löschen Sie die anderen mit dem Programm, zu dem sie gehören.</translation>
    </message>
    <message>
        <source>This link leads to a different address than its text says</source>
        <translation>Dieser Link führt zu einer anderen Adresse, als sein Text sagt</translation>
    </message>
    <message>
        <source>Its text</source>
        <translation>Sein Text</translation>
    </message>
    <message>
        <source>Leads to</source>
        <translation>Führt zu</translation>
    </message>
    <message>
        <source>Open it</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Do not open it</source>
        <translation>Nicht öffnen</translation>
    </message>
    <message>
        <source>pieces/s</source>
        <translation>Stücke/s</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>tok/s</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>Reading the prompt</source>
        <translation>Prompt wird gelesen</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>Last reply</source>
        <translation>Letzte Antwort</translation>
    </message>
    <message>
        <source>Speed appears here while a reply is written.</source>
        <translation>Das Tempo erscheint hier, während eine Antwort geschrieben wird.</translation>
    </message>
    <message>
        <source>%1 of this machine's %2 tok/s ceiling</source>
        <translation>%1 der Obergrenze dieses Rechners von %2 tok/s</translation>
    </message>
    <message>
        <source>Bytes that must be read for each token, times decode speed, divided by the bandwidth measured on this device for that many bytes (%1 GB/s; %2)</source>
        <translation>Bytes, die für jedes Token gelesen werden müssen, mal Tempo der Ausgabe, geteilt durch die auf diesem Gerät für so viele Bytes gemessene Bandbreite (%1 GB/s; %2)</translation>
    </message>
    <message>
        <source>Measured by this program; %1 tells no number of tokens, so pieces of text are counted.</source>
        <translation>Von diesem Programm gemessen; %1 nennt keine Zahl der Tokens, deshalb sind Textstücke gezählt.</translation>
    </message>
    <message>
        <source>Measured by this program. %1 does not tell its memory, cache and bandwidth.</source>
        <translation>Von diesem Programm gemessen. %1 nennt weder Speicher noch Cache noch Bandbreite.</translation>
    </message>
    <message numerus="yes">
        <source>%n other answer(s) at the same time</source>
        <translation><numerusform>%n weitere Antwort gleichzeitig</numerusform><numerusform>%n weitere Antworten gleichzeitig</numerusform></translation>
    </message>
    <message>
        <source>Prefill progress</source>
        <translation>Fortschritt des Prefill</translation>
    </message>
    <message>
        <source>ceiling %1</source>
        <translation>Obergrenze %1</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>Zeit bis zum ersten Token</translation>
    </message>
    <message>
        <source>From sending the request to the first text that arrived, the network included</source>
        <translation>Vom Senden der Anfrage bis zum ersten Text, der ankam, mit dem Weg durch das Netz</translation>
    </message>
    <message>
        <source>From the request's arrival in the engine to the first sampled token</source>
        <translation>Vom Eintreffen der Anfrage in der Engine bis zum ersten Token</translation>
    </message>
    <message>
        <source>As the server tells it</source>
        <translation>Wie der Server es angibt</translation>
    </message>
    <message>
        <source>Prompt tokens computed per second; %1 of %2</source>
        <translation>Gelesene Prompt-Tokens je Sekunde; %1 von %2</translation>
    </message>
    <message>
        <source>Decode, average</source>
        <translation>Decode, im Mittel</translation>
    </message>
    <message>
        <source>ms per piece p50</source>
        <translation>ms je Stück p50</translation>
    </message>
    <message>
        <source>ms per token p50</source>
        <translation>ms je Token p50</translation>
    </message>
    <message>
        <source>Between pieces of text as they arrived; a piece may be several tokens</source>
        <translation>Zwischen den Textstücken, wie sie ankamen; ein Stück kann mehrere Tokens sein</translation>
    </message>
    <message>
        <source>p95 · p99</source>
        <translation>p95 · p99</translation>
    </message>
    <message>
        <source>Pieces</source>
        <translation>Stücke</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Accepted of drafted tokens</source>
        <translation>Entwurf angenommen</translation>
    </message>
    <message>
        <source>This reply</source>
        <translation>Diese Antwort</translation>
    </message>
    <message>
        <source>queue</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>template</source>
        <translation>Vorlage</translation>
    </message>
    <message>
        <source>tokenize</source>
        <translation>Zerlegen</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>Prefill</translation>
    </message>
    <message>
        <source>until the first text</source>
        <translation>bis zum ersten Text</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>Decode</translation>
    </message>
    <message>
        <source>Context of this reply</source>
        <translation>Kontext dieser Antwort</translation>
    </message>
    <message>
        <source>reused from the cache</source>
        <translation>aus dem Cache</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>cache %1</source>
        <translation>Cache %1</translation>
    </message>
    <message>
        <source>scratch</source>
        <translation>Puffer</translation>
    </message>
    <message>
        <source>draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>Loaded in %1</source>
        <translation>In %1 geladen</translation>
    </message>
    <message>
        <source>%1 hides this panel</source>
        <translation>%1 blendet dies aus</translation>
    </message>
    <message>
        <source>Loading %1</source>
        <translation>%1 wird geladen</translation>
    </message>
    <message>
        <source>Load progress</source>
        <translation>Fortschritt des Ladens</translation>
    </message>
    <message>
        <source>%1 · %2 of %3</source>
        <translation>%1 · %2 von %3</translation>
    </message>
    <message>
        <source>%1 - Minerva</source>
        <translation>%1 - Minerva</translation>
    </message>
    <message>
        <source>Minerva</source>
        <translation>Minerva</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>Modell öffnen</translation>
    </message>
    <message>
        <source>Drop text files to attach them, or a model to open it</source>
        <translation>Textdateien hier ablegen, um sie anzuhängen, ein Modell, um es zu öffnen</translation>
    </message>
    <message>
        <source>Drop model files or folders to compare them</source>
        <translation>Modelldateien oder -ordner zum Vergleichen hier ablegen</translation>
    </message>
    <message>
        <source>Drop a model file or folder to open it</source>
        <translation>Eine Modelldatei oder einen Ordner zum Öffnen hier ablegen</translation>
    </message>
    <message>
        <source>Formula: %1</source>
        <translation>Formel: %1</translation>
    </message>
    <message>
        <source>Copy the formula's source</source>
        <translation>Quelltext der Formel kopieren</translation>
    </message>
    <message>
        <source>Copy the source. %1</source>
        <translation>Quelltext kopieren. %1</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>No embedding model is in the list of models. Add one there: a BERT, ModernBERT, EmbeddingGemma or Qwen3-Embedding.</source>
        <translation>In der Modellliste ist kein Embedding-Modell. Fügen Sie dort eines hinzu: ein BERT, ModernBERT, EmbeddingGemma oder Qwen3-Embedding.</translation>
    </message>
    <message>
        <source>%1 of %2 messages</source>
        <translation>%1 von %2 Nachrichten</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Systemprompt</translation>
    </message>
    <message>
        <source>Edit reply</source>
        <translation>Antwort bearbeiten</translation>
    </message>
    <message>
        <source>Edit message</source>
        <translation>Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Can be sent when no reply is being written and a model is ready</source>
        <translation>Kann gesendet werden, wenn keine Antwort geschrieben wird und ein Modell bereit ist</translation>
    </message>
    <message>
        <source>Save as a new version</source>
        <translation>Als neue Fassung speichern</translation>
    </message>
    <message>
        <source>Save and continue</source>
        <translation>Speichern und fortsetzen</translation>
    </message>
    <message>
        <source>The model continues from the end of this text</source>
        <translation>Das Modell schreibt am Ende dieses Textes weiter</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>Vorige Fassung</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>Nächste Fassung</translation>
    </message>
    <message>
        <source>Timing: where the time of this reply went</source>
        <translation>Zeiten: wo die Zeit dieser Antwort blieb</translation>
    </message>
    <message>
        <source>Replies</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>A benchmark measures a model of this computer; the present one runs on %1</source>
        <translation>Ein Benchmark misst ein Modell dieses Computers; das jetzige läuft auf %1</translation>
    </message>
    <message>
        <source>Measures the loaded model: random prompts of 512 tokens and replies of 128, five times after one warm-up run. What a conversation had in the cache is computed again afterwards</source>
        <translation>Misst das geladene Modell: zufällige Prompts von 512 Tokens und Antworten von 128, fünfmal nach einem Durchgang zum Aufwärmen. Was ein Gespräch im Cache hatte, wird danach neu berechnet</translation>
    </message>
    <message>
        <source>Export the benchmark</source>
        <translation>Den Benchmark exportieren</translation>
    </message>
    <message>
        <source>Export the rows of the table</source>
        <translation>Zeilen der Tabelle exportieren</translation>
    </message>
    <message>
        <source>Chart...</source>
        <translation>Diagramm...</translation>
    </message>
    <message>
        <source>Speed, time to first token and where the time went are kept here for every reply. Nothing has been measured yet: send a message.</source>
        <translation>Tempo, Zeit bis zum ersten Token und wo die Zeit blieb: das wird hier für jede Antwort aufbewahrt. Noch wurde nichts gemessen: senden Sie eine Nachricht.</translation>
    </message>
    <message>
        <source>This reply has no measurements: it is older than the metrics page, or a copy in a branch.</source>
        <translation>Zu dieser Antwort gibt es keine Messwerte: sie ist älter als diese Seite oder eine Kopie in einem Zweig.</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Benchmarks only</source>
        <translation>Nur Benchmarks</translation>
    </message>
    <message>
        <source>Decode, tok/s</source>
        <translation>Decode, tok/s</translation>
    </message>
    <message>
        <source>Time to first token, ms</source>
        <translation>Zeit bis zum ersten Token, ms</translation>
    </message>
    <message>
        <source>There are no measurements for this selection.</source>
        <translation>Zu dieser Auswahl gibt es keine Messwerte.</translation>
    </message>
    <message>
        <source>All models  Esc</source>
        <translation>Alle Modelle  Esc</translation>
    </message>
    <message>
        <source>Look for a newer version</source>
        <translation>Nach neuerer Fassung sehen</translation>
    </message>
    <message>
        <source>Asks the hub for %1 and compares its files with those on this computer</source>
        <translation>Fragt den Hub nach %1 und vergleicht dessen Dateien mit denen auf diesem Rechner</translation>
    </message>
    <message>
        <source>Reading the model's header</source>
        <translation>Der Kopf des Modells wird gelesen</translation>
    </message>
    <message>
        <source>This model cannot run here</source>
        <translation>Dieses Modell läuft hier nicht</translation>
    </message>
    <message>
        <source>Element types</source>
        <translation>Elementtypen</translation>
    </message>
    <message>
        <source>Weights by part</source>
        <translation>Gewichte nach Teilen</translation>
    </message>
    <message>
        <source>At a context of %1 tokens, with keys and values as %2; scratch memory is not included.</source>
        <translation>Bei einem Kontext von %1 Tokens, Keys und Values als %2; ohne Zwischenspeicher.</translation>
    </message>
    <message>
        <source>%1 keeps models in %2, which your account cannot read. To use them here, join the group that owns the folder, or run %1 under your own account.</source>
        <translation>%1 hält Modelle in %2, was Ihr Konto nicht lesen darf. Um sie hier zu verwenden, treten Sie der Gruppe bei, der der Ordner gehört, oder starten Sie %1 unter Ihrem eigenen Konto.</translation>
    </message>
    <message>
        <source>Model: %1</source>
        <translation>Modell: %1</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keines</translation>
    </message>
    <message>
        <source>resting</source>
        <translation>ruht</translation>
    </message>
    <message>
        <source>Unloaded after a while without messages, which freed %1. The next message loads it again.</source>
        <translation>Nach einer Weile ohne Nachricht entladen; %1 wurden frei. Die nächste Nachricht lädt es wieder.</translation>
    </message>
    <message>
        <source>What you write is sent to %1</source>
        <translation>Was Sie schreiben, wird an %1 gesendet</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>Entladen</translation>
    </message>
    <message>
        <source>Open a model's folder</source>
        <translation>Modellordner öffnen</translation>
    </message>
    <message>
        <source>%1, in memory</source>
        <translation>%1, im Speicher</translation>
    </message>
    <message>
        <source>no longer found: %1</source>
        <translation>nicht mehr gefunden: %1</translation>
    </message>
    <message>
        <source>In memory · %1</source>
        <translation>Im Speicher · %1</translation>
    </message>
    <message>
        <source>Unload; it stays in memory beside the model in use</source>
        <translation>Entladen; es bleibt neben dem benutzten Modell im Speicher</translation>
    </message>
    <message>
        <source>loaded</source>
        <translation>geladen</translation>
    </message>
    <message>
        <source>Embedding</source>
        <translation>Embedding</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Make a smaller copy...</source>
        <translation>Kleinere Kopie erstellen...</translation>
    </message>
    <message>
        <source>Remove from this list</source>
        <translation>Aus der Liste entfernen</translation>
    </message>
    <message>
        <source>it is in Minerva's folder</source>
        <translation>liegt in Minervas Ordner</translation>
    </message>
    <message>
        <source>the file stays</source>
        <translation>die Datei bleibt</translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Use for search by meaning</source>
        <translation>Für die Suche nach Bedeutung verwenden</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>On this computer %1</source>
        <translation>Auf diesem Rechner %1</translation>
    </message>
    <message>
        <source>Discover</source>
        <translation>Entdecken</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>Add a server</source>
        <translation>Server hinzufügen</translation>
    </message>
    <message>
        <source>GGUF files and SafeTensors folders are used where they are; nothing is copied. Drop a file on the window to open it.</source>
        <translation>GGUF-Dateien und SafeTensors-Ordner werden dort verwendet, wo sie liegen; nichts wird kopiert. Zum Öffnen eine Datei auf das Fenster ziehen.</translation>
    </message>
    <message>
        <source>Find duplicates</source>
        <translation>Doppelte finden</translation>
    </message>
    <message>
        <source>Reads files of the same size once to find out whether they are identical</source>
        <translation>Liest Dateien gleicher Größe einmal, um festzustellen, ob sie gleich sind</translation>
    </message>
    <message>
        <source>Not accepted: enter a number from %1 to %2</source>
        <translation>Nicht übernommen: eine Zahl von %1 bis %2 eingeben</translation>
    </message>
    <message>
        <source>Not sent yet</source>
        <translation>Noch nicht gesendet</translation>
    </message>
    <message>
        <source>Not sent: it does not fit</source>
        <translation>Nicht gesendet: passt nicht in den Kontext</translation>
    </message>
    <message>
        <source>Sent when this reply has ended</source>
        <translation>Wird gesendet, wenn diese Antwort fertig ist</translation>
    </message>
    <message>
        <source>Sent when a model is ready</source>
        <translation>Wird gesendet, wenn ein Modell bereit ist</translation>
    </message>
    <message>
        <source>Messages waiting to be sent</source>
        <translation>Nachrichten, die auf das Senden warten</translation>
    </message>
    <message>
        <source>Send now</source>
        <translation>Jetzt senden</translation>
    </message>
    <message>
        <source>Move back to the composer</source>
        <translation>Zurück ins Eingabefeld</translation>
    </message>
    <message>
        <source>Do not send it</source>
        <translation>Nicht senden</translation>
    </message>
    <message>
        <source>Edit and send again; this version stays</source>
        <translation>Bearbeiten und neu senden; diese Fassung bleibt</translation>
    </message>
    <message>
        <source>Show all %1 characters</source>
        <translation>Alle %1 Zeichen zeigen</translation>
    </message>
    <message>
        <source>First token</source>
        <translation>Erstes Token</translation>
    </message>
    <message>
        <source>Reply's context</source>
        <translation>Kontext der Antwort</translation>
    </message>
    <message>
        <source>From sending the message to the engine's first step for it, without the other phases listed here</source>
        <translation>Vom Senden der Nachricht bis zum ersten Schritt der Engine dafür, ohne die anderen Phasen, die hier stehen</translation>
    </message>
    <message>
        <source>load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Waiting for the model to load; zero if it was already loaded</source>
        <translation>Warten, bis das Modell geladen ist; null, wenn es schon geladen war</translation>
    </message>
    <message>
        <source>Formatting the conversation with the model's chat template</source>
        <translation>Das Formatieren des Gesprächs mit der Chatvorlage des Modells</translation>
    </message>
    <message>
        <source>Splitting that text into tokens</source>
        <translation>Das Zerlegen dieses Textes in Tokens</translation>
    </message>
    <message>
        <source>Steps that computed the prompt; what was already in the cache is not computed again</source>
        <translation>Schritte, die den Prompt berechnet haben; was schon im Cache war, wird nicht neu berechnet</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>erstes Token</translation>
    </message>
    <message>
        <source>From the end of the prompt to the first token: reading the predictions back and sampling from them</source>
        <translation>Vom Ende des Prompts bis zum ersten Token: die Vorhersagen zurücklesen und daraus wählen</translation>
    </message>
    <message>
        <source>Steps of one token each, and sampling from their predictions</source>
        <translation>Schritte von je einem Token und die Wahl aus ihren Vorhersagen</translation>
    </message>
    <message>
        <source>detokenize</source>
        <translation>Zusammensetzen</translation>
    </message>
    <message>
        <source>Converting tokens to text and passing it to the window</source>
        <translation>Das Umwandeln der Tokens in Text und dessen Übergabe an das Fenster</translation>
    </message>
    <message>
        <source>render</source>
        <translation>Zeichnen</translation>
    </message>
    <message>
        <source>From the engine's last output to the frame that shows it. What is drawn before that, while the engine is still working, is not counted</source>
        <translation>Von der letzten Ausgabe der Engine bis zum Bild, das sie zeigt. Was vorher gezeichnet wird, während die Engine noch arbeitet, zählt nicht mit</translation>
    </message>
    <message>
        <source>unaccounted</source>
        <translation>ungeklärt</translation>
    </message>
    <message>
        <source>The rest of the total time: between the phases, and measured by none of them</source>
        <translation>Der Rest der Gesamtzeit: zwischen den Phasen, von keiner gemessen</translation>
    </message>
    <message>
        <source>Save as a preset</source>
        <translation>Als Voreinstellung speichern</translation>
    </message>
    <message>
        <source>Edit the preset</source>
        <translation>Voreinstellung bearbeiten</translation>
    </message>
    <message>
        <source>Typed before and not saved yet. Cancel discards it.</source>
        <translation>Früher eingegeben und noch nicht gespeichert. Abbrechen verwirft es.</translation>
    </message>
    <message>
        <source>Save as a preset...</source>
        <translation>Als Voreinstellung speichern...</translation>
    </message>
    <message>
        <source>Edit %1...</source>
        <translation>%1 bearbeiten...</translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>%1 löschen</translation>
    </message>
    <message>
        <source>Use for %1 by default</source>
        <translation>Für %1 immer verwenden</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>Genau</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>Einfallsreich</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>Vorlage</translation>
    </message>
    <message>
        <source>The prompt of this reply</source>
        <translation>Der Prompt dieser Antwort</translation>
    </message>
    <message>
        <source>The prompt as it would be sent now</source>
        <translation>Der Prompt, wie er jetzt gesendet würde</translation>
    </message>
    <message>
        <source>%1 tokens of a context of %2</source>
        <translation>%1 Tokens eines Kontexts von %2</translation>
    </message>
    <message>
        <source>If sent now, %1 would come from the cache and %2 would be read.</source>
        <translation>Jetzt gesendet, kämen %1 aus dem Cache und %2 würden gelesen.</translation>
    </message>
    <message>
        <source>When it ran, %1 of %2 came from the cache.</source>
        <translation>Als er lief, kamen %1 von %2 aus dem Cache.</translation>
    </message>
    <message>
        <source>In the last run, %1 of %2 came from the cache.</source>
        <translation>Beim letzten Mal kamen %1 von %2 aus dem Cache.</translation>
    </message>
    <message>
        <source>special token</source>
        <translation>Sondertoken</translation>
    </message>
    <message>
        <source>in the cache</source>
        <translation>im Cache</translation>
    </message>
    <message>
        <source>to be read</source>
        <translation>zu lesen</translation>
    </message>
    <message>
        <source>When a model is loaded and something is written, the prompt is shown here as the model reads it.</source>
        <translation>Sobald ein Modell geladen und etwas geschrieben ist, steht hier der Prompt, wie das Modell ihn liest.</translation>
    </message>
    <message>
        <source>Messages of the prompt</source>
        <translation>Nachrichten des Prompts</translation>
    </message>
    <message>
        <source>1 token, in the cache</source>
        <translation>1 Token, im Cache</translation>
    </message>
    <message>
        <source>1 token</source>
        <translation>1 Token</translation>
    </message>
    <message>
        <source>%1 tokens, %2 in the cache</source>
        <translation>%1 Tokens, %2 im Cache</translation>
    </message>
    <message>
        <source>What should all of them answer? One prompt per line.</source>
        <translation>Was sollen alle beantworten? Eine Frage je Zeile.</translation>
    </message>
    <message>
        <source>One after another</source>
        <translation>Nacheinander</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>Nebeneinander</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Reihenfolge</translation>
    </message>
    <message>
        <source>Greedy</source>
        <translation>Greedy</translation>
    </message>
    <message>
        <source>Sampled as in the chat</source>
        <translation>Wie im Chat gewählt</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>Sampling</translation>
    </message>
    <message>
        <source>At most %1 tokens</source>
        <translation>Höchstens %1 Tokens</translation>
    </message>
    <message>
        <source>Length of a reply</source>
        <translation>Länge einer Antwort</translation>
    </message>
    <message>
        <source>All loaded at once: for comparing replies</source>
        <translation>Alle zugleich geladen: zum Textvergleich</translation>
    </message>
    <message>
        <source>One loaded at a time: for comparing speeds</source>
        <translation>Immer nur eines geladen: zum Tempovergleich</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Model default</source>
        <translation>Vorgabe des Modells</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Ohne</translation>
    </message>
    <message>
        <source>Minimal</source>
        <translation>Minimal</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>Gering</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Hoch</translation>
    </message>
    <message>
        <source>Very high</source>
        <translation>Sehr hoch</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>Maximal</translation>
    </message>
    <message>
        <source>Think</source>
        <translation>Denken</translation>
    </message>
    <message>
        <source>Think before answering. Takes longer, and helps with hard questions.</source>
        <translation>Vor der Antwort nachdenken. Dauert länger und hilft bei schwierigen Fragen.</translation>
    </message>
    <message>
        <source>Think before answering</source>
        <translation>Vor der Antwort nachdenken</translation>
    </message>
    <message>
        <source>Thinking: %1</source>
        <translation>Denken: %1</translation>
    </message>
    <message>
        <source>How much the model thinks before it answers</source>
        <translation>Wie viel das Modell vor der Antwort nachdenkt</translation>
    </message>
    <message>
        <source>Effort of thinking: %1</source>
        <translation>Denkaufwand: %1</translation>
    </message>
    <message>
        <source>default</source>
        <translation>Vorgabe</translation>
    </message>
    <message>
        <source>Search the models of servers</source>
        <translation>Modelle der Server suchen</translation>
    </message>
    <message>
        <source>%1 context</source>
        <translation>%1 Kontext</translation>
    </message>
    <message>
        <source>No model of a server has this name.</source>
        <translation>Kein Modell eines Servers hat diesen Namen.</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Writes another version; this one stays</source>
        <translation>Schreibt eine weitere Fassung; diese bleibt</translation>
    </message>
    <message>
        <source>Edit, then let the model continue if you like; this version stays</source>
        <translation>Bearbeiten und, wenn Sie wollen, das Modell weiterschreiben lassen; diese Fassung bleibt</translation>
    </message>
    <message>
        <source>Branch</source>
        <translation>Abzweigen</translation>
    </message>
    <message>
        <source>Continues from here in a new conversation</source>
        <translation>Geht von hier in einem neuen Gespräch weiter</translation>
    </message>
    <message>
        <source>The exact prompt that produced this reply</source>
        <translation>Der genaue Prompt, aus dem diese Antwort entstand</translation>
    </message>
    <message>
        <source>Back  Esc</source>
        <translation>Zurück  Esc</translation>
    </message>
    <message>
        <source>Requesting the list of files</source>
        <translation>Die Liste der Dateien wird geholt</translation>
    </message>
    <message>
        <source>Gated</source>
        <translation>Geschützt</translation>
    </message>
    <message>
        <source>Open its page</source>
        <translation>Seite öffnen</translation>
    </message>
    <message>
        <source>You already have this model as %1.</source>
        <translation>Dieses Modell haben Sie schon als %1.</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Show the latest</source>
        <translation>Die letzten zeigen</translation>
    </message>
    <message>
        <source>Minerva's requests are logged in %1; only the latest are kept.</source>
        <translation>Minervas Anfragen stehen in %1; nur die letzten werden aufbewahrt.</translation>
    </message>
    <message>
        <source>No requests were made.</source>
        <translation>Es gab keine Anfragen.</translation>
    </message>
    <message>
        <source>Request</source>
        <translation>Anfrage</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Previous prompt</source>
        <translation>Vorige Frage</translation>
    </message>
    <message>
        <source>Next prompt</source>
        <translation>Nächste Frage</translation>
    </message>
    <message>
        <source>KL, same top token and perplexity against %1, the most precise (most bits per weight), over %2 tokens of one text. Speeds on %3.</source>
        <translation>KL, gleiches Spitzentoken und Perplexität gegen %1, das genaueste (die meisten Bits je Gewicht), über %2 Tokens eines Textes. Tempo auf %3.</translation>
    </message>
    <message>
        <source>Decode, tok/s: higher is faster</source>
        <translation>Decode, tok/s: mehr ist schneller</translation>
    </message>
    <message>
        <source>Time to first token: shorter is faster</source>
        <translation>Zeit bis zum ersten Token: kürzer ist schneller</translation>
    </message>
    <message>
        <source>Memory: less is better</source>
        <translation>Speicher: weniger ist besser</translation>
    </message>
    <message>
        <source>on</source>
        <translation>an</translation>
    </message>
    <message>
        <source>closing connections</source>
        <translation>schließt Verbindungen</translation>
    </message>
    <message>
        <source>not running</source>
        <translation>läuft nicht</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>Other programs use the loaded model over HTTP, beside the chat. Computers in your network reach it, too, with the key. The connection is not encrypted.</source>
        <translation>Andere Programme verwenden das geladene Modell über HTTP, neben dem Chat. Auch Computer in Ihrem Netz erreichen es, mit dem Schlüssel. Die Verbindung ist nicht verschlüsselt.</translation>
    </message>
    <message>
        <source>Other programs on this computer use the loaded model over HTTP, beside the chat. The server listens on this computer only and contacts nobody, so Offline does not concern it.</source>
        <translation>Andere Programme auf diesem Computer verwenden das geladene Modell über HTTP, neben dem Chat. Der Server ist nur auf diesem Computer erreichbar und nimmt selbst keine Verbindung auf; Offline betrifft ihn deshalb nicht.</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Copy address</source>
        <translation>Adresse kopieren</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>verborgen</translation>
    </message>
    <message>
        <source>Copy key</source>
        <translation>Schlüssel kopieren</translation>
    </message>
    <message>
        <source>New key</source>
        <translation>Neuer Schlüssel</translation>
    </message>
    <message>
        <source>The present key is refused from then on, and requests underway end</source>
        <translation>Der jetzige Schlüssel gilt dann nicht mehr, und laufende Anfragen enden</translation>
    </message>
    <message>
        <source>The model in use runs on %1, and only models of this computer are served: requests are answered with status 503 until one is chosen.</source>
        <translation>Das gewählte Modell läuft auf %1, und nur Modelle dieses Computers werden bereitgestellt: Anfragen werden mit Status 503 beantwortet, bis eines gewählt ist.</translation>
    </message>
    <message>
        <source>The model is being loaded: requests wait for it.</source>
        <translation>Das Modell wird geladen: Anfragen warten darauf.</translation>
    </message>
    <message>
        <source>The model was unloaded because it was not used: the next request loads it again.</source>
        <translation>Das Modell wurde entladen, weil es nicht verwendet wurde: Die nächste Anfrage lädt es wieder.</translation>
    </message>
    <message>
        <source>No model is in memory: requests are answered with status 503 until one is.</source>
        <translation>Kein Modell ist im Speicher: Bis eines geladen ist, werden Anfragen mit Status 503 beantwortet.</translation>
    </message>
    <message numerus="yes">
        <source>Serves %1, up to %n answer(s) at once; further requests wait.</source>
        <translation><numerusform>Stellt %1 bereit, bis zu %n Antwort gleichzeitig; weitere Anfragen warten.</numerusform><numerusform>Stellt %1 bereit, bis zu %n Antworten gleichzeitig; weitere Anfragen warten.</numerusform></translation>
    </message>
    <message>
        <source>Also from other computers</source>
        <translation>Auch von anderen Computern</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <source>0: a free one at each start.</source>
        <translation>0: bei jedem Start ein freier.</translation>
    </message>
    <message>
        <source>Clear the list</source>
        <translation>Liste leeren</translation>
    </message>
    <message>
        <source>While the local server is on, the latest requests of other programs are listed here.</source>
        <translation>Solange der lokale Server eingeschaltet ist, stehen hier die letzten Anfragen anderer Programme.</translation>
    </message>
    <message>
        <source>with a key</source>
        <translation>mit Schlüssel</translation>
    </message>
    <message>
        <source>not encrypted</source>
        <translation>unverschlüsselt</translation>
    </message>
    <message>
        <source>Look for its models again</source>
        <translation>Erneut nach seinen Modellen fragen</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove this server and its key? Its conversations stay.</source>
        <translation>Diesen Server und seinen Schlüssel entfernen? Seine Unterhaltungen bleiben.</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Looking for models</source>
        <translation>Fragt nach Modellen</translation>
    </message>
    <message>
        <source>Chat with it; %1 context</source>
        <translation>Damit chatten; %1 Kontext</translation>
    </message>
    <message>
        <source>Chat with it</source>
        <translation>Damit chatten</translation>
    </message>
    <message>
        <source>Show fewer</source>
        <translation>Weniger zeigen</translation>
    </message>
    <message numerus="yes">
        <source>Show all %n model(s)</source>
        <translation><numerusform>Das eine Modell zeigen</numerusform><numerusform>Alle %n Modelle zeigen</numerusform></translation>
    </message>
    <message>
        <source>Its models are not known yet.</source>
        <translation>Seine Modelle sind noch nicht bekannt.</translation>
    </message>
    <message>
        <source>Left out of requests, because refused: %1</source>
        <translation>Nicht mitgeschickt, weil abgelehnt: %1</translation>
    </message>
    <message>
        <source>Edit the server</source>
        <translation>Server bearbeiten</translation>
    </message>
    <message>
        <source>As the server prints it when it starts. Ollama: localhost:11434, LM Studio: localhost:1234, vLLM: localhost:8000.</source>
        <translation>Wie der Server sie beim Start ausgibt. Ollama: localhost:11434, LM Studio: localhost:1234, vLLM: localhost:8000.</translation>
    </message>
    <message>
        <source>The address, if empty</source>
        <translation>Die Adresse, wenn leer</translation>
    </message>
    <message>
        <source>In your keyring; enter another one to replace it</source>
        <translation>In Ihrem Schlüsselbund; ein anderer ersetzt ihn</translation>
    </message>
    <message>
        <source>Only if the server asks for one</source>
        <translation>Nur, wenn der Server einen verlangt</translation>
    </message>
    <message>
        <source>Remove the key</source>
        <translation>Schlüssel entfernen</translation>
    </message>
    <message>
        <source>The address is another host's: the key kept for the earlier one is not sent there. Enter it again if it is the same.</source>
        <translation>Die Adresse gehört zu einem anderen Rechner: Der Schlüssel des früheren wird nicht dorthin gesendet. Geben Sie ihn erneut ein, wenn er derselbe ist.</translation>
    </message>
    <message>
        <source>Kept in your keyring, nowhere else, and sent only to this server.</source>
        <translation>Liegt nur in Ihrem Schlüsselbund und wird nur an diesen Server gesendet.</translation>
    </message>
    <message>
        <source>Asks the server for its models, and nothing else</source>
        <translation>Fragt den Server nach seinen Modellen, sonst nichts</translation>
    </message>
    <message numerus="yes">
        <source>%1 answers, with %n model(s)</source>
        <translation><numerusform>%1 antwortet, mit %n Modell</numerusform><numerusform>%1 antwortet, mit %n Modellen</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>The server answers, with %n model(s)</source>
        <translation><numerusform>Der Server antwortet, mit %n Modell</numerusform><numerusform>Der Server antwortet, mit %n Modellen</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation><numerusform>und %n weitere</numerusform><numerusform>und %n weitere</numerusform></translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Offline is on: only servers on this computer are reached.</source>
        <translation>Offline ist an: Nur Server auf diesem Computer werden erreicht.</translation>
    </message>
    <message>
        <source>Messages to these models leave Minerva, and only when you have chosen one of them.</source>
        <translation>Nachrichten an diese Modelle verlassen Minerva, und nur dann, wenn Sie eines davon gewählt haben.</translation>
    </message>
    <message>
        <source>Models that another program runs, on this computer or elsewhere, can be used here as well: vLLM, llama-server, Ollama, LM Studio, another Minerva, or any server with OpenAI's interface.</source>
        <translation>Auch Modelle, die ein anderes Programm ausführt, auf diesem Computer oder anderswo, lassen sich hier verwenden: vLLM, llama-server, Ollama, LM Studio, ein anderes Minerva oder jeder Server mit der Schnittstelle von OpenAI.</translation>
    </message>
    <message>
        <source>Reset to the default</source>
        <translation>Auf die Vorgabe zurücksetzen</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Higher is more varied. 0 always takes the likeliest token.</source>
        <translation>Höher ist abwechslungsreicher. 0 nimmt immer das wahrscheinlichste Token.</translation>
    </message>
    <message>
        <source>Top K</source>
        <translation>Top K</translation>
    </message>
    <message>
        <source>Only the K likeliest tokens are considered. 0: all.</source>
        <translation>Nur die K wahrscheinlichsten Tokens kommen in Frage. 0: alle.</translation>
    </message>
    <message>
        <source>Top P</source>
        <translation>Top P</translation>
    </message>
    <message>
        <source>Only the likeliest tokens that together reach this probability. 1: all.</source>
        <translation>Nur die wahrscheinlichsten Tokens, die zusammen auf diese Wahrscheinlichkeit kommen. 1: alle.</translation>
    </message>
    <message>
        <source>Min P</source>
        <translation>Min P</translation>
    </message>
    <message>
        <source>Drops tokens less likely than this share of the likeliest one. 0: none.</source>
        <translation>Lässt Tokens weg, die unwahrscheinlicher sind als dieser Anteil des wahrscheinlichsten. 0: keine.</translation>
    </message>
    <message>
        <source>Repeat penalty</source>
        <translation>Strafe für Wiederholung</translation>
    </message>
    <message>
        <source>Makes recent tokens less likely. 1: off.</source>
        <translation>Macht die letzten Tokens unwahrscheinlicher. 1: aus.</translation>
    </message>
    <message>
        <source>Penalty window</source>
        <translation>Fenster der Strafe</translation>
    </message>
    <message>
        <source>How many recent tokens are penalised.</source>
        <translation>Für wie viele der letzten Tokens die Strafe gilt.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startzahl</translation>
    </message>
    <message>
        <source>The same seed gives the same reply. 0: a new one each time.</source>
        <translation>Dieselbe Startzahl gibt dieselbe Antwort. 0: jedes Mal eine neue.</translation>
    </message>
    <message>
        <source>Longest reply</source>
        <translation>Längste Antwort</translation>
    </message>
    <message>
        <source>In tokens. 0: until the context is full.</source>
        <translation>In Tokens. 0: bis der Kontext voll ist.</translation>
    </message>
    <message>
        <source>Instructions at the start of every conversation.</source>
        <translation>Anweisungen am Anfang jedes Gesprächs.</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Context length</source>
        <translation>Länge des Kontexts</translation>
    </message>
    <message>
        <source>In tokens; takes memory. 0: the model's own, at most 8192. Takes effect at the next load.</source>
        <translation>In Tokens; kostet Speicher. 0: die des Modells, höchstens 8192. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Keys and values</source>
        <translation>Keys und Values</translation>
    </message>
    <message>
        <source>What a model remembers of the context; 8 bits take half the memory. Takes effect at the next load.</source>
        <translation>Was ein Modell sich vom Kontext merkt; 8 Bit brauchen halb so viel Speicher. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Draft tokens</source>
        <translation>Tokens entwerfen</translation>
    </message>
    <message>
        <source>Text that repeats the conversation is checked several tokens at a time, where that is faster; replies stay the same. Takes effect at the next load.</source>
        <translation>Text, der das Gespräch wiederholt, wird mehrere Tokens auf einmal geprüft, wo das schneller ist; Antworten bleiben gleich. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Batch-invariant replies</source>
        <translation>Unabhängige Antworten</translation>
    </message>
    <message>
        <source>A reply never depends on what else is answered. On a GPU many at once then take longer; a conversation's last reply is read again with the next message. Takes effect at the next load.</source>
        <translation>Eine Antwort hängt nie davon ab, was sonst beantwortet wird. Auf einer GPU dauern viele auf einmal dann länger; die letzte Antwort eines Gesprächs wird mit der nächsten Nachricht noch einmal gelesen. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Where models run. Takes effect at the next load.</source>
        <translation>Wo Modelle laufen. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>CPU threads</source>
        <translation>CPU-Threads</translation>
    </message>
    <message>
        <source>Fewer leave time for other programs. 0: one per core. Takes effect at the next load.</source>
        <translation>Weniger lassen anderen Programmen Zeit. 0: einer je Kern. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>GPU memory for a model</source>
        <translation>GPU-Speicher für ein Modell</translation>
    </message>
    <message>
        <source>Maximum in GB; what does not fit runs on the CPU. 0: all that is free. Takes effect at the next load.</source>
        <translation>Höchstens, in GB; was nicht hineinpasst, läuft auf der CPU. 0: alles, was frei ist. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Unload when idle</source>
        <translation>Bei Untätigkeit entladen</translation>
    </message>
    <message>
        <source>Minutes without a message until the model is unloaded; the next message loads it again. 0: never.</source>
        <translation>Minuten ohne Nachricht, bis das Modell entladen wird; die nächste Nachricht lädt es wieder. 0: nie.</translation>
    </message>
    <message>
        <source>Models in memory</source>
        <translation>Modelle im Speicher</translation>
    </message>
    <message>
        <source>How many stay loaded where memory allows, so that changing between them takes no time. 1: only the one in use. Takes effect at the next load.</source>
        <translation>Wie viele geladen bleiben, wenn der Speicher reicht, sodass der Wechsel keine Zeit kostet. 1: nur das benutzte. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Search by meaning</source>
        <translation>Suche nach Bedeutung</translation>
    </message>
    <message>
        <source>Also finds conversations that say it in other words. An embedding model computes vectors of messages while Minerva is idle; everything stays on this computer.</source>
        <translation>Findet auch Gespräche, die es mit anderen Worten sagen. Ein Embedding-Modell berechnet Vektoren der Nachrichten, während Minerva untätig ist; alles bleibt auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Show models of other programs</source>
        <translation>Modelle anderer Programme zeigen</translation>
    </message>
    <message>
        <source>What Hugging Face, LM Studio, Ollama, llama.cpp, Jan and GPT4All have downloaded, used in place.</source>
        <translation>Was Hugging Face, LM Studio, Ollama, llama.cpp, Jan und GPT4All heruntergeladen haben, direkt von dort verwendet.</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>Offline</translation>
    </message>
    <message>
        <source>No server on another computer is contacted. Models of this computer never need one.</source>
        <translation>Kein Server auf einem anderen Computer wird angesprochen. Modelle dieses Computers brauchen nie einen.</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Proxy</translation>
    </message>
    <message>
        <source>HOST:PORT, http://[NAME:PASSWORD@]HOST:PORT or socks5://...; the password is kept in your keyring. Empty: the system's; none: no proxy.</source>
        <translation>HOST:PORT, http://[NAME:PASSWORT@]HOST:PORT oder socks5://...; das Passwort kommt in den Schlüsselbund. Leer: der des Systems; none: kein Proxy.</translation>
    </message>
    <message>
        <source>Download speed limit</source>
        <translation>Grenze für das Laden</translation>
    </message>
    <message>
        <source>In MB/s. 0: no limit.</source>
        <translation>In MB/s. 0: unbegrenzt.</translation>
    </message>
    <message>
        <source>Other programs on this computer use the loaded model over HTTP, as they use OpenAI or Ollama. The server listens on this computer only and contacts nobody. Metrics, Server shows its address and the requests.</source>
        <translation>Andere Programme auf diesem Computer verwenden das geladene Modell über HTTP, wie sie OpenAI oder Ollama verwenden. Der Server ist nur auf diesem Computer erreichbar und nimmt selbst keine Verbindung auf. Adresse und Anfragen stehen unter Messung, Server.</translation>
    </message>
    <message>
        <source>Other computers reach the server too, with a key that Metrics, Server shows. The connection is not encrypted.</source>
        <translation>Auch andere Computer erreichen den Server, mit einem Schlüssel, der unter Messung, Server steht. Die Verbindung ist nicht verschlüsselt.</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Takes effect after a restart.</source>
        <translation>Gilt ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>Interface scale</source>
        <translation>Größe der Oberfläche</translation>
    </message>
    <message>
        <source>No animations</source>
        <translation>Keine Animationen</translation>
    </message>
    <message>
        <source>Show what reasoning models think</source>
        <translation>Zeigen, was Modelle vor der Antwort denken</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Reset this section to the defaults</source>
        <translation>Diesen Abschnitt auf die Vorgaben zurücksetzen</translation>
    </message>
    <message>
        <source>No setting matches.</source>
        <translation>Keine Einstellung passt dazu.</translation>
    </message>
    <message>
        <source>&lt; 1 %</source>
        <translation>&lt; 1 %</translation>
    </message>
    <message>
        <source>conversations at the same time; rates of all together</source>
        <translation>Gespräche zugleich; Tempo aller zusammen</translation>
    </message>
    <message>
        <source>tokens already in the context</source>
        <translation>Tokens, die schon im Kontext sind</translation>
    </message>
    <message>
        <source>Decode by conversations at the same time</source>
        <translation>Decode nach Gesprächen zugleich</translation>
    </message>
    <message>
        <source>Prefill by conversations at the same time</source>
        <translation>Prefill nach Gesprächen zugleich</translation>
    </message>
    <message>
        <source>Decode by tokens already in the context</source>
        <translation>Decode nach Tokens im Kontext</translation>
    </message>
    <message>
        <source>Prefill by tokens already in the context</source>
        <translation>Prefill nach Tokens im Kontext</translation>
    </message>
    <message>
        <source>%1 tokens in the context</source>
        <translation>%1 Tokens im Kontext</translation>
    </message>
    <message>
        <source>%1: %2 tok/s (%3 to %4)</source>
        <translation>%1: %2 tok/s (%3 bis %4)</translation>
    </message>
    <message>
        <source>Kept benchmarks</source>
        <translation>Aufbewahrte Benchmarks</translation>
    </message>
    <message>
        <source>Forget this benchmark</source>
        <translation>Diesen Benchmark vergessen</translation>
    </message>
    <message>
        <source>How fast %1 reads and writes here: prompts of 128 tokens and replies of 64, three times after one warm-up, as minerva-bench speed measures them. It takes the processor for a while.</source>
        <translation>Wie schnell %1 hier liest und schreibt: Prompts von 128 Tokens und Antworten von 64, dreimal nach einem Durchlauf zum Aufwärmen, gemessen wie von minerva-bench speed. Der Prozessor ist dabei eine Weile ausgelastet.</translation>
    </message>
    <message>
        <source>Measures how fast a model reads and writes here, with many conversations and with long ones.</source>
        <translation>Misst, wie schnell ein Modell hier liest und schreibt, mit vielen Gesprächen und mit langen.</translation>
    </message>
    <message>
        <source>Conversations at the same time</source>
        <translation>Gespräche zugleich</translation>
    </message>
    <message>
        <source>Tokens already in the context</source>
        <translation>Tokens, die schon im Kontext sind</translation>
    </message>
    <message>
        <source>This model was made for %1 tokens</source>
        <translation>Dieses Modell ist für %1 Tokens gemacht</translation>
    </message>
    <message numerus="yes">
        <source>%n measurement(s); another instance of the model takes %1, and %2 are free.</source>
        <translation><numerusform>%n Messung; das Modell wird dafür noch einmal geladen, braucht %1, und %2 sind frei.</numerusform><numerusform>%n Messungen; das Modell wird dafür noch einmal geladen, braucht %1, und %2 sind frei.</numerusform></translation>
    </message>
    <message>
        <source>Minerva did other work during this benchmark, such as a reply: the model is faster than its figures.</source>
        <translation>Minerva hat während dieses Benchmarks anderes berechnet, etwa eine Antwort: Das Modell ist schneller als seine Zahlen.</translation>
    </message>
    <message numerus="yes">
        <source>Medians of %n repetition(s) with random text: prompts of %1 tokens, replies of %2.</source>
        <translation><numerusform>Median von %n Durchlauf mit zufälligem Text: Prompts von %1 Tokens, Antworten von %2.</numerusform><numerusform>Mediane von %n Durchläufen mit zufälligem Text: Prompts von %1 Tokens, Antworten von %2.</numerusform></translation>
    </message>
    <message>
        <source>At once</source>
        <translation>Zugleich</translation>
    </message>
    <message>
        <source>Conversations at the same time; rates are of all of them together</source>
        <translation>Gespräche zugleich; das Tempo ist das aller zusammen</translation>
    </message>
    <message>
        <source>In context</source>
        <translation>Im Kontext</translation>
    </message>
    <message>
        <source>Tokens that were in the context of each conversation before</source>
        <translation>Tokens, die vorher schon im Kontext jedes Gesprächs waren</translation>
    </message>
    <message>
        <source>Speed against closeness to %1</source>
        <translation>Tempo gegen Nähe zu %1</translation>
    </message>
    <message>
        <source>Speed against closeness to the original</source>
        <translation>Tempo gegen Nähe zum Original</translation>
    </message>
    <message>
        <source>KL from %1</source>
        <translation>KL zu %1</translation>
    </message>
    <message>
        <source>Steadiness</source>
        <translation>Gleichmaß</translation>
    </message>
    <message numerus="yes">
        <source>%n stall(s)</source>
        <translation><numerusform>%n Stocken</numerusform><numerusform>%n-mal Stocken</numerusform></translation>
    </message>
    <message>
        <source>no stalls</source>
        <translation>kein Stocken</translation>
    </message>
    <message>
        <source>Too few tokens to tell.</source>
        <translation>Zu wenige Tokens, um das zu sagen.</translation>
    </message>
    <message>
        <source>Milliseconds between tokens</source>
        <translation>Millisekunden zwischen Tokens</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>Stall at token %1: %2</source>
        <translation>Stocken bei Token %1: %2</translation>
    </message>
    <message>
        <source>Text of %1</source>
        <translation>Text von %1</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>Gedanken</translation>
    </message>
    <message>
        <source>Thinking...</source>
        <translation>Denkt nach...</translation>
    </message>
    <message>
        <source>Time of the reply by phases</source>
        <translation>Zeit der Antwort nach Phasen</translation>
    </message>
    <message>
        <source>Where the time went</source>
        <translation>Wo die Zeit blieb</translation>
    </message>
    <message>
        <source>%1 in total</source>
        <translation>%1 insgesamt</translation>
    </message>
    <message>
        <source>From sending the message to the frame that shows the end of the reply</source>
        <translation>Vom Senden der Nachricht bis zum Bild, das das Ende der Antwort zeigt</translation>
    </message>
    <message>
        <source>A benchmark measures its steps only; it has no phases.</source>
        <translation>Ein Benchmark misst nur seine Schritte; er hat keine Phasen.</translation>
    </message>
    <message>
        <source>The phases of this reply were not measured.</source>
        <translation>Die Phasen dieser Antwort wurden nicht gemessen.</translation>
    </message>
    <message>
        <source>New title</source>
        <translation>Neuer Titel</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>Expected now</source>
        <translation>Jetzt erwartet</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Stichproben</translation>
    </message>
    <message>
        <source>not judged</source>
        <translation>nicht beurteilt</translation>
    </message>
    <message>
        <source>agrees</source>
        <translation>stimmt überein</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>weicht ab</translation>
    </message>
    <message>
        <source>Reading the prompt: %1 of %2 tokens</source>
        <translation>Prompt wird gelesen: %1 von %2 Tokens</translation>
    </message>
    <message>
        <source>Chat with a model on this machine</source>
        <translation>Chatten Sie mit einem Modell auf diesem Rechner</translation>
    </message>
    <message>
        <source>A tiny model that comes with Minerva: %1 parameters. It works offline, knows little, and says so. Open a bigger model from the picker above.</source>
        <translation>Ein winziges Modell, das zu Minerva gehört: %1 Parameter. Es läuft offline, weiß wenig und sagt das auch. Ein größeres lässt sich oben in der Auswahl öffnen.</translation>
    </message>
    <message>
        <source>Runs on %1. What you write is sent to %2.</source>
        <translation>Läuft auf %1. Was Sie schreiben, wird an %2 gesendet.</translation>
    </message>
    <message>
        <source>%1 parameters · %2 context. Everything stays on this machine.</source>
        <translation>%1 Parameter · Kontext %2. Alles bleibt auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Open a GGUF file, a SafeTensors file or a model's folder, or start with the small model that comes with Minerva.</source>
        <translation>Öffnen Sie eine GGUF-Datei, eine SafeTensors-Datei oder einen Modellordner, oder beginnen Sie mit dem kleinen Modell, das zu Minerva gehört.</translation>
    </message>
    <message>
        <source>How do I open a bigger model?</source>
        <translation>Wie öffne ich ein größeres Modell?</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>%1: token %2 of reply %3 differs</source>
        <translation>%1: ein anderes Token an Stelle %2 der Antwort %3</translation>
    </message>
    <message>
        <source>%1: %2 %3 → %4 (must be equal)</source>
        <translation>%1: %2 %3 → %4 (muss gleich sein)</translation>
    </message>
    <message>
        <source>The figures do not agree with the earlier run</source>
        <translation>Die Zahlen stimmen nicht mit dem früheren Lauf überein</translation>
    </message>
    <message>
        <source>Speeds are judged by their measured spread, with an overall confidence of %1 (%2 for each of %3)</source>
        <translation>Tempi werden nach ihrer gemessenen Streuung beurteilt, mit insgesamt %1 Sicherheit (je %2 bei %3)</translation>
    </message>
    <message>
        <source>Speeds with fewer than %1 samples are not judged: use %1 prompts, or run it again</source>
        <translation>Tempi mit weniger als %1 Stichproben werden nicht beurteilt: %1 Prompts verwenden oder noch einmal ausführen</translation>
    </message>
    <message>
        <source>Different models were compared</source>
        <translation>Es wurden andere Modelle verglichen</translation>
    </message>
    <message>
        <source>%1: was not measured in both runs</source>
        <translation>%1: wurde nicht in beiden Läufen gemessen</translation>
    </message>
    <message>
        <source>%1: another text; a server need not answer the same again</source>
        <translation>%1: ein anderer Text; ein Server muss nicht noch einmal dasselbe antworten</translation>
    </message>
    <message>
        <source>Same tokens, distances and perplexity</source>
        <translation>Gleiche Tokens, Abstände und Perplexität</translation>
    </message>
    <message>
        <source>The figures agree with the earlier run</source>
        <translation>Die Zahlen stimmen mit dem früheren Lauf überein</translation>
    </message>
    <message>
        <source>Tokens and distances agree; more samples are needed to judge the speeds</source>
        <translation>Tokens und Abstände stimmen überein; um die Tempi zu beurteilen, fehlen Stichproben</translation>
    </message>
    <message>
        <source>More samples are needed to judge the speeds</source>
        <translation>Um die Geschwindigkeiten zu beurteilen, sind mehr Stichproben nötig</translation>
    </message>
    <message>
        <source>%1 of %2 GB</source>
        <translation>%1 von %2 GB</translation>
    </message>
    <message>
        <source>%1 of %2 MB</source>
        <translation>%1 von %2 MB</translation>
    </message>
    <message>
        <source>%1 MB/s</source>
        <translation>%1 MB/s</translation>
    </message>
    <message>
        <source>%1 kB/s</source>
        <translation>%1 kB/s</translation>
    </message>
    <message>
        <source>%1 s left</source>
        <translation>noch %1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s left</source>
        <translation>noch %1 min %2 s</translation>
    </message>
    <message>
        <source>%1 h %2 min left</source>
        <translation>noch %1 h %2 min</translation>
    </message>
    <message>
        <source>%1; next attempt in %2 s</source>
        <translation>%1; nächster Versuch in %2 s</translation>
    </message>
    <message>
        <source>%1; trying again</source>
        <translation>%1; neuer Versuch</translation>
    </message>
    <message>
        <source>waiting for its turn</source>
        <translation>wartet, bis es dran ist</translation>
    </message>
    <message>
        <source>checking existing files</source>
        <translation>prüft vorhandene Dateien</translation>
    </message>
    <message>
        <source>verified while downloading</source>
        <translation>beim Herunterladen geprüft</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>%1, verified</source>
        <translation>%1, geprüft</translation>
    </message>
    <message>
        <source>the earlier version is in the trash</source>
        <translation>die frühere Fassung liegt im Papierkorb</translation>
    </message>
    <message>
        <source>the earlier version is kept in %1</source>
        <translation>die frühere Fassung liegt in %1</translation>
    </message>
    <message>
        <source>The earlier version of %1</source>
        <translation>Die frühere Fassung von %1</translation>
    </message>
    <message>
        <source>Some data could not be read at startup</source>
        <translation>Beim Start konnten manche Daten nicht gelesen werden</translation>
    </message>
    <message>
        <source>Your settings could not be saved</source>
        <translation>Die Einstellungen konnten nicht gespeichert werden</translation>
    </message>
    <message>
        <source>The model is working: measure when it is idle.</source>
        <translation>Das Modell arbeitet: messen, wenn es frei ist.</translation>
    </message>
    <message>
        <source>A comparison is running: measure after it.</source>
        <translation>Ein Vergleich läuft: danach messen.</translation>
    </message>
    <message>
        <source>A smaller copy is being made: measure after it.</source>
        <translation>Eine kleinere Kopie entsteht: danach messen.</translation>
    </message>
    <message>
        <source>A device is being tested: measure after it.</source>
        <translation>Ein Gerät wird geprüft: danach messen.</translation>
    </message>
    <message>
        <source>Warming up</source>
        <translation>Aufwärmen</translation>
    </message>
    <message>
        <source>Repetition %1 of %2</source>
        <translation>Wiederholung %1 von %2</translation>
    </message>
    <message>
        <source>The benchmark cannot run</source>
        <translation>Der Benchmark kann nicht laufen</translation>
    </message>
    <message>
        <source>The benchmark failed</source>
        <translation>Der Benchmark ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>Ihre Nachricht</translation>
    </message>
    <message>
        <source>Reading %1...</source>
        <translation>%1 wird gelesen...</translation>
    </message>
    <message numerus="yes">
        <source>%1: %n conversation(s)</source>
        <translation><numerusform>%1: %n Gespräch</numerusform><numerusform>%1: %n Gespräche</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n message(s)</source>
        <translation><numerusform>%n Nachricht</numerusform><numerusform>%n Nachrichten</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n conversation(s) of it were here already</source>
        <translation><numerusform>%n Unterhaltung daraus war schon hier</numerusform><numerusform>%n Unterhaltungen daraus waren schon hier</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Left out: %n picture(s), tool call(s) and the like</source>
        <translation><numerusform>Weggelassen: %n Bild, Werkzeugaufruf oder Ähnliches</numerusform><numerusform>Weggelassen: %n Bilder, Werkzeugaufrufe und Ähnliches</numerusform></translation>
    </message>
    <message>
        <source>The reply failed</source>
        <translation>Die Antwort ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Lädt</translation>
    </message>
    <message>
        <source>Waiting for %1</source>
        <translation>Warten auf %1</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>Schreibt</translation>
    </message>
    <message>
        <source>Measuring distances</source>
        <translation>Misst Abstände</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Comparisons cannot be saved; they are kept only until Minerva is closed</source>
        <translation>Vergleiche können nicht gespeichert werden; sie bleiben nur, bis Minerva geschlossen wird</translation>
    </message>
    <message>
        <source>The comparison could not be saved or read</source>
        <translation>Der Vergleich konnte nicht gespeichert oder gelesen werden</translation>
    </message>
    <message numerus="yes">
        <source>%n models</source>
        <translation><numerusform>%n Modell</numerusform><numerusform>%n Modelle</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>same %n prompt tokens</source>
        <translation><numerusform>dasselbe %n Prompt-Token</numerusform><numerusform>dieselben %n Prompt-Tokens</numerusform></translation>
    </message>
    <message>
        <source>greedy</source>
        <translation>greedy</translation>
    </message>
    <message>
        <source>temperature %1</source>
        <translation>Temperatur %1</translation>
    </message>
    <message>
        <source>seed %1</source>
        <translation>Startzahl %1</translation>
    </message>
    <message>
        <source>side by side</source>
        <translation>nebeneinander</translation>
    </message>
    <message>
        <source>one after another</source>
        <translation>nacheinander</translation>
    </message>
    <message>
        <source>The copies of the built-in model could not be made</source>
        <translation>Die Kopien des eingebauten Modells konnten nicht erstellt werden</translation>
    </message>
    <message>
        <source>Tell me a story about a bear.</source>
        <translation>Erzähl mir eine Geschichte über einen Bären.</translation>
    </message>
    <message>
        <source>The models do not fit side by side</source>
        <translation>Die Modelle passen nicht nebeneinander</translation>
    </message>
    <message>
        <source>The comparison could not be run</source>
        <translation>Der Vergleich konnte nicht ausgeführt werden</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation><numerusform>%n Lauf</numerusform><numerusform>%n Läufe</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n prompt(s)</source>
        <translation><numerusform>%n Prompt</numerusform><numerusform>%n Prompts</numerusform></translation>
    </message>
    <message>
        <source>The comparison could not be exported</source>
        <translation>Der Vergleich konnte nicht exportiert werden</translation>
    </message>
    <message>
        <source>Tokenizes text differently from the reference: it read the same text, but distances would be meaningless</source>
        <translation>Zerlegt Text in andere Tokens als das genaueste: es hat denselben Text gelesen, aber Abstände wären ohne Aussage</translation>
    </message>
    <message>
        <source>Given the reference's token ids: its own chat template gives different tokens</source>
        <translation>Bekam die Token-Nummern des genauesten: seine eigene Chatvorlage ergibt andere Tokens</translation>
    </message>
    <message>
        <source>%1 could not be compared</source>
        <translation>%1 konnte nicht verglichen werden</translation>
    </message>
    <message>
        <source>Side by side: speeds count this model's own steps</source>
        <translation>Nebeneinander: das Tempo zählt nur die eigenen Schritte dieses Modells</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
    <message>
        <source>Last week</source>
        <translation>Letzte Woche</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Früher</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <source>Similar in meaning</source>
        <translation>Ähnliche Bedeutung</translation>
    </message>
    <message>
        <source>hardly any loss</source>
        <translation>kaum Verlust</translation>
    </message>
    <message>
        <source>very close</source>
        <translation>sehr nah</translation>
    </message>
    <message>
        <source>close</source>
        <translation>nah</translation>
    </message>
    <message>
        <source>good balance</source>
        <translation>gute Mitte</translation>
    </message>
    <message>
        <source>smallest, fastest</source>
        <translation>am kleinsten, am schnellsten</translation>
    </message>
    <message>
        <source>The copy could not be made</source>
        <translation>Die Kopie konnte nicht erstellt werden</translation>
    </message>
    <message numerus="yes">
        <source>%n day(s) left</source>
        <translation><numerusform>noch %n Tag</numerusform><numerusform>noch %n Tage</numerusform></translation>
    </message>
    <message>
        <source>Matches the reference: %1 predictions of the built-in model differ by at most %2</source>
        <translation>Stimmt mit der Referenz überein: %1 Vorhersagen des eingebauten Modells weichen um höchstens %2 ab</translation>
    </message>
    <message>
        <source>Wrong results: predictions of the built-in model differ from the reference's by up to %1 (allowed: %2). Choose another device, or update its driver</source>
        <translation>Falsche Ergebnisse: Vorhersagen des eingebauten Modells weichen um bis zu %1 von denen der Referenz ab (erlaubt: %2). Wählen Sie ein anderes Gerät oder erneuern Sie seinen Treiber</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>The fastest device that works</source>
        <translation>Das schnellste Gerät, das funktioniert</translation>
    </message>
    <message>
        <source>All GPUs</source>
        <translation>Alle GPUs</translation>
    </message>
    <message>
        <source>A model that is too large for one GPU is shared between them; one that fits runs on a single GPU, which is faster</source>
        <translation>Ein Modell, das für eine GPU zu groß ist, wird auf mehrere verteilt; eines, das passt, läuft auf einer einzigen, was schneller ist</translation>
    </message>
    <message>
        <source>The download stopped</source>
        <translation>Der Download hat aufgehört</translation>
    </message>
    <message>
        <source>The picture was not pasted</source>
        <translation>Das Bild wurde nicht eingefügt</translation>
    </message>
    <message>
        <source>Minerva's engine reads only text; it does not support pictures yet</source>
        <translation>Minervas Engine liest nur Text; Bilder unterstützt sie noch nicht</translation>
    </message>
    <message>
        <source>Paste the text in it, or describe what it shows</source>
        <translation>Fügen Sie den Text darin ein, oder beschreiben Sie, was es zeigt</translation>
    </message>
    <message>
        <source>The file was not attached</source>
        <translation>Die Datei wurde nicht angehängt</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) were not attached</source>
        <translation><numerusform>%n Datei wurde nicht angehängt</numerusform><numerusform>%n Dateien wurden nicht angehängt</numerusform></translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>Today %1</source>
        <translation>Heute %1</translation>
    </message>
    <message>
        <source>All models</source>
        <translation>Alle Modelle</translation>
    </message>
    <message>
        <source>All devices</source>
        <translation>Alle Geräte</translation>
    </message>
    <message>
        <source>The search failed</source>
        <translation>Die Suche ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>The model's files could not be listed</source>
        <translation>Die Dateien des Modells konnten nicht aufgelistet werden</translation>
    </message>
    <message>
        <source>The model's header could not be read</source>
        <translation>Der Kopf des Modells konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>The link was not opened</source>
        <translation>Der Link wurde nicht geöffnet</translation>
    </message>
    <message>
        <source>Nothing here that Minerva can run</source>
        <translation>Hier ist nichts, was Minerva ausführen kann</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 Parameter</translation>
    </message>
    <message>
        <source>the keyring</source>
        <translation>der Schlüsselbund</translation>
    </message>
    <message>
        <source>The token could not be removed</source>
        <translation>Das Token konnte nicht entfernt werden</translation>
    </message>
    <message>
        <source>The token was not saved</source>
        <translation>Das Token wurde nicht gespeichert</translation>
    </message>
    <message>
        <source>no answer from %1</source>
        <translation>keine Antwort von %1</translation>
    </message>
    <message>
        <source>Preparing the tokenizer</source>
        <translation>Tokenizer wird vorbereitet</translation>
    </message>
    <message>
        <source>Measuring the device</source>
        <translation>Gerät wird vermessen</translation>
    </message>
    <message>
        <source>Placing the weights</source>
        <translation>Gewichte werden platziert</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>%1 could not be loaded</source>
        <translation>%1 konnte nicht geladen werden</translation>
    </message>
    <message>
        <source>The local server could not be started</source>
        <translation>Der lokale Server konnte nicht gestartet werden</translation>
    </message>
    <message>
        <source>Ended because the context is full</source>
        <translation>Zu Ende, weil der Kontext voll ist</translation>
    </message>
    <message>
        <source>Ended because the context is full: a prompt of %1 tokens, a reply of %2</source>
        <translation>Zu Ende, weil der Kontext voll ist: ein Prompt von %1 Tokens, eine Antwort von %2</translation>
    </message>
    <message>
        <source>Cut off when Minerva closed</source>
        <translation>Abgeschnitten, als Minerva geschlossen wurde</translation>
    </message>
    <message>
        <source>Ended at the longest reply allowed in the settings</source>
        <translation>Zu Ende bei der längsten Antwort, die die Einstellungen erlauben</translation>
    </message>
    <message>
        <source>Broke off</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>No reply</source>
        <translation>Keine Antwort</translation>
    </message>
    <message>
        <source>Edited</source>
        <translation>Bearbeitet</translation>
    </message>
    <message>
        <source>Nothing was added</source>
        <translation>Nichts hinzugefügt</translation>
    </message>
    <message>
        <source>Continued</source>
        <translation>Fortgesetzt</translation>
    </message>
    <message>
        <source>Figures of replies cannot be saved; they are kept only until Minerva is closed</source>
        <translation>Die Zahlen der Antworten können nicht gespeichert werden; sie bleiben nur, bis Minerva geschlossen wird</translation>
    </message>
    <message>
        <source>The figures of a reply could not be saved or read</source>
        <translation>Die Zahlen einer Antwort konnten nicht gespeichert oder gelesen werden</translation>
    </message>
    <message>
        <source>The figures could not be exported</source>
        <translation>Die Zahlen konnten nicht exportiert werden</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>Architektur</translation>
    </message>
    <message numerus="yes">
        <source>%1, %n layer(s) of %2</source>
        <translation><numerusform>%1, %n Schicht mit %2</numerusform><numerusform>%1, %n Schichten mit %2</numerusform></translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Bits per weight</source>
        <translation>Bits je Gewicht</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>Auf der Platte</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>%1, %2 tokens</source>
        <translation>%1, %2 Tokens</translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation>Chatvorlage</translation>
    </message>
    <message>
        <source>Location</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>This model cannot be opened</source>
        <translation>Dieses Modell lässt sich nicht öffnen</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Feed-forward</source>
        <translation>Feed-forward</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>Experten</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Norms and other</source>
        <translation>Normen und anderes</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>State of conversations</source>
        <translation>Zustand der Gespräche</translation>
    </message>
    <message>
        <source>This file is no longer there</source>
        <translation>Diese Datei ist nicht mehr da</translation>
    </message>
    <message>
        <source>%1 bits per weight</source>
        <translation>%1 Bit je Gewicht</translation>
    </message>
    <message>
        <source>context %1</source>
        <translation>Kontext %1</translation>
    </message>
    <message>
        <source>works offline, knows little</source>
        <translation>läuft offline, weiß wenig</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>%1 could not be deleted</source>
        <translation>%1 konnte nicht gelöscht werden</translation>
    </message>
    <message>
        <source>%1 could not be restored</source>
        <translation>%1 konnte nicht wiederhergestellt werden</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>Gespräch</translation>
    </message>
    <message>
        <source>Model on %1</source>
        <translation>Modell auf %1</translation>
    </message>
    <message>
        <source>Model, %1</source>
        <translation>Modell, %1</translation>
    </message>
    <message>
        <source>As in Settings</source>
        <translation>Wie in den Einstellungen</translation>
    </message>
    <message>
        <source>system prompt</source>
        <translation>Systemprompt</translation>
    </message>
    <message>
        <source>A preset needs a name</source>
        <translation>Eine Voreinstellung braucht einen Namen</translation>
    </message>
    <message>
        <source>A name can have at most %1 characters</source>
        <translation>Ein Name darf höchstens %1 Zeichen haben</translation>
    </message>
    <message>
        <source>Another preset has this name</source>
        <translation>Eine andere Voreinstellung heißt schon so</translation>
    </message>
    <message>
        <source>%1 puts the prompt together</source>
        <translation>%1 stellt den Prompt zusammen</translation>
    </message>
    <message>
        <source>A server is sent the messages only. Its template and its tokens are not known here.</source>
        <translation>Einem Server werden nur die Nachrichten gesendet. Seine Vorlage und seine Tokens sind hier nicht bekannt.</translation>
    </message>
    <message>
        <source>The prompt could not be built</source>
        <translation>Der Prompt konnte nicht erstellt werden</translation>
    </message>
    <message>
        <source>The proxy's password is kept only until Minerva is closed</source>
        <translation>Das Passwort des Proxys gilt nur, bis Minerva geschlossen wird</translation>
    </message>
    <message>
        <source>Without a keyring, set it in the environment variable https_proxy and leave the setting empty</source>
        <translation>Ohne Schlüsselbund: in der Umgebungsvariable https_proxy angeben und die Einstellung leer lassen</translation>
    </message>
    <message>
        <source>A block of code.</source>
        <translation>Ein Stück Code.</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>schreibt</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>failed, %1</source>
        <translation>fehlgeschlagen, %1</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>On %1: time to first token and speed are measured by this program, the network included. Load, memory, disk and distances are not known</source>
        <translation>Auf %1: Zeit bis zum ersten Token und Geschwindigkeit misst dieses Programm, mit dem Netz dazwischen. Ladezeit, Speicher, Dateigröße und Abstände sind nicht bekannt</translation>
    </message>
    <message>
        <source>Side by side: the other models ran meanwhile</source>
        <translation>Nebeneinander: die anderen Modelle liefen währenddessen</translation>
    </message>
    <message>
        <source>%1 tells no number of tokens: its speed is not known</source>
        <translation>%1 nennt keine Anzahl von Tokens: die Geschwindigkeit ist nicht bekannt</translation>
    </message>
    <message>
        <source>%1 does not take: %2</source>
        <translation>%1 nimmt nicht an: %2</translation>
    </message>
    <message>
        <source>The key is kept only until Minerva is closed</source>
        <translation>Der Schlüssel bleibt nur, bis Minerva geschlossen wird</translation>
    </message>
    <message>
        <source>The models could not be listed</source>
        <translation>Die Modelle konnten nicht aufgelistet werden</translation>
    </message>
    <message>
        <source>This address cannot be used</source>
        <translation>Diese Adresse lässt sich nicht verwenden</translation>
    </message>
    <message>
        <source>Without https, others on the network can read what you send there.</source>
        <translation>Ohne https können andere im Netz lesen, was Sie dorthin senden.</translation>
    </message>
    <message>
        <source>Follow the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>16 bits</source>
        <translation>16 Bit</translation>
    </message>
    <message>
        <source>8 bits (Q8_0)</source>
        <translation>8 Bit (Q8_0)</translation>
    </message>
    <message>
        <source>Choose a model first.</source>
        <translation>Zuerst ein Modell wählen.</translation>
    </message>
    <message>
        <source>A benchmark measures a model of this computer; the present one runs on %1.</source>
        <translation>Ein Benchmark misst ein Modell dieses Computers; das jetzige läuft auf %1.</translation>
    </message>
    <message>
        <source>Loading the model</source>
        <translation>Modell wird geladen</translation>
    </message>
    <message>
        <source>Measuring the bandwidth</source>
        <translation>Bandbreite wird gemessen</translation>
    </message>
    <message numerus="yes">
        <source>%n conversation(s), %1 tokens in the context</source>
        <translation><numerusform>%n Gespräch, %1 Tokens im Kontext</numerusform><numerusform>%n Gespräche, %1 Tokens im Kontext</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n conversation(s)</source>
        <translation><numerusform>%n Gespräch</numerusform><numerusform>%n Gespräche</numerusform></translation>
    </message>
    <message>
        <source>%1: warming up</source>
        <translation>%1: Aufwärmen</translation>
    </message>
    <message>
        <source>%1: repetition %2 of %3</source>
        <translation>%1: Durchlauf %2 von %3</translation>
    </message>
    <message>
        <source>The benchmark could not be exported</source>
        <translation>Der Benchmark konnte nicht exportiert werden</translation>
    </message>
    <message>
        <source>The benchmark could not be kept</source>
        <translation>Der Benchmark konnte nicht aufbewahrt werden</translation>
    </message>
    <message>
        <source>The benchmark could not be removed</source>
        <translation>Der Benchmark konnte nicht entfernt werden</translation>
    </message>
    <message>
        <source>Your conversations are from a newer version</source>
        <translation>Ihre Gespräche stammen aus einer neueren Version</translation>
    </message>
    <message>
        <source>Update Minerva to see them again; that file was not changed. New conversations go to %1</source>
        <translation>Aktualisieren Sie Minerva, um sie wiederzusehen; die Datei wurde nicht verändert. Neue Gespräche kommen nach %1</translation>
    </message>
    <message>
        <source>The file with your conversations is damaged</source>
        <translation>Die Datei mit Ihren Gesprächen ist beschädigt</translation>
    </message>
    <message>
        <source>It was kept as %1, and what could be read was copied into a new one</source>
        <translation>Sie wurde als %1 aufgehoben; was lesbar war, steht in einer neuen</translation>
    </message>
    <message>
        <source>It was kept as %1, and a new one was created</source>
        <translation>Sie wurde als %1 aufgehoben, und eine neue wurde angelegt</translation>
    </message>
    <message>
        <source>Your conversations cannot be opened</source>
        <translation>Ihre Gespräche können nicht geöffnet werden</translation>
    </message>
    <message>
        <source>Check that the folder can be written to</source>
        <translation>Prüfen Sie, ob in den Ordner geschrieben werden kann</translation>
    </message>
    <message>
        <source>What you write now is kept only until Minerva is closed</source>
        <translation>Was Sie jetzt schreiben, bleibt nur, bis Minerva geschlossen wird</translation>
    </message>
    <message>
        <source>Conversations cannot be saved</source>
        <translation>Gespräche können nicht gespeichert werden</translation>
    </message>
    <message>
        <source>The conversation could not be saved</source>
        <translation>Das Gespräch konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Not saved: %1</source>
        <translation>Nicht gespeichert: %1</translation>
    </message>
    <message>
        <source>The conversation could not be read</source>
        <translation>Das Gespräch konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>The conversations could not be searched</source>
        <translation>Die Gespräche konnten nicht durchsucht werden</translation>
    </message>
    <message>
        <source>The conversation could not be exported</source>
        <translation>Das Gespräch konnte nicht exportiert werden</translation>
    </message>
    <message>
        <source>Nothing was imported</source>
        <translation>Es wurde nichts importiert</translation>
    </message>
</context>
</TS>
