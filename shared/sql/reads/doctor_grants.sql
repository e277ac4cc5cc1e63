-- doctor_grants: who may read links, make assets and read the views, beside who should.
SELECT wanted.role, wanted.privilege, wanted.relation, wanted.should,
       has_table_privilege(found.oid, to_regclass(wanted.relation), wanted.privilege) AS has
FROM (VALUES ('outlast_ingest', 'INSERT', 'sources', true),
             ('outlast_ingest', 'SELECT', 'sources', false),
             ('outlast_downloader', 'SELECT', 'sources', true),
             ('outlast_verifier', 'SELECT', 'sources', false),
             ('outlast_promoter', 'SELECT', 'sources', false),
             ('outlast_operator', 'SELECT', 'sources', false),
             ('outlast_reader', 'SELECT', 'sources', false),
             ('outlast_ingest', 'INSERT', 'tasks', true),
             ('outlast_downloader', 'INSERT', 'assets', false),
             ('outlast_verifier', 'INSERT', 'assets', false),
             ('outlast_promoter', 'INSERT', 'assets', true),
             ('outlast_reader', 'SELECT', 'tasks', false),
             ('outlast_reader', 'SELECT', 'public_tasks', true)) AS wanted(role, privilege, relation, should)
JOIN pg_roles AS found ON found.rolname = wanted.role
WHERE to_regclass(wanted.relation) IS NOT NULL;
