-- SPDX-License-Identifier: BSD-3-Clause
-- Copyright (c) 2026 The uncore authors
--
-- A recording as tables that are one question each: what samples have in
-- common, and which data they were to. ?1 is the socket (-1: all), ?2 and ?3
-- how many rows there are at most, and rows below each. Of a view with rows
-- below others the first value is the number of the row that they belong to.
-- tools/gensql.py says how this is written, tool/table.h what columns are.
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

-- part sampled: events that samples were taken of, with the number of these
WITH RECURSIVE sampled AS (SELECT event.id AS event, text, period,
count(*) AS total FROM event JOIN sample ON sample.event = event.id
WHERE {of_socket} GROUP BY event.id)

-- part shares: the first three columns, of a number of samples
$1 * 1.0 / total, $1, $1 * 1.0 * period

-- part latency: of accesses that somebody waits for; in quick stretches there
-- is none, so it stands for all that have an answer
avg(CASE WHEN use <> 'prefetch' THEN latency END)

-- part answers: how many these are
count(CASE WHEN use <> 'prefetch' THEN answered END)

-- part waits: the next two columns: the mean, and the sum
$1 * 1e9, $1 * $2 * period * 1e3

-- part columns: these five
share:% samples:n events:n latency_ns:r wait_ms:r

-- part overflows: samples of them; equal texts are one group
FROM sample JOIN sampled USING (event)
LEFT JOIN access ON access.sample = sample.id

-- part grouped: and without a name there are no others to be equal to:
WHERE sample.kind = 'period' AND {of_socket}
GROUP BY label, place, event

-- part first: these come first
ORDER BY count(*) DESC, min(ifnull($1, -1)), event

-- part chains: all stacks that accesses or data have, with callers as a text
-- A recorder writes callers first, so there is no way round, and 16 of them at
-- most. $2 is put behind the innermost.
call (stack, next, text, depth) AS
(SELECT DISTINCT stack, stack, '', 0 FROM $1
WHERE stack IS NOT NULL UNION ALL
SELECT call.stack, CASE WHEN caller < stack.id THEN caller END,
text || ' < ' || {functions} $2, depth + 1 FROM call
JOIN stack ON stack.id = next
LEFT JOIN position ON position.id = stack.position
WHERE depth < 64),
chain AS (SELECT stack, text AS callers, max(depth)
FROM call GROUP BY stack)

-- part call: which call of the innermost, where the source does not say
|| CASE WHEN depth = 0 AND source IS NULL AND symbol IS NOT NULL
THEN printf('+0x%llx', position.offset) ELSE '' END

-- part uses: of accesses
count(*) AS num, sum(use = 'load') AS loads,
sum(use IN ('store', 'stream')) AS stores,
sum(use = 'lock') AS locks, {latency} AS mean, {answers} AS answers

-- part on_socket: of a core, where the number of cores is known
/ (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'cores')

-- part hits: the accesses of samples
-- Those of a unit, a line (2^0 lines) or a page (2^6), are a group; the groups
-- with most samples are numbered. The socket is that of the core which made
-- the access, where that is known.
{sampled}
, hit AS (SELECT event, sample.id AS moment, line >> $1
AS unit, use, address, home,
access.core AS core, datum, access.offset AS far, position, thread,
latency, answered,
touch_thread, touch_core {on_socket} AS touch_socket,
ifnull(access.core {on_socket}, socket) AS socket FROM sample
JOIN access ON access.sample = sample.id WHERE kind = 'period'
AND event IS NOT NULL AND {of_socket}),
found AS (SELECT row_number() OVER (ORDER BY count(*) DESC, $2)
AS number, event, unit, {uses},
sum(use = 'prefetch') AS prefetches, count(DISTINCT core) AS cores,
count(DISTINCT socket) AS sockets, avg(home <> socket) AS remote
FROM hit GROUP BY event, unit ORDER BY number LIMIT ?2)

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

-- part datum_far: the same, with how far into an object
{datum: || CASE far WHEN 0 THEN '' ELSE printf('+0x%llx', far) END | {caller}}

-- part unknown: samples that are not known to be any access, behind all others
UNION ALL SELECT 1e18 + event, {shares: count(*)},
NULL, NULL, $1 '[not known]', $2 text {overflows}
WHERE kind = 'period' AND {of_socket}
AND access.sample IS NULL GROUP BY event ORDER BY 1

-- part sharing: of all events together: one may count reads and another writes
-- A cross join keeps the order, in which there is one other row for each turn.
, used AS (SELECT unit, core, thread, address & 63 AS place,
(use IN ('store', 'lock', 'stream') OR event IN
(SELECT id FROM event WHERE text LIKE '%HITM%')) AS writes,
row_number() OVER (PARTITION BY unit ORDER BY moment) AS turn
FROM hit WHERE core IS NOT NULL AND use IN
('load', 'fetch', 'walk', 'store', 'lock', 'stream')),
back (turns) AS (VALUES (1), (2), (3), (4), (5), (6), (7), (8)),
handed AS (SELECT one.unit, max(one.place = other.place) AS is_same
FROM used AS one CROSS JOIN back CROSS JOIN used AS other
ON other.unit = one.unit AND other.turn = one.turn - turns
WHERE other.core <> one.core AND other.thread IS NOT one.thread
AND (one.writes OR other.writes) GROUP BY one.unit, one.turn),
sharing AS (SELECT unit, sum(is_same) AS shared,
sum(NOT is_same) AS falsely FROM handed GROUP BY unit)

-- part kind_of_sharing: of a line
CASE WHEN shared AND falsely AND 10 * shared >= falsely
AND 10 * falsely >= shared THEN 'shared, false sharing'
WHEN shared > falsely THEN 'shared'
WHEN falsely THEN 'false sharing' ELSE '' END

-- part users: accesses to a line that differ in nothing that is shown
, mine AS (SELECT number, found.num AS every, hit.address, {function}
AS label, ifnull(object, '') AS object, ifnull(source, '')
AS source, core, socket, thread, datum, far, use, latency, answered
FROM hit JOIN found USING (event, unit)
LEFT JOIN position ON position.id = position),
user AS (SELECT *, min(ifnull(datum, -1)), {uses},
row_number() OVER (PARTITION BY number ORDER BY count(*) DESC,
address, label, object, source, core, thread) AS place FROM mine
GROUP BY number, address, label, object, source, core, thread)

-- part one: of one of them; of those that are too many the rest is one row
CASE WHEN place <= ?3 THEN $1 END

-- view symbol, symbols: By symbol: whose access it was
-- columns: {columns} symbol:s object:s event:t
{sampled} SELECT {shares: count(*)}, {waits: {latency} | {answers}}, {function} AS label,
ifnull(object, '') AS place, text {overflows}
LEFT JOIN position ON position.id = sample.position
{grouped} {first: sample.position} LIMIT ?2

-- view stack, stacks: By stack: whose access it was, and who called
-- columns: {columns} event:t stack:s
{sampled}, {chains: access | } SELECT {shares: count(*)}, {waits: {latency} | {answers}}, sampled.text AS place,
{functions} || ifnull(callers, '') AS label {overflows}
LEFT JOIN position ON position.id = sample.position
LEFT JOIN chain ON chain.stack = access.stack {grouped}
ORDER BY count(*) DESC, event, label LIMIT ?2

-- part file: of a position's source, with its folder
CASE WHEN source IS NULL THEN '[not known]' ELSE ifnull(folder || '/', '')
|| substr(source, 1, length(rtrim(source, '0123456789')) - 1) END

-- part number: and the line there
CAST(substr(source, length(rtrim(source, '0123456789')) + 1) AS INTEGER)

-- view -, places: What happened at lines of source
-- columns: samples:n events:n latency_ns:r event:n line:n file:t
{sampled} SELECT count(*), count(*) * 1.0 * period, {latency} * 1e9, event,
{number} AS place, {file} AS fl {overflows}
LEFT JOIN position ON position.id = sample.position
WHERE kind = 'period' AND {of_socket} GROUP BY fl, place, event
ORDER BY fl, place, event

-- view -, calls: Lines of functions, and what they call
-- Of a call that is in a stack twice a sample is counted once; those of a
-- function by itself are left out, or it would have more than happened.
-- columns: samples:n events:n event:n line:n object:t file:t symbol:t of_object:t of_file:t of_symbol:t
{sampled}, placed AS (SELECT id, ifnull(object, '[not known]') AS ob, {file} AS fl,
{function} AS fn, ifnull({number}, 0) AS line FROM position),
cost AS (SELECT row_number() OVER () AS number, event, period,
sample.position AS at, access.stack AS stack, count(*) AS num {overflows}
WHERE kind = 'period' AND {of_socket} GROUP BY event, at, access.stack),
edge (number, callee, next, depth) AS (SELECT number, at, stack, 0 FROM cost
WHERE stack IS NOT NULL UNION ALL SELECT number, stack.position,
CASE WHEN caller < stack.id THEN caller END, depth + 1 FROM edge
JOIN stack ON stack.id = next WHERE depth < 64),
link AS (SELECT DISTINCT number, caller.line AS line, caller.ob AS ob,
caller.fl AS fl, caller.fn AS fn, callee.ob AS to_ob, callee.fl AS to_fl,
callee.fn AS to_fn FROM edge JOIN stack ON stack.id = next
JOIN placed AS callee ON callee.id = edge.callee
JOIN placed AS caller ON caller.id = stack.position
WHERE caller.fn <> callee.fn)
SELECT sum(num), sum(num) * 1.0 * period, event, ifnull(line, 0) AS line,
ifnull(ob, '[not known]') AS ob, ifnull(fl, '[not known]') AS fl,
ifnull(fn, '[not known]') AS fn, '' AS to_ob, '' AS to_fl, '' AS to_fn FROM cost
LEFT JOIN placed ON placed.id = at GROUP BY ob, fl, fn, line, event
UNION ALL SELECT sum(num), sum(num) * 1.0 * period, event, line, ob, fl, fn,
to_ob, to_fl, to_fn FROM link JOIN cost USING (number)
GROUP BY ob, fl, fn, to_ob, to_fl, to_fn, line, event
ORDER BY ob, fl, fn, to_ob, to_fl, to_fn, line, event

-- view thread, threads: By thread: whose access it was
-- columns: {columns} thread:s name:s event:t
{sampled} SELECT {shares: count(*)}, {waits: {latency} | {answers}}, ifnull({thread}, '[not known]') AS label,
ifnull(name, '') AS place, text {overflows}
LEFT JOIN thread ON thread.id = sample.thread
{grouped} {first: sample.thread}

-- view source, sources: By line of source: whose access it was
-- columns: {columns} source:s symbol:s object:s event:t
{sampled} SELECT {shares: count(*)}, {waits: {latency} | {answers}}, ifnull(source, '[not known]') AS label,
{functions} AS place, ifnull(object, ''), text {overflows}
LEFT JOIN position ON position.id = sample.position
WHERE sample.kind = 'period' AND {of_socket}
GROUP BY label, place, object, event
ORDER BY count(*) DESC, label, place, object, event LIMIT ?2

-- part ask: samples of a period with their access
, ask AS (SELECT event, thread, use, home, latency, answered,
access.core {on_socket} AS socket {overflows}
WHERE kind = 'period' AND {of_socket}),
found AS (SELECT row_number() OVER (ORDER BY count(*) DESC, event,
ifnull(thread, -1)) AS number, event, thread, count(*) AS num,
count(DISTINCT socket) AS sockets, avg(home <> socket) AS remote,
{latency} AS mean, {answers} AS answers FROM ask GROUP BY event, thread
ORDER BY number LIMIT ?2)

-- view node, nodes: By thread and node: whose accesses went to which memory
-- columns: {columns} remote:% sockets:n thread:s name:s event:t
{sampled} {ask} SELECT number, {shares: num}, {waits: mean | answers}, remote,
sockets, ifnull({thread}, '[not known]'), ifnull(name, ''), text FROM found
JOIN sampled USING (event) LEFT JOIN thread ON thread.id = found.thread
ORDER BY number
-- below homes: share:% samples:n latency_ns:r home:n remote:%
{sampled} {ask} SELECT number, count(*) * 1.0 / num, count(*), {latency} * 1e9 AS ns,
home, avg(home <> ask.socket) FROM ask JOIN found
ON found.event = ask.event AND found.thread IS ask.thread
GROUP BY number, home

-- view answer, answers: By answer: who had what was asked for
-- columns: {columns} answered:t event:t
{sampled} SELECT {shares: count(*)}, {waits: {latency} | {answers}},
ifnull(answered, '[not known]') AS label, text AS place {overflows}
{grouped} ORDER BY count(*) DESC, event, label

-- part data: hits by what they were to; and which lines of it are shared
-- Sites whose callers have the same names are one.
{hits: 0 | unit, event} {sharing}, {chains: datum | {call}},
kind (unit, word) AS (SELECT unit, {kind_of_sharing} FROM sharing),
named AS (SELECT datum.id AS datum, objects, size,
{datum: | ifnull(callers, '')} AS label
FROM datum LEFT JOIN chain ON chain.stack = datum.stack),
use AS (SELECT hit.*, ifnull(label, '[not known]') AS label, word FROM hit
LEFT JOIN named USING (datum) LEFT JOIN kind USING (unit)),
of AS (SELECT row_number() OVER (ORDER BY count(*) DESC, event,
min(ifnull(datum, -1))) AS number, event, label, {uses},
avg(home <> socket) AS remote, count(DISTINCT socket) AS sockets,
count(DISTINCT thread) AS threads,
count(DISTINCT CASE WHEN word LIKE 'shared%' THEN unit END) AS shared,
count(DISTINCT CASE WHEN word LIKE '%false%' THEN unit END) AS falsely
FROM use GROUP BY event, label ORDER BY number LIMIT ?2)

-- part turn_of: of places in the code, that one first where $1 waits longest
row_number() OVER (PARTITION BY event, label
ORDER BY total(CASE WHEN use <> 'prefetch' AND $1 THEN latency END) DESC,
count(*) DESC, {function}, source)

-- view data, data: By data: what was accessed, and where it was allocated
-- Where a page lies is most often decided by who uses it first; waits_in is
-- where most of the time that accesses to it take goes, of data that is used
-- from afar the remote ones.
-- columns: {columns} loads:n stores:n locks:n remote:% threads:n sockets:n shared:n false:n objects:n bytes:n touched:t waits_in:s data:s event:t
{data}, spot AS (SELECT event, label,
{function} || ifnull(' at ' || source, '') AS name, {turn_of: 1} AS place,
{turn_of: home <> socket} AS away FROM use JOIN position ON position.id = position
GROUP BY event, label, name),
touch AS (SELECT event, label, touch_thread, touch_socket,
row_number() OVER (PARTITION BY event, label
ORDER BY count(*) DESC, touch_thread, touch_socket) AS place FROM use
WHERE touch_thread IS NOT NULL
GROUP BY event, label, touch_thread, touch_socket),
total AS (SELECT label, sum(objects) AS objects, sum(size) AS bytes FROM named
GROUP BY label)
SELECT number, {shares: num}, {waits: mean | answers}, loads, stores, locks, remote, threads, sockets,
shared, falsely, objects, bytes,
ifnull({thread} || ifnull(' on socket ' || touch_socket, ''), ''),
ifnull(spot.name, ''), of.label, text FROM of JOIN sampled USING (event)
LEFT JOIN spot ON spot.event = of.event AND spot.label = of.label
AND CASE WHEN remote >= 0.3 THEN spot.away ELSE spot.place END = 1
LEFT JOIN touch ON touch.event = of.event AND touch.label = of.label
AND touch.place = 1 LEFT JOIN thread ON thread.id = touch_thread
LEFT JOIN total ON total.label = of.label
{unknown: NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '', '', | }
-- below users: share:% samples:n latency_ns:r loads:n stores:n locks:n remote:% socket:n thread:s shared_at:t
{data}, mine AS (SELECT number, num AS every, use.* FROM of
JOIN use ON use.event = of.event AND use.label = of.label),
spot AS (SELECT number, socket, thread, far, row_number() OVER (PARTITION BY
number, socket, thread ORDER BY count(*) DESC, far) AS place FROM mine
WHERE word <> '' GROUP BY number, socket, thread, far),
spots AS (SELECT number, socket, thread, group_concat(CASE WHEN place <= 8
THEN printf('+0x%llx', far) WHEN place = 9 THEN '...' END, ' ') AS offsets
FROM spot GROUP BY number, socket, thread),
user AS (SELECT number, every, {uses}, avg(home <> socket) AS remote, socket,
thread, row_number() OVER (PARTITION BY number ORDER BY count(*) DESC, socket,
thread) AS place FROM mine GROUP BY number, socket, thread)
SELECT user.number, num * 1.0 / every, num, mean * 1e9, loads, stores, locks, remote,
user.socket, {thread}, ifnull(offsets, '') FROM user
LEFT JOIN spots ON spots.number = user.number
AND spots.socket IS user.socket AND spots.thread IS user.thread
LEFT JOIN thread ON thread.id = user.thread
WHERE place <= ?3 ORDER BY user.number, place

-- view line, lines: By line of 64 bytes: whose access it was
-- columns: {columns} loads:n stores:n locks:n prefetches:n others:n cores:n sockets:n home:n address:t data:s sharing:t event:t
{hits: 0 | unit, event} {sharing}, first AS (SELECT event, unit, min(address)
AS address, home, datum, far FROM hit GROUP BY event, unit)
SELECT number, {shares: num}, {waits: mean | answers}, loads, stores, locks,
prefetches, num - loads - stores - locks - prefetches, cores,
sockets, home, printf('0x%llx', address & ~63), {datum_far},
{kind_of_sharing}, text
FROM found JOIN first USING (event, unit)
JOIN sampled USING (event) LEFT JOIN sharing USING (unit)
LEFT JOIN datum ON datum.id = datum
{unknown: NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, | NULL, NULL,}
-- below users: share:% samples:n latency_ns:r loads:n stores:n locks:n offset:t core:n socket:n thread:s symbol:s source:s data:s object:s
{hits: 0 | unit, event} {users}
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
{hits: 6 | event, unit}, part AS (SELECT event, unit, datum, count(*) AS num,
address & ~4095 AS page, min(home) AS home FROM hit
GROUP BY event, unit, datum, page), first AS (SELECT event,
unit, page, home, datum, max(num) FROM part
GROUP BY event, unit)
SELECT number, {shares: num}, {waits: mean | answers}, remote, home, sockets,
cores, printf('0x%llx', page), {datum: | {caller}}, text FROM found
JOIN first USING (event, unit)
JOIN sampled USING (event)
LEFT JOIN datum ON datum.id = datum
{unknown: NULL, NULL, NULL, NULL, | NULL,}
-- below users: share:% samples:n latency_ns:r socket:n cores:n loads:n stores:n locks:n remote:%
{hits: 6 | event, unit}, mine AS (SELECT number, found.num AS every, hit.*
FROM hit JOIN found USING (event, unit))
SELECT number, count(*) * 1.0 / every, count(*), {latency} * 1e9, socket,
count(DISTINCT core), sum(use = 'load'),
sum(use IN ('store', 'stream')), sum(use = 'lock'),
avg(home <> socket) FROM mine GROUP BY number, socket

-- view state, state: What boxes held when everything stopped
-- columns: box:t value:n kind:t name:t
SELECT printf('S%d %s%d', socket, box, instance), value, kind,
name FROM state AS sample WHERE {of_socket} ORDER BY id

-- view -, sums: Sums of all lines that belong together
-- columns: share:% samples:n events:n loads:n stores:n locks:n lines:n pages:n from:t to:t data:t event:t
{hits: 0 | unit, event} SELECT {shares: count(*)}, sum(use = 'load'),
sum(use IN ('store', 'stream')), sum(use = 'lock'),
count(DISTINCT unit), count(DISTINCT unit >> 6),
printf('0x%llx', min(address)),
printf('0x%llx', max(address)), {datum: | {caller}} AS label, text
FROM hit JOIN sampled USING (event)
LEFT JOIN datum ON datum.id = datum GROUP BY event, label
HAVING count(DISTINCT unit) > 1
ORDER BY count(*) DESC, label, event LIMIT ?2
