-- Numbers have no declared type, so that SQLite gives them back as they were: their digest stays the same.
    CREATE TABLE messages (
        message_id TEXT PRIMARY KEY,
        content TEXT NOT NULL
    );
    CREATE TABLE calls (
        call_id TEXT PRIMARY KEY,
        edition TEXT NOT NULL,
        status TEXT NOT NULL,
        role TEXT NOT NULL,
        model TEXT NOT NULL,
        template TEXT NOT NULL,
        template_hash TEXT NOT NULL,
        repeat NOT NULL,
        stored_at TEXT NOT NULL,
        endpoint TEXT NOT NULL,
        prompt_tokens,
        completion_tokens,
        reasoning_tokens,
        cached_tokens,
        usage TEXT NOT NULL,
        cost_usd,
        price_source TEXT,
        latency_s NOT NULL,
        attempts NOT NULL,
        reasoning_source TEXT NOT NULL,
        finish_reason TEXT,
        served_model TEXT,
        batch_id TEXT,
        params TEXT NOT NULL,
        messages TEXT NOT NULL,
        error TEXT,
        content TEXT NOT NULL,
        reasoning TEXT,
        raw TEXT,
        usage_reported TEXT,
        digest TEXT NOT NULL
    );
    CREATE TABLE server_batches (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        edition TEXT NOT NULL,
        model TEXT NOT NULL,
        endpoint TEXT NOT NULL,
        input_digest TEXT NOT NULL,
        file_id TEXT NOT NULL,
        requests NOT NULL,
        batch_id TEXT,
        stored_at TEXT NOT NULL
    );
    CREATE TABLE server_batch_calls (
        call_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (call_id, number)
    ) WITHOUT ROWID;
    CREATE TABLE attempts (
        number INTEGER PRIMARY KEY,
        edition TEXT NOT NULL,
        call_id TEXT NOT NULL,
        batch INTEGER,
        estimate_usd,
        cost_usd,
        sent_at TEXT NOT NULL
    );
    CREATE INDEX calls_of_edition ON calls (edition, status, cost_usd);
    CREATE INDEX attempts_of_edition ON attempts (edition, cost_usd, estimate_usd);
    CREATE INDEX attempts_of_call ON attempts (call_id);
