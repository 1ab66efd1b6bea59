#!/bin/sh
# Loads this folder into an org that has the metadata of `export --metadata`. Usage: sh load.sh ORG [PROFILE]
# Goes on where it stopped: the file beside this folder, <folder>.loaded-<org>.txt, says what is loaded. Delete it to begin again.
set -eu
cd "$(dirname "$0")"
org=${1:?name the org, as in: sh load.sh my-scratch-org}
profile=${2:-Standard User}
state="$(pwd).loaded-$(printf %s "$org" | tr -c 'A-Za-z0-9@._-' _).txt"
touch "$state"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
found() {
    answer=$(sf data query --target-org "$org" --result-format csv --query "$1" | sed -n 2p)
    [ -n "$answer" ] || { echo "load.sh: the org has nothing for: $1" >&2; exit 1; }
    echo "$answer"
}
noted() { grep -qxF -- "$1" "$state"; }
note() { printf '%s\n' "$1" >> "$state"; }
# A file is known by its content, too: one that was exported anew is loaded again.
name_of() { printf '%s %s\n' "$(cksum < "$1" | tr ' ' -)" "$(basename "$1")"; }
insert() {
    file="$(name_of "$2")"
    if noted "loaded $file"; then echo "load.sh: $(basename "$2") is loaded already" >&2; return 0; fi
    if noted "began $file"; then
        # Nobody knows which rows the org took: by their external id none is doubled.
        upsert_file "$1" "$2" || return
    else
        note "began $file"
        insert_file "$1" "$2" || return
    fi
    note "loaded $file"
}
# For what takes no external id: a field of its own is unique, so the org refuses the rows that it has already and takes the others.
insert_unique() {
    file="$(name_of "$2")"
    if noted "loaded $file"; then echo "load.sh: $(basename "$2") is loaded already" >&2; return 0; fi
    if noted "began $file"; then
        insert_file "$1" "$2" || {
            echo "load.sh: $(basename "$2") broke off before; rows that were refused as duplicates of $3 are loaded; going on" >&2
            return 0
        }
    else
        note "began $file"
        insert_file "$1" "$2" || return
    fi
    note "loaded $file"
}
insert_file() { sf data import bulk --target-org "$org" --line-ending LF --wait 60 --sobject "$1" --file "$2"; }
upsert_file() { sf data upsert bulk --target-org "$org" --line-ending LF --wait 60 --sobject "$1" --file "$2" --external-id Synth_Id__c; }
upsert() {
    file="$(name_of "$2")"
    if noted "loaded $file"; then echo "load.sh: $(basename "$2") is loaded already" >&2; return 0; fi
    upsert_file "$1" "$2" || return
    note "loaded $file"
}
