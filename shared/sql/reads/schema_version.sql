-- schema_version: the migration that the database stands at.
SELECT version_num FROM alembic_version;
