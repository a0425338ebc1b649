#!/bin/sh
# Makes what a cluster needs so that nobody else gets in: an authority of its own, and a key with certificate for each role.
# usage: cluster/certificates.sh FOLDER [DAYS]
# Copy to a machine only the folder of its role: FOLDER/scheduler, FOLDER/worker or FOLDER/client. FOLDER/authority stays with you.
set -eu
[ $# -ge 1 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
command -v openssl >/dev/null || { echo "certificates.sh: openssl is not installed" >&2; exit 2; }
umask 077
days=${2:-365}
mkdir -p "$1/authority"
cd "$1"
[ ! -e authority/key.pem ] || { echo "certificates.sh: $1 has an authority already; take another folder" >&2; exit 2; }
curve="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
openssl req -x509 $curve -keyout authority/key.pem -out authority/ca.pem -days "$days" -subj "/CN=course cluster authority" \
    -addext keyUsage=critical,keyCertSign,cRLSign 2>/dev/null
for role in scheduler worker client; do
    mkdir "$role"
    cp authority/ca.pem "$role/ca.pem"
    usage=serverAuth,clientAuth
    [ "$role" != client ] || usage=clientAuth  # a client's key shall not pass for a scheduler's
    printf '%s\n' basicConstraints=CA:FALSE keyUsage=critical,digitalSignature "extendedKeyUsage=$usage" \
        subjectKeyIdentifier=hash authorityKeyIdentifier=keyid >"$role/extensions"
    openssl req $curve -keyout "$role/key.pem" -out "$role/request.pem" -subj "/CN=course cluster $role" 2>/dev/null
    openssl x509 -req -in "$role/request.pem" -CA authority/ca.pem -CAkey authority/key.pem -CAcreateserial \
        -extfile "$role/extensions" -out "$role/cert.pem" -days "$days" 2>/dev/null
    rm "$role/request.pem" "$role/extensions"
done
echo "made $(pwd): authority, scheduler, worker, client; valid for $days days"
