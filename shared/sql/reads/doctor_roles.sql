-- doctor_roles: which of our roles are there, and which pass by every grant.
SELECT wanted.role, found.rolname IS NOT NULL AS there, coalesce(found.rolsuper, false) AS mighty
FROM unnest(%(roles)s::text[]) AS wanted(role)
LEFT JOIN pg_roles AS found ON found.rolname = wanted.role
ORDER BY wanted.role;
