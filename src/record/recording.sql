-- SPDX-License-Identifier: BSD-3-Clause
-- Copyright (c) 2026 The uncore authors
--
-- The tables of a recording, and what is asked of them besides rows.
--
-- Times are in seconds, ids count from 0, what is not known is NULL. Samples
-- are the rows of a long narrow table and their counts those of another one,
-- ordered as they are read, sample by sample. The access of a sample is a row
-- of a table of its own, since most samples of time have none.

-- sql_schema: the tables of docs/formats.md
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE event (id INTEGER PRIMARY KEY, text TEXT NOT NULL, canonical
    TEXT NOT NULL, box TEXT NOT NULL, multiplier INTEGER NOT NULL, period
    INTEGER NOT NULL);
CREATE TABLE position (id INTEGER PRIMARY KEY, address INTEGER NOT NULL,
    object TEXT, symbol TEXT, offset INTEGER NOT NULL, source TEXT,
    folder TEXT, inlined TEXT);
CREATE INDEX position_address ON position (address);
CREATE TABLE thread (id INTEGER PRIMARY KEY, process INTEGER NOT NULL,
    thread INTEGER NOT NULL, name TEXT);
CREATE TABLE sample (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, socket
    INTEGER NOT NULL, cycle INTEGER, seconds REAL NOT NULL, length REAL NOT
    NULL, event INTEGER REFERENCES event, instance INTEGER, overrun INTEGER
    NOT NULL, lost INTEGER NOT NULL, core INTEGER, position INTEGER
    REFERENCES position, thread INTEGER REFERENCES thread);
CREATE TABLE stack (id INTEGER PRIMARY KEY, position INTEGER NOT NULL
    REFERENCES position, caller INTEGER REFERENCES stack);
CREATE INDEX stack_call ON stack (position, caller);
CREATE TABLE datum (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, object TEXT,
    symbol TEXT, stack INTEGER REFERENCES stack, thread INTEGER REFERENCES
    thread, size INTEGER, objects INTEGER);
CREATE INDEX datum_site ON datum (symbol, stack);
CREATE TABLE access (sample INTEGER PRIMARY KEY REFERENCES sample, use TEXT
    NOT NULL, address INTEGER NOT NULL, line INTEGER NOT NULL, core INTEGER,
    home INTEGER, stack INTEGER REFERENCES stack, datum INTEGER REFERENCES
    datum, offset INTEGER NOT NULL, touch_core INTEGER, touch_thread INTEGER
    REFERENCES thread, answered TEXT, latency REAL,
    field TEXT);
CREATE TABLE count (sample INTEGER NOT NULL REFERENCES sample, event INTEGER
    NOT NULL REFERENCES event, instance INTEGER NOT NULL, value INTEGER NOT
    NULL, seconds REAL NOT NULL, PRIMARY KEY (sample, event, instance))
    WITHOUT ROWID;
CREATE TABLE state (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, socket
    INTEGER NOT NULL, box TEXT NOT NULL, instance INTEGER NOT NULL, name
    TEXT NOT NULL, value INTEGER NOT NULL);
CREATE VIEW growth AS SELECT sample.id AS sample, sample.kind,
    sample.seconds, sample.length, sample.socket, event.text AS event,
    count.instance, count.value, count.seconds AS counted FROM count JOIN
    sample ON sample.id = count.sample JOIN event ON event.id = count.event;

-- sql_no_tables: how many stand in the place of a table
-- and could have rows without end, or columns that are worked out, as long
-- and as slowly as they like
SELECT count(*) FROM sqlite_master WHERE lower(name) IN ('meta', 'event',
    'position', 'thread', 'state', 'sample', 'count', 'stack', 'datum',
    'access') AND (type <> 'table' OR sql LIKE 'CREATE VIRTUAL%' OR EXISTS
    (SELECT 1 FROM pragma_table_xinfo(sqlite_master.name) AS c WHERE
    c.hidden <> 0));

-- sql_not_of_first: what version 1 had not: sources and accesses
-- They are beside the file, empty, so that whoever asks for them is answered.
CREATE TEMP TABLE access (sample INTEGER PRIMARY KEY, use, address, line,
    core, home, stack, datum, offset, touch_core, touch_thread, answered,
    latency, field);
CREATE TEMP TABLE stack (id INTEGER PRIMARY KEY, position, caller);
CREATE TEMP TABLE datum (id INTEGER PRIMARY KEY, kind, object, symbol, stack,
    thread, size, objects);
CREATE TEMP VIEW position AS SELECT id, address, object, symbol, offset,
    NULL AS source, NULL AS folder, NULL AS inlined FROM main.position;

-- sql_not_of_second: what version 2 had not: allocations, first users,
-- answers and inlined code
CREATE TEMP VIEW access AS SELECT *, NULL AS touch_core, NULL AS touch_thread,
    NULL AS answered, NULL AS latency, NULL AS field FROM main.access;
CREATE TEMP VIEW position AS SELECT *, NULL AS folder, NULL AS inlined
    FROM main.position;
CREATE TEMP VIEW datum AS SELECT *, NULL AS stack, NULL AS thread, NULL AS
    size, NULL AS objects FROM main.datum;

-- sql_not_of_third: what version 3 had not: fields
CREATE TEMP VIEW access AS SELECT *, NULL AS field FROM main.access;

-- sql_unnamed: positions without names at which threads of a process were seen
WITH RECURSIVE here AS (SELECT sample.id AS id, position FROM sample JOIN
    thread ON thread.id = sample.thread WHERE process = ?), reached(id) AS
    (SELECT DISTINCT stack FROM access JOIN here ON here.id = access.sample
    WHERE stack IS NOT NULL UNION SELECT caller FROM stack JOIN reached
    USING (id) WHERE caller IS NOT NULL) SELECT id, address FROM position
    WHERE object IS NULL AND symbol IS NULL AND id IN (SELECT position FROM
    here UNION SELECT position FROM stack WHERE id IN (SELECT id FROM
    reached));
