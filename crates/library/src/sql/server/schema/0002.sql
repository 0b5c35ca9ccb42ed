-- The version of how its file was read. Without it an earlier one.
ALTER TABLE undertone.track ADD COLUMN reading_version BIGINT;
