-- Schema 1. docs/cache-format.md says what every column means; names end in their unit.

CREATE TABLE run (
  run_id          TEXT    NOT NULL PRIMARY KEY,
  started_unix_us INTEGER NOT NULL,
  ended_unix_us   INTEGER,
  kernel          TEXT    NOT NULL,
  strategy        TEXT    NOT NULL,
  seed            INTEGER NOT NULL,
  command         TEXT    NOT NULL,
  host            TEXT    NOT NULL,
  version         TEXT    NOT NULL,
  outcome         TEXT    NOT NULL,
  device          TEXT    NOT NULL,
  spec            TEXT    NOT NULL
) STRICT;

-- The texts that many rows share. The id is local to the file; the texts are the identity.
CREATE TABLE context (
  id           INTEGER NOT NULL PRIMARY KEY,
  kernel       TEXT    NOT NULL,
  device_class TEXT    NOT NULL,
  dims         TEXT    NOT NULL,
  code_digest  TEXT    NOT NULL,
  toolchain    TEXT    NOT NULL,
  policy       TEXT    NOT NULL,
  UNIQUE (kernel, device_class, dims, code_digest, toolchain, policy)
) STRICT;

-- Long columns last: SQLite then need not follow a row's overflow pages to read the short ones.
CREATE TABLE evaluation (
  id               BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 32),
  context          INTEGER NOT NULL REFERENCES context (id),
  config           TEXT    NOT NULL,
  status           TEXT    NOT NULL CHECK (status IN ('measured', 'slower', 'rejected')),
  median_ns        REAL    NOT NULL CHECK (median_ns >= 0),
  started_unix_us  INTEGER NOT NULL,
  wall_us          INTEGER NOT NULL,
  run_id           TEXT    NOT NULL,
  reason           TEXT    NOT NULL,
  verified         TEXT    NOT NULL CHECK (verified IN ('reference', 'against_default', 'recorded', 'no')),
  proven           INTEGER NOT NULL CHECK (proven IN (0, 1)),
  reference_digest TEXT    NOT NULL,
  row_check        INTEGER NOT NULL,
  verification     TEXT    NOT NULL,
  message          TEXT    NOT NULL,
  facts            TEXT    NOT NULL,
  compile          TEXT    NOT NULL,
  samples_ns       BLOB    NOT NULL CHECK (length(samples_ns) % 8 = 0),
  UNIQUE (context, config),
  CHECK (verified = 'no' OR status <> 'rejected'),
  CHECK (proven = 0 OR verified <> 'no')
) STRICT;

-- Evaluations in flight. What is left here when a run is dead was running when it died.
CREATE TABLE started (
  id              BLOB    NOT NULL CHECK (length(id) = 32),
  run_id          TEXT    NOT NULL,
  context         INTEGER NOT NULL REFERENCES context (id),
  config          TEXT    NOT NULL,
  started_unix_us INTEGER NOT NULL,
  PRIMARY KEY (id, run_id)
) STRICT, WITHOUT ROWID;

-- Winners. The newest of each (context, space_digest, reference_digest) is current, the others are history.
CREATE TABLE final (
  id               BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 32),
  context          INTEGER NOT NULL REFERENCES context (id),
  space_digest     TEXT    NOT NULL,
  reference_digest TEXT    NOT NULL,
  finished_unix_us INTEGER NOT NULL,
  other_dims       TEXT    NOT NULL,
  batch_dim        TEXT    NOT NULL,
  batch            INTEGER NOT NULL CHECK (batch >= 1),
  config           TEXT    NOT NULL,
  default_config   TEXT    NOT NULL,
  time_ns          REAL    NOT NULL CHECK (time_ns >= 0),
  default_time_ns  REAL    NOT NULL CHECK (default_time_ns >= 0),
  speedup          REAL    NOT NULL CHECK (speedup >= 0),
  speedup_low      REAL    NOT NULL CHECK (speedup_low >= 0),
  speedup_high     REAL    NOT NULL CHECK (speedup_high >= 0),
  verified         TEXT    NOT NULL CHECK (verified IN ('reference', 'against_default', 'recorded')),
  unresolved       INTEGER NOT NULL CHECK (unresolved IN (0, 1)),
  run_id           TEXT    NOT NULL,
  served_check     INTEGER NOT NULL,
  verification     TEXT    NOT NULL,
  details          TEXT    NOT NULL
) STRICT;
CREATE INDEX final_by_identity ON final (context, space_digest, reference_digest, finished_unix_us, id);

-- Configurations that could not be told from a winner, best first.
CREATE TABLE final_tie (
  final_id BLOB    NOT NULL REFERENCES final (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  config   TEXT    NOT NULL,
  PRIMARY KEY (final_id, position)
) STRICT, WITHOUT ROWID;

-- A winner rests on a proven evaluation of its configuration, whoever writes it, and falls with it. kerntune itself
-- runs with triggers off and does the same in code: these are for every other program.
CREATE TRIGGER final_needs_proof BEFORE INSERT ON final
WHEN NOT EXISTS (
  SELECT 1 FROM evaluation AS e WHERE e.context = NEW.context AND e.config = NEW.config AND e.proven = 1
  AND e.verified = NEW.verified AND e.reference_digest = NEW.reference_digest)
BEGIN
  SELECT RAISE(ABORT, 'a winner needs an evaluation of its configuration that passed the whole verification');
END;
CREATE TRIGGER final_never_changes BEFORE UPDATE ON final
BEGIN
  SELECT RAISE(ABORT, 'winners are never changed, only added');
END;
CREATE TRIGGER evaluation_withdraws_winner AFTER UPDATE ON evaluation WHEN NEW.proven = 0 AND OLD.proven = 1
BEGIN
  DELETE FROM final_tie WHERE final_id IN (SELECT id FROM final WHERE context = OLD.context AND config = OLD.config);
  DELETE FROM final WHERE context = OLD.context AND config = OLD.config;
END;
CREATE TRIGGER evaluation_takes_winner AFTER DELETE ON evaluation WHEN OLD.proven = 1
BEGIN
  DELETE FROM final_tie WHERE final_id IN (SELECT id FROM final WHERE context = OLD.context AND config = OLD.config);
  DELETE FROM final WHERE context = OLD.context AND config = OLD.config;
END;
