#!/bin/sh
# Loads this folder into an org that has the metadata of `export --metadata`. Usage: sh load.sh ORG [PROFILE]
set -eu
cd "$(dirname "$0")"
org=${1:?name the org, as in: sh load.sh my-scratch-org}
profile=${2:-Standard User}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
found() {
    answer=$(sf data query --target-org "$org" --result-format csv --query "$1" | sed -n 2p)
    [ -n "$answer" ] || { echo "load.sh: the org has nothing for: $1" >&2; exit 1; }
    echo "$answer"
}
insert() { sf data import bulk --target-org "$org" --line-ending LF --wait 60 --sobject "$1" --file "$2"; }
upsert() { sf data upsert bulk --target-org "$org" --line-ending LF --wait 60 --sobject "$1" --file "$2" --external-id Synth_Id__c; }
