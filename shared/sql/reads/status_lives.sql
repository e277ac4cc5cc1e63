-- status_lives: the providers with the shortest lives of links seen so far, and what was usual there in 24 hours.
SELECT provider, shortest_seconds, seen_at, usual_short_life(provider) AS usual_short_seconds
FROM public_lives ORDER BY shortest_seconds LIMIT %(limit)s;
