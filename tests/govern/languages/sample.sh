#!/bin/sh
LIMIT=3
readonly ZONE="UTC $LIMIT"

ring() {
  local times=1
  sound="dring $(date "+%H")"
  echo "$sound"
}

function helper {
  LANG=C sort
}

cat <<EOF
no # comment
EOF
