-- redelivery_ended: forgets a redelivered body whose handling came to its end.
DELETE FROM redeliveries WHERE body_sha256 = %(body_sha256)s;
