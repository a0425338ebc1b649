#!/bin/sh
# Runs one part of the cluster with the keys of its role, or a command as a client.
# usage: cluster/run.sh scheduler KEYS [OPTIONS of dask scheduler]
#        cluster/run.sh worker KEYS tls://HOST:8786 [OPTIONS of dask worker]
#        cluster/run.sh client KEYS COMMAND...
# KEYS is the folder that cluster/certificates.sh made for the role. DASK names the program (default: dask).
set -eu
[ $# -ge 2 ] || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
role=$1
keys=$(cd "$2" && pwd)
shift 2
[ -r "$keys/key.pem" ] || { echo "run.sh: no readable key.pem in $keys; cluster/certificates.sh makes one" >&2; exit 2; }
export DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION=true
export DASK_DISTRIBUTED__COMM__TLS__CA_FILE="$keys/ca.pem"
prefix=DASK_DISTRIBUTED__COMM__TLS__$(echo "$role" | tr a-z A-Z)
export "${prefix}__CERT=$keys/cert.pem" "${prefix}__KEY=$keys/key.pem"
export DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES=1  # a job that two workers died of is given up
export DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL=60s      # a worker that is silent for so long is gone, and its jobs go to others
case $role in
scheduler) exec "${DASK:-dask}" scheduler --protocol tls --no-dashboard --dashboard-address 127.0.0.1:0 "$@" ;;
worker)  # ends when its scheduler does: then it is started again, until somebody ends this script
    trap 'kill "$child" 2>/dev/null; wait "$child"; exit 0' TERM INT
    while :; do
        "${DASK:-dask}" worker --protocol tls --no-dashboard --dashboard-address 127.0.0.1:0 --nthreads 1 \
            --preload autograder.grading.cluster "$@" &  # imported before the first job: who imports for a minute would be taken for dead
        child=$!
        code=0
        wait "$child" || code=$?
        [ "$code" -ne 2 ] || exit 2  # wrong options stay wrong
        echo "run.sh: the worker ended with $code; it is started again" >&2
        sleep 2
    done ;;
client) exec "$@" ;;
*) echo "run.sh: the role is scheduler, worker or client, not $role" >&2; exit 2 ;;
esac
