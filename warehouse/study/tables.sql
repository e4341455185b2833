    CREATE TABLE study (settings TEXT NOT NULL, closed_at REAL);
    CREATE TABLE time (boot_id TEXT NOT NULL, ahead REAL NOT NULL, at REAL NOT NULL, date REAL NOT NULL);
    CREATE TABLE participants (
        number INTEGER PRIMARY KEY,
        public TEXT NOT NULL UNIQUE,
        key INTEGER UNIQUE,
        secret_hash TEXT,
        withdrawn_at REAL,
        erasing INTEGER
    );
    CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        participant INTEGER NOT NULL REFERENCES participants (key),
        kind TEXT NOT NULL,
        task TEXT NOT NULL DEFAULT '',
        turn INTEGER NOT NULL DEFAULT 0,
        value TEXT NOT NULL DEFAULT '',
        at REAL NOT NULL,
        UNIQUE (participant, kind, task, turn)
    );
