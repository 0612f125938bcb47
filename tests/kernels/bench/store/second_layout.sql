CREATE TABLE run (id INTEGER PRIMARY KEY, started TEXT NOT NULL, plan TEXT NOT NULL,
    purpose TEXT NOT NULL DEFAULT '');
CREATE TABLE environment (id TEXT PRIMARY KEY, fields TEXT NOT NULL);
CREATE TABLE sample (
    run INTEGER NOT NULL REFERENCES run, taken TEXT NOT NULL, environment TEXT NOT NULL,
    kernel TEXT NOT NULL, block TEXT, threads INTEGER NOT NULL,
    m INTEGER NOT NULL, n INTEGER NOT NULL, k INTEGER NOT NULL,
    outcome TEXT NOT NULL, times_ms TEXT NOT NULL, launches INTEGER NOT NULL, flops INTEGER NOT NULL,
    checked TEXT NOT NULL, error TEXT NOT NULL, memory TEXT NOT NULL DEFAULT 'device',
    parts_ms TEXT NOT NULL DEFAULT '{}', checks TEXT NOT NULL DEFAULT 'null'
);
CREATE INDEX sample_of_run ON sample (run);
INSERT INTO run VALUES (1, '2026-01-01T00:00:00', '{"points": [{}, {}, {}]}', 'ladder quick');
INSERT INTO sample VALUES (1, '2026-01-01T00:00:00', 'gone', 'matmul_tiled', '16,8,2', 0, 2, 3, 4,
    'measured', '[1.0, 2.0, 3.0]', 5, 48, 'every element', '', 'device', '{}', 'null');
INSERT INTO sample VALUES (1, '', '', 'matmul_naive', '8,8', 0, 2, 2, 2, 'measured', '[3.5, 3.75]', 1, 16,
    '', '', 'pinned', '{"kernel": [2.0, 2.0], "to_host": [1.5, 1.75]}', 'null');
PRAGMA user_version = 2;
