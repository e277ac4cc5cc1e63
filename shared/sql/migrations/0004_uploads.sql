-- The store's id of a claim's multipart upload, so that what a killed worker left behind can be named and aborted.

ALTER TABLE claims ADD COLUMN upload_id text;
COMMENT ON COLUMN claims.upload_id IS 'The multipart upload of the claim''s staging object, from its first part on.';

GRANT UPDATE (upload_id) ON claims TO outlast_downloader;
