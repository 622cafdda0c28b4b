<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en_US">
<context>
    <name>Minerva</name>
    <message numerus="yes">
        <source>%n tokens</source>
        <translation><numerusform>%n token</numerusform><numerusform>%n tokens</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Left out of the prompt from here up: %n message(s), %1 tokens</source>
        <translation><numerusform>Left out of the prompt from here up: %n message, %1 tokens</numerusform><numerusform>Left out of the prompt from here up: %n messages, %1 tokens</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Delete %n conversation(s) for good? This cannot be undone.</source>
        <translation><numerusform>Delete %n conversation for good? This cannot be undone.</numerusform><numerusform>Delete %n conversations for good? This cannot be undone.</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n thread(s)</source>
        <translation><numerusform>%n thread</numerusform><numerusform>%n threads</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n layer(s)</source>
        <translation><numerusform>%n layer</numerusform><numerusform>%n layers</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>experts of %n layer(s)</source>
        <translation><numerusform>experts of %n layer</numerusform><numerusform>experts of %n layers</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Shared by %n device(s)</source>
        <translation><numerusform>Shared by %n device</numerusform><numerusform>Shared by %n devices</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Folder %1, %n conversation(s)</source>
        <translation><numerusform>Folder %1, %n conversation</numerusform><numerusform>Folder %1, %n conversations</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Medians of %n repetition(s) with random text</source>
        <translation><numerusform>Medians of %n repetition with random text</numerusform><numerusform>Medians of %n repetitions with random text</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%1 to %2 in %n repetition(s)</source>
        <translation><numerusform>%1 to %2 in %n repetition</numerusform><numerusform>%1 to %2 in %n repetitions</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n other answer(s) at the same time</source>
        <translation><numerusform>%n other answer at the same time</numerusform><numerusform>%n other answers at the same time</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Serves %1, up to %n answer(s) at once; further requests wait.</source>
        <translation><numerusform>Serves %1, up to %n answer at once; further requests wait.</numerusform><numerusform>Serves %1, up to %n answers at once; further requests wait.</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Show all %n model(s)</source>
        <translation><numerusform>Show all %n model</numerusform><numerusform>Show all %n models</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%1 answers, with %n model(s)</source>
        <translation><numerusform>%1 answers, with %n model</numerusform><numerusform>%1 answers, with %n models</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>The server answers, with %n model(s)</source>
        <translation><numerusform>The server answers, with %n model</numerusform><numerusform>The server answers, with %n models</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation><numerusform>and %n more</numerusform><numerusform>and %n more</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n measurement(s); another instance of the model takes %1, and %2 are free.</source>
        <translation><numerusform>%n measurement; another instance of the model takes %1, and %2 are free.</numerusform><numerusform>%n measurements; another instance of the model takes %1, and %2 are free.</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Medians of %n repetition(s) with random text: prompts of %1 tokens, replies of %2.</source>
        <translation><numerusform>Medians of %n repetition with random text: prompts of %1 tokens, replies of %2.</numerusform><numerusform>Medians of %n repetitions with random text: prompts of %1 tokens, replies of %2.</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n stall(s)</source>
        <translation><numerusform>%n stall</numerusform><numerusform>%n stalls</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Exported %n conversation(s) to %1</source>
        <translation><numerusform>Exported %n conversation to %1</numerusform><numerusform>Exported %n conversations to %1</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%1: %n conversation(s)</source>
        <translation><numerusform>%1: %n conversation</numerusform><numerusform>%1: %n conversations</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n message(s)</source>
        <translation><numerusform>%n message</numerusform><numerusform>%n messages</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n conversation(s) of it were here already</source>
        <translation><numerusform>%n conversation of it were here already</numerusform><numerusform>%n conversations of it were here already</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Left out: %n picture(s), tool call(s) and the like</source>
        <translation><numerusform>Left out: %n picture, tool call and the like</numerusform><numerusform>Left out: %n pictures, tool calls and the like</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n models</source>
        <translation><numerusform>%n model</numerusform><numerusform>%n models</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>same %n prompt tokens</source>
        <translation><numerusform>same %n prompt token</numerusform><numerusform>same %n prompt tokens</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation><numerusform>%n run</numerusform><numerusform>%n runs</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n prompt(s)</source>
        <translation><numerusform>%n prompt</numerusform><numerusform>%n prompts</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n day(s) left</source>
        <translation><numerusform>%n day left</numerusform><numerusform>%n days left</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) were not attached</source>
        <translation><numerusform>%n file were not attached</numerusform><numerusform>%n files were not attached</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Not listed: %n choice(s) whose files are cut into pieces, which Minerva does not join.</source>
        <translation><numerusform>Not listed: %n choice whose files are cut into pieces, which Minerva does not join.</numerusform><numerusform>Not listed: %n choices whose files are cut into pieces, which Minerva does not join.</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%1, %n layer(s) of %2</source>
        <translation><numerusform>%1, %n layer of %2</numerusform><numerusform>%1, %n layers of %2</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n conversation(s), %1 tokens in the context</source>
        <translation><numerusform>%n conversation, %1 tokens in the context</numerusform><numerusform>%n conversations, %1 tokens in the context</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n conversation(s)</source>
        <translation><numerusform>%n conversation</numerusform><numerusform>%n conversations</numerusform></translation>
    </message>
</context>
</TS>
