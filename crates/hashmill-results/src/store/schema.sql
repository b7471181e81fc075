PRAGMA application_id = 1752000876;

CREATE TABLE run (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB NOT NULL UNIQUE,
  format INTEGER NOT NULL,
  tag TEXT,
  started TEXT NOT NULL,
  command TEXT NOT NULL,
  version TEXT NOT NULL,
  cpu TEXT NOT NULL,
  cpus INTEGER NOT NULL,
  arch TEXT NOT NULL,
  os TEXT NOT NULL,
  machine TEXT NOT NULL,
  weather TEXT NOT NULL,
  interrupted INTEGER NOT NULL,
  warnings TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT;

CREATE TABLE series (
  run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  what TEXT NOT NULL,
  "by" TEXT NOT NULL,
  version TEXT NOT NULL,
  kernel TEXT NOT NULL,
  mode TEXT NOT NULL,
  bytes INTEGER,
  parameters TEXT NOT NULL,
  unit TEXT NOT NULL,
  subtracted_ns REAL NOT NULL,
  count INTEGER NOT NULL,
  samples BLOB NOT NULL,
  PRIMARY KEY (run, position)
) STRICT;

CREATE TABLE pairing (
  run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  a INTEGER NOT NULL,
  b INTEGER NOT NULL,
  count INTEGER NOT NULL,
  ratios BLOB NOT NULL,
  PRIMARY KEY (run, position)
) STRICT;

CREATE INDEX series_what ON series (what);
