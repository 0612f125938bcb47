CREATE TABLE run (id INTEGER PRIMARY KEY, started TEXT NOT NULL, plan TEXT NOT NULL);
CREATE TABLE environment (id TEXT PRIMARY KEY, fields TEXT NOT NULL);
CREATE TABLE sample (
    run INTEGER NOT NULL REFERENCES run, taken TEXT NOT NULL, environment TEXT NOT NULL,
    kernel TEXT NOT NULL, block TEXT, threads INTEGER NOT NULL,
    m INTEGER NOT NULL, n INTEGER NOT NULL, k INTEGER NOT NULL,
    outcome TEXT NOT NULL, times_ms TEXT NOT NULL, launches INTEGER NOT NULL, flops INTEGER NOT NULL,
    checked TEXT NOT NULL, error TEXT NOT NULL
);
CREATE INDEX sample_of_run ON sample (run);
INSERT INTO run VALUES (1, '2026-01-01T00:00:00', '{"points": [], "fill": "random(1)"}');
INSERT INTO sample VALUES (1, '2026-01-01T00:00:00', 'gone', 'matmul_tiled', '16,8,2', 0, 2, 3, 4,
    'measured', '[1.0, 2.0, 3.0]', 5, 48, 'every element', '');
PRAGMA user_version = 1;
