-- What a source said that its bytes are, and two more kinds of output: text, and whatever is none of the others.

ALTER TABLE tasks
    ADD COLUMN declared_type text CHECK (declared_type ~ '^[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*$' AND length(declared_type) <= 100),
    DROP CONSTRAINT tasks_promised_kind_check,
    ADD CONSTRAINT tasks_promised_kind_check
        CHECK (promised_kind IN ('video', 'image', 'audio', 'pdf', 'archive', 'text', 'other')),
    DROP CONSTRAINT tasks_kind_check,
    ADD CONSTRAINT tasks_kind_check CHECK (kind IN ('video', 'image', 'audio', 'pdf', 'archive', 'text', 'other'));
COMMENT ON COLUMN tasks.declared_type IS 'Type and subtype that the source gave for the staged bytes, in lower case; only compared, never believed.';

GRANT UPDATE (declared_type) ON tasks TO outlast_downloader;
