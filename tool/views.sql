-- SPDX-License-Identifier: BSD-3-Clause
-- Copyright (c) 2026 The uncore authors
--
-- A recording as tables that are one question each: what samples have in
-- common, and which data they were to. ?1 is the socket (-1: all), ?2 and ?3
-- how many rows there are at most, and rows below each. Of a view with rows
-- below others the first value is the number of the row that they belong to.
-- tools/gensql.py says how this is written, tool/table.h what columns are.
--
-- Views begin with the tables beside the recording that they want, each made by
-- the first one: samples are gone over once, and what is looked up for each is
-- found by an index, so that twice as many samples take twice as long.
--
-- Cores take a line away from each other when one writes it. Where one uses
-- the bytes that another one has just used, it is shared; where it uses others,
-- it is falsely shared, and would be left in peace if the data lay on lines of
-- their own. What counts is who came just before, a few samples of the line: in
-- the course of a run work may go from core to core and take its data along. A
-- sample tells where an access begins and not how long it is, and some may miss
-- that bytes are used by others: of the two kinds, one with less than a tenth
-- of the hand-overs is left out. Who reads what a snoop finds modified (HITM)
-- reads what another core has written. A page that is used from another socket
-- than the one whose memory it is in lies in the wrong place.

-- part of_socket: a sample that is asked about
(?1 < 0 OR sample.socket = ?1)

-- part function: a function, else an address: in its file, if that is known
CASE WHEN position.id IS NULL THEN '[not known]'
WHEN symbol IS NOT NULL THEN symbol
WHEN object IS NULL THEN printf('0x%llx', position.address)
ELSE printf('0x%llx', position.offset) END

-- part functions: the same behind those that were inlined there
ifnull(inlined || ' < ', '') || {function}

-- part thread: a thread
CASE WHEN thread.id IS NOT NULL
THEN printf('%d/%d', process, thread.thread) END

-- part make: a table, if there is none yet
CREATE TEMP TABLE IF NOT EXISTS

-- part on_socket: of a core, where the number of cores is known
/ (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'cores')

-- part hits: events that samples were taken of, with the number of these; and
-- samples of a period
-- The socket is that of the core which made the access, where that is known;
-- an access without `use` is not known. Somebody waits for what is no prefetch;
-- in quick stretches there is no latency, so it stands for all that have an
-- answer.
{make} sampled AS SELECT event.id AS event, text, period, count(*) AS total
FROM event JOIN sample ON sample.event = event.id
WHERE {of_socket} GROUP BY event.id;
{make} hit AS SELECT event, sample.id AS moment, position, thread, use,
address, line, home, datum, access.offset AS far, field, stack, access.core AS core,
access.core {on_socket} AS on_socket,
ifnull(access.core {on_socket}, socket) AS socket, touch_thread,
touch_core {on_socket} AS touch_socket, answered, 1 AS num,
CASE WHEN use <> 'prefetch' THEN latency END AS waited,
use <> 'prefetch' AND latency IS NOT NULL AS waits,
use <> 'prefetch' AND answered IS NOT NULL AS answers
FROM sample LEFT JOIN access ON access.sample = sample.id
WHERE kind = 'period' AND event IS NOT NULL AND {of_socket};

-- part costs: the same but for moment and address, added up; and by code alone
{hits} {make} cost AS SELECT event, position, thread, use, home, datum, stack,
on_socket, socket, touch_thread, touch_socket, answered, sum(num) AS num,
sum(waited) AS waited, sum(waits) AS waits, sum(answers) AS answers FROM hit
GROUP BY event, position, thread, use, home, datum, stack, on_socket, socket,
touch_thread, touch_socket, answered;
{make} path AS SELECT event, position, stack, sum(num) AS num,
sum(waited) AS waited, sum(waits) AS waits, sum(answers) AS answers FROM cost
GROUP BY event, position, stack;

-- part latency: the mean of those who wait
sum(waited) * 1.0 / sum(waits)

-- part shares: the first three columns, of a number of samples
$1 * 1.0 / total, $1, $1 * 1.0 * period

-- part waits: the next two columns: the mean, and the sum
$1 * 1e9, $1 * $2 * period * 1e3

-- part sums: all five
{shares: sum(num)}, {waits: {latency} | sum(answers)}

-- part columns: these five
share:% samples:n events:n latency_ns:r wait_ms:r

-- part coded: with their code
JOIN sampled USING (event)
LEFT JOIN position ON position.id = $1.position

-- part grouped: equal texts are one, and the first of them tells who is first
GROUP BY label, place, event
ORDER BY sum(num) DESC, min(ifnull($1, -1)), event

-- part chains: all stacks that accesses or data have, with callers as a text
-- A recorder writes callers first, so there is no way round, and 16 of them at
-- most. $2 is put behind the innermost.
{make} $1_chain AS WITH RECURSIVE call (stack, next, text, depth) AS
(SELECT DISTINCT stack, stack, '', 0 FROM $1
WHERE stack IS NOT NULL UNION ALL
SELECT call.stack, CASE WHEN caller < stack.id THEN caller END,
text || ' < ' || {functions} $2, depth + 1 FROM call
JOIN stack ON stack.id = next
LEFT JOIN position ON position.id = stack.position
WHERE depth < 64)
SELECT stack, text AS callers, max(depth) FROM call GROUP BY stack;

-- part call: which call of the innermost, where the source does not say
|| CASE WHEN depth = 0 AND source IS NULL AND symbol IS NOT NULL
THEN printf('+0x%llx', position.offset) ELSE '' END

-- part uses: of accesses
sum(num) AS num, sum(num * (use = 'load')) AS loads,
sum(num * (use IN ('store', 'stream'))) AS stores,
sum(num * (use = 'lock')) AS locks, {latency} AS mean,
sum(answers) AS answers

-- part remote: those to memory of another socket than $1
sum(num * (home <> $1)) * 1.0 / sum(num * (home IS NOT NULL AND $1 IS NOT NULL))

-- part found: the accesses of samples, by line (2^0 lines) or page (2^6)
-- Those of a unit are a group; the groups with most samples are numbered. What
-- asks for another line than it accesses, as a prefetch does, comes last when
-- one tells where they are.
{hits} {make} unit$1 AS SELECT row_number() OVER (ORDER BY sum(num) DESC, $2)
AS number, event, CAST(line >> $1 AS INTEGER) AS unit, {uses},
sum(use = 'prefetch') AS prefetches, count(DISTINCT core) AS cores,
count(DISTINCT socket) AS sockets, {remote: socket} AS remote,
min(address | (((address >> 6 & 63) <> (line & 63)) << 62)) AS address,
home, datum, far, field FROM hit
WHERE use IS NOT NULL GROUP BY event, unit;

-- part caller: where a datum was allocated
ifnull((SELECT ' < ' || {function} FROM stack
JOIN position ON position.id = stack.position WHERE stack.id = datum.stack), '')

-- part datum: what an access was to; $1: how far into it, $2: who allocated it
CASE datum.kind WHEN 'symbol' THEN ifnull(datum.symbol, '?') $1
WHEN 'allocated' THEN ifnull(datum.symbol, '?') $1
|| ifnull((SELECT ' at ' || source FROM stack JOIN position
ON position.id = stack.position WHERE stack.id = datum.stack), '') || $2
WHEN 'file' THEN 'file ' || ifnull(datum.object, '?')
WHEN 'heap' THEN 'heap' WHEN 'stack' THEN 'stack'
|| ifnull((SELECT ' of ' || process || '/' || thread.thread FROM thread
WHERE thread.id = datum.thread), '')
WHEN 'anonymous' THEN 'anonymous' ELSE '[not known]' END

-- part far: a field, or how far into an object that is
ifnull(field, printf('+0x%llx', far))

-- part datum_far: the same, with what of it
{datum: || CASE WHEN far OR field IS NOT NULL THEN {far} ELSE '' END | {caller}}

-- part unknown: samples that are not known to be any access, behind all others
UNION ALL SELECT 1e18 + event, {shares: sum(num)},
NULL, NULL, $1 '[not known]', $2 text FROM hit JOIN sampled USING (event)
WHERE use IS NULL GROUP BY event ORDER BY 1

-- part kind_of_sharing: of a line
CASE WHEN shared AND falsely AND 10 * shared >= falsely
AND 10 * falsely >= shared THEN 'shared, false sharing'
WHEN shared > falsely THEN 'shared'
WHEN falsely THEN 'false sharing' ELSE '' END

-- part sharing: of all events together: one may count reads and another writes
-- Rows are numbered by line and moment. A cross join keeps that order.
{make} used AS SELECT line AS unit, core, thread, address & 63 AS place,
(use IN ('store', 'lock', 'stream') OR event IN
(SELECT id FROM event WHERE text LIKE '%HITM%')) AS writes
FROM hit WHERE core IS NOT NULL AND use IN
('load', 'fetch', 'walk', 'store', 'lock', 'stream') ORDER BY unit, moment;
{make} sharing AS SELECT unit, sum(is_same) AS shared,
sum(NOT is_same) AS falsely FROM (SELECT one.unit AS unit,
max(one.place = other.place) AS is_same
FROM used AS one CROSS JOIN used AS other
ON other.rowid BETWEEN one.rowid - 8 AND one.rowid - 1
AND +other.unit = one.unit
WHERE other.core <> one.core AND other.thread IS NOT one.thread
AND (one.writes OR other.writes) GROUP BY one.rowid) GROUP BY unit;

-- part one: of one of them; of those that are too many the rest is one row
CASE WHEN place <= ?3 THEN $1 END

-- view symbol, symbols: By symbol: whose access it was
-- columns: {columns} symbol:s object:s event:t
{costs} SELECT {sums}, {function} AS label,
ifnull(object, '') AS place, text FROM path {coded: path}
{grouped: path.position} LIMIT ?2

-- view stack, stacks: By stack: whose access it was, and who called
-- columns: {columns} event:t stack:s
{costs} {chains: path | } SELECT {sums}, sampled.text AS place,
{functions} || ifnull(callers, '') AS label FROM path {coded: path}
LEFT JOIN path_chain ON path_chain.stack = path.stack
GROUP BY label, place, event
ORDER BY sum(num) DESC, event, label LIMIT ?2

-- part file: of a position's source, with its folder
CASE WHEN source IS NULL THEN '[not known]' ELSE ifnull(folder || '/', '')
|| substr(source, 1, length(rtrim(source, '0123456789')) - 1) END

-- part number: and the line there
CAST(substr(source, length(rtrim(source, '0123456789')) + 1) AS INTEGER)

-- view -, places: What happened at lines of source
-- columns: samples:n events:n latency_ns:r event:n line:n file:t
{costs} SELECT sum(num), sum(num) * 1.0 * period, {latency} * 1e9, event,
{number} AS place, {file} AS fl FROM path {coded: path}
GROUP BY fl, place, event ORDER BY fl, place, event

-- view -, calls: Lines of functions, and what they call
-- Of a call that is in a stack twice a sample is counted once; those of a
-- function by itself are left out, or it would have more than happened.
-- columns: samples:n events:n event:n line:n object:t file:t symbol:t of_object:t of_file:t of_symbol:t
{costs} {make} placed AS SELECT *, min(id) OVER (PARTITION BY ob, fl, fn)
AS same FROM (SELECT id, ifnull(object, '[not known]') AS ob, {file} AS fl,
{function} AS fn, ifnull({number}, 0) AS line FROM position);
{make} link AS WITH RECURSIVE edge (number, callee, next, depth) AS
(SELECT rowid, position, stack, 0 FROM path
WHERE stack IS NOT NULL UNION ALL SELECT number, stack.position,
CASE WHEN caller < stack.id THEN caller END, depth + 1 FROM edge
JOIN stack ON stack.id = next WHERE depth < 64)
SELECT DISTINCT number, caller.line AS line, caller.same AS at,
callee.same AS into_ FROM edge JOIN stack ON stack.id = next
JOIN placed AS callee ON callee.id = edge.callee
JOIN placed AS caller ON caller.id = stack.position
WHERE caller.fn <> callee.fn;
SELECT sum(num), sum(num) * 1.0 * period, event, ifnull(line, 0) AS line,
ifnull(ob, '[not known]') AS ob, ifnull(fl, '[not known]') AS fl,
ifnull(fn, '[not known]') AS fn, '' AS to_ob, '' AS to_fl, '' AS to_fn
FROM path JOIN sampled USING (event) LEFT JOIN placed ON placed.id = position
GROUP BY ob, fl, fn, line, event
UNION ALL SELECT sum(num), sum(num) * 1.0 * period, event, link.line,
caller.ob, caller.fl, caller.fn, callee.ob, callee.fl, callee.fn
FROM link JOIN path ON path.rowid = number JOIN sampled USING (event)
JOIN placed AS caller ON caller.id = at JOIN placed AS callee
ON callee.id = into_ GROUP BY at, into_, link.line, event
ORDER BY ob, fl, fn, to_ob, to_fl, to_fn, line, event

-- view thread, threads: By thread: whose access it was
-- columns: {columns} thread:s name:s event:t
{costs} SELECT {sums}, ifnull({thread}, '[not known]') AS label,
ifnull(name, '') AS place, text FROM cost JOIN sampled USING (event)
LEFT JOIN thread ON thread.id = cost.thread {grouped: cost.thread}

-- view source, sources: By line of source: whose access it was
-- columns: {columns} source:s symbol:s object:s event:t
{costs} SELECT {sums}, ifnull(source, '[not known]') AS label,
{functions} AS place, ifnull(object, ''), text FROM path {coded: path}
GROUP BY label, place, object, event
ORDER BY sum(num) DESC, label, place, object, event LIMIT ?2

-- view node, nodes: By thread and node: whose accesses went to which memory
-- columns: {columns} remote:% sockets:n thread:s name:s event:t
{costs} {make} asked AS SELECT row_number() OVER (ORDER BY sum(num) DESC,
event, ifnull(thread, -1)) AS number, event, thread, sum(num) AS num,
count(DISTINCT on_socket) AS sockets, {remote: on_socket} AS remote,
{latency} AS mean, sum(answers) AS answers FROM cost GROUP BY event, thread;
SELECT number, {shares: num}, {waits: mean | answers}, remote,
sockets, ifnull({thread}, '[not known]'), ifnull(name, ''), text FROM asked
JOIN sampled USING (event) LEFT JOIN thread ON thread.id = asked.thread
WHERE number <= ?2 ORDER BY number
-- below homes: share:% samples:n latency_ns:r home:n remote:%
SELECT number, sum(cost.num) * 1.0 / asked.num, sum(cost.num),
sum(waited) * 1e9 / sum(waits), home, sum(cost.num * (home <> on_socket)) * 1.0
/ sum(cost.num * (home IS NOT NULL AND on_socket IS NOT NULL)) FROM cost
JOIN asked ON asked.event = cost.event AND asked.thread IS cost.thread
WHERE number <= ?2 GROUP BY number, home

-- view answer, answers: By answer: who had what was asked for
-- columns: {columns} answered:t event:t
{costs} SELECT {sums}, ifnull(answered, '[not known]') AS label, text
FROM cost JOIN sampled USING (event) GROUP BY label, event
ORDER BY sum(num) DESC, event, label

-- part label: and of what is fetched
CASE WHEN use = 'fetch' THEN '[code]' ELSE ifnull(label, '[not known]') END

-- part data: hits by what they were to; and which lines of it are shared
-- Sites whose callers have the same names are one, and so is all code: what is
-- fetched is no data.
{costs} {sharing} {chains: datum | {call}}
{make} named AS SELECT datum.id AS datum, objects, size,
{datum: | ifnull(callers, '')} AS label
FROM datum LEFT JOIN datum_chain ON datum_chain.stack = datum.stack;
{make} use AS SELECT cost.*, {label} AS label
FROM cost LEFT JOIN named USING (datum) WHERE use IS NOT NULL;
{make} split AS SELECT event, line, socket, thread, {far} AS at, sum(num) AS num,
min(far) AS far,
{label} AS label, {kind_of_sharing} AS word FROM hit
JOIN sharing ON unit = line LEFT JOIN named USING (datum)
WHERE use IS NOT NULL GROUP BY event, label, line, socket, thread, at;
{make} of AS SELECT row_number() OVER (ORDER BY sum(num) DESC, event,
min(ifnull(datum, -1))) AS number, event, label, {uses},
{remote: socket} AS remote, count(DISTINCT socket) AS sockets,
count(DISTINCT thread) AS threads FROM use GROUP BY event, label;

-- part turn_of: of places in the code, that one first where $1 waits longest
row_number() OVER (PARTITION BY event, label
ORDER BY total(CASE WHEN $1 THEN waited END) DESC,
sum(num) DESC, {function}, source)

-- view data, data: By data: what was accessed, and where it was allocated
-- Where a page lies is most often decided by who uses it first; waits_in is
-- where most of the time that accesses to it take goes, of data that is used
-- from afar the remote ones.
-- columns: {columns} loads:n stores:n locks:n remote:% threads:n sockets:n shared:n false:n objects:n bytes:n touched:t waits_in:s data:s event:t
{data} {make} waiter AS SELECT event, label,
{function} || ifnull(' at ' || source, '') AS name, {turn_of: 1} AS place,
{turn_of: home <> socket} AS away FROM use
JOIN position ON position.id = position GROUP BY event, label, name;
{make} touch AS SELECT * FROM (SELECT event, label, touch_thread,
touch_socket, row_number() OVER (PARTITION BY event, label
ORDER BY sum(num) DESC, touch_thread, touch_socket) AS place FROM use
WHERE touch_thread IS NOT NULL
GROUP BY event, label, touch_thread, touch_socket) WHERE place = 1;
WITH lines AS (SELECT event, label,
count(DISTINCT CASE WHEN word LIKE 'shared%' THEN line END) AS shared,
count(DISTINCT CASE WHEN word LIKE '%false%' THEN line END) AS falsely
FROM split GROUP BY event, label),
total AS (SELECT label, sum(objects) AS objects, sum(size) AS bytes FROM named
GROUP BY label)
SELECT number, {shares: num}, {waits: mean | answers}, loads, stores, locks, remote, threads, sockets,
ifnull(shared, 0), ifnull(falsely, 0), objects, bytes,
ifnull({thread} || ifnull(' on socket ' || touch_socket, ''), ''),
ifnull(waiter.name, ''), of.label, text FROM of JOIN sampled USING (event)
LEFT JOIN lines USING (event, label)
LEFT JOIN waiter ON waiter.event = of.event AND waiter.label = of.label
AND CASE WHEN remote >= 0.3 THEN away ELSE waiter.place END = 1
LEFT JOIN touch ON touch.event = of.event AND touch.label = of.label
LEFT JOIN thread ON thread.id = touch_thread
LEFT JOIN total ON total.label = of.label WHERE number <= ?2
{unknown: NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '', '', | }
-- below users: share:% samples:n latency_ns:r loads:n stores:n locks:n remote:% socket:n thread:s shared_at:t
WITH spot AS (SELECT number, socket, thread, at, row_number() OVER (PARTITION
BY number, socket, thread ORDER BY sum(split.num) DESC, min(far)) AS place FROM of
JOIN split USING (event, label) WHERE number <= ?2
GROUP BY number, socket, thread, at),
spots AS (SELECT number, socket, thread, group_concat(CASE WHEN place <= 8
THEN at WHEN place = 9 THEN '...' END, ' ') AS offsets
FROM spot WHERE place <= 9 GROUP BY number, socket, thread),
mine AS (SELECT number, of.num AS every, use.* FROM of
JOIN use USING (event, label) WHERE number <= ?2),
user AS (SELECT number, every, {uses}, {remote: socket} AS remote, socket,
thread, row_number() OVER (PARTITION BY number ORDER BY sum(num) DESC, socket,
thread) AS place FROM mine GROUP BY number, socket, thread)
SELECT user.number, num * 1.0 / every, num, mean * 1e9, loads, stores, locks, remote,
user.socket, {thread}, ifnull(offsets, '') FROM user
LEFT JOIN spots ON spots.number = user.number
AND spots.socket IS user.socket AND spots.thread IS user.thread
LEFT JOIN thread ON thread.id = user.thread
WHERE place <= ?3 ORDER BY user.number, place

-- view line, lines: By line of 64 bytes: whose access it was
-- columns: {columns} loads:n stores:n locks:n prefetches:n others:n cores:n sockets:n home:n address:t data:s sharing:t event:t
{found: 0 | line, event} {sharing}
SELECT number, {shares: num}, {waits: mean | answers}, loads, stores, locks,
prefetches, num - loads - stores - locks - prefetches, cores,
sockets, home, printf('0x%llx', address & ~(1 << 62) & ~63), {datum_far},
{kind_of_sharing}, text
FROM unit0 JOIN sampled USING (event) LEFT JOIN sharing USING (unit)
LEFT JOIN datum ON datum.id = datum WHERE number <= ?2
{unknown: NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, | NULL, NULL,}
-- below users: share:% samples:n latency_ns:r loads:n stores:n locks:n offset:t core:n socket:n thread:s symbol:s source:s data:s object:s
-- Accesses to a line that differ in nothing that is shown are one.
WITH mine AS (SELECT number, unit0.num AS every, hit.address, {function}
AS label, ifnull(object, '') AS object, ifnull(source, '')
AS source, core, socket, thread, hit.datum, hit.far, hit.field, use, hit.num, hit.waited,
waits, hit.answers FROM hit CROSS JOIN unit0 ON unit0.event = hit.event
AND unit = line AND use IS NOT NULL
LEFT JOIN position ON position.id = position WHERE number <= ?2),
user AS (SELECT number, every, address, label, object, source, core, socket,
thread, datum, far, field, min(ifnull(datum, -1)), {uses},
row_number() OVER (PARTITION BY number ORDER BY sum(num) DESC,
address, label, object, source, core, thread) AS place FROM mine
GROUP BY number, address, label, object, source, core, thread)
SELECT number, sum(num) * 1.0 / every, sum(num),
sum(mean * answers) * 1e9 / sum(CASE WHEN mean THEN answers END), sum(loads),
sum(stores), sum(locks), {one: printf('0x%x', address & 63)},
{one: core}, {one: socket}, {one: {thread}},
CASE WHEN place <= ?3 THEN label ELSE
printf('[%d more]', count(*)) END, {one: source},
{one: {datum_far}}, {one: user.object} FROM user
LEFT JOIN thread ON thread.id = user.thread
LEFT JOIN datum ON datum.id = datum
GROUP BY number, min(place, ?3 + 1)

-- view page, pages: By page of 4 KiB: whose access it was
-- It may have been several, one after the other.
-- columns: {columns} remote:% home:n sockets:n cores:n address:t data:s event:t
{found: 6 | event, line >> 6} {make} page AS SELECT event, unit, page, home, datum,
max(num) FROM (SELECT event, CAST(line >> 6 AS INTEGER) AS unit, datum, count(*) AS num,
address & ~4095 AS page, min(home) AS home FROM hit WHERE use IS NOT NULL
GROUP BY event, unit, datum, page) GROUP BY event, unit;
SELECT number, {shares: num}, {waits: mean | answers}, remote, page.home,
sockets, cores, printf('0x%llx', page), {datum: | {caller}}, text FROM unit6
JOIN page USING (event, unit) JOIN sampled USING (event)
LEFT JOIN datum ON datum.id = page.datum WHERE number <= ?2
{unknown: NULL, NULL, NULL, NULL, | NULL,}
-- below users: share:% samples:n latency_ns:r socket:n cores:n loads:n stores:n locks:n remote:%
WITH mine AS (SELECT number, unit6.num AS every, core, socket, use, hit.home,
hit.num, hit.waited, waits, hit.answers FROM hit CROSS JOIN unit6
ON unit6.event = hit.event AND unit = line >> 6 AND use IS NOT NULL
WHERE number <= ?2)
SELECT number, sum(num) * 1.0 / every, sum(num), {latency} * 1e9, socket,
count(DISTINCT core), sum(use = 'load'),
sum(use IN ('store', 'stream')), sum(use = 'lock'),
{remote: socket} FROM mine GROUP BY number, socket

-- view state, state: What boxes held when everything stopped
-- columns: box:t value:n kind:t name:t
SELECT printf('S%d %s%d', socket, box, instance), value, kind,
name FROM state AS sample WHERE {of_socket} ORDER BY id

-- view -, sums: Sums of all lines that belong together
-- columns: share:% samples:n events:n loads:n stores:n locks:n lines:n pages:n from:t to:t data:t event:t
{hits} WITH part AS (SELECT event, datum, line, {uses}, min(address) AS first,
max(address) AS last FROM hit WHERE use IS NOT NULL
GROUP BY event, datum, line)
SELECT {shares: sum(num)}, sum(loads), sum(stores), sum(locks),
count(DISTINCT line), count(DISTINCT line >> 6), printf('0x%llx', min(first)),
printf('0x%llx', max(last)), {datum: | {caller}} AS label, text
FROM part JOIN sampled USING (event)
LEFT JOIN datum ON datum.id = datum GROUP BY event, label
HAVING count(DISTINCT line) > 1
ORDER BY sum(num) DESC, label, event LIMIT ?2
