-- sweep_assets: whether a row owns each of some keys, in their order.
SELECT EXISTS (SELECT FROM assets a WHERE a.bucket = %(bucket)s AND a.key = o.key) AS is_owned
FROM unnest(%(keys)s::text[]) WITH ORDINALITY AS o (key, number)
ORDER BY o.number;
