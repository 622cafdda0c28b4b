CREATE TABLE conversations (id INTEGER PRIMARY KEY, title TEXT NOT NULL DEFAULT '', model TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL, updated INTEGER NOT NULL, active_leaf INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE messages (id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL REFERENCES conversations(id) ON DELETE CASCADE, parent INTEGER NOT NULL DEFAULT 0, author TEXT NOT NULL, status TEXT NOT NULL, text TEXT NOT NULL DEFAULT '', model TEXT NOT NULL DEFAULT '', error TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL, ttft_ms REAL NOT NULL DEFAULT -1, prefill_speed REAL NOT NULL DEFAULT -1, decode_speed REAL NOT NULL DEFAULT -1, prompt_tokens INTEGER NOT NULL DEFAULT -1, generated_tokens INTEGER NOT NULL DEFAULT -1);
CREATE INDEX messages_of ON messages(conversation, id);
INSERT INTO conversations VALUES (1, 'Cats', 'TinyLlama', 1000, 2000, 3, 0);
INSERT INTO messages (id, conversation, author, status, text, created) VALUES (2, 1, 'user', 'complete', 'What do cats have?', 1000);
INSERT INTO messages (id, conversation, parent, author, status, text, created) VALUES (3, 1, 2, 'assistant', 'streaming', 'They have whiskers and', 1500);
PRAGMA user_version=1;
