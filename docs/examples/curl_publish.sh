#!/usr/bin/env bash
# Publishes "this output can be fetched" over RabbitMQ's HTTP API: `curl_publish.sh ACCOUNT JOB KIND < link.txt`.
# Needs curl, python3, OUTLAST_MANAGEMENT_URL (http://HOST:15672), OUTLAST_VHOST, and OUTLAST_NETRC: a file of mode 600
# with the line `machine HOST login USER password PASSWORD`. The user needs the tag `management`.
# For trials and rare events: the answer says that a queue took the event, but not that it is written to disk.
set -euo pipefail

event=$(python3 -c '
import datetime, json, sys, uuid
account, job, kind = sys.argv[1:]
event = {"specversion": "1.0", "id": str(uuid.uuid4()), "source": "example/curl", "type": "outlast.output.ready",
         "time": datetime.datetime.now(datetime.timezone.utc).isoformat(),
         "data": {"provider": "acme", "job_id": job, "kind": kind, "url": sys.stdin.readline().strip()}}
properties = {"delivery_mode": 2, "content_type": "application/json", "message_id": event["id"]}
print(json.dumps({"routing_key": account + "." + event["type"], "properties": properties,
                  "payload": json.dumps(event), "payload_encoding": "string"}))' "$@")

# The body goes through standard input: arguments can be read by every user of the machine.
answer=$(curl --silent --show-error --fail --max-time 15 --netrc-file "$OUTLAST_NETRC" \
  --header 'Content-Type: application/json' --data-binary @- \
  "$OUTLAST_MANAGEMENT_URL/api/exchanges/$OUTLAST_VHOST/outlast.intake/publish" <<<"$event")

[ "$answer" = '{"routed":true}' ] || { echo "No queue takes the event: an administrator must run \`outlast migrate\`." >&2; exit 1; }
