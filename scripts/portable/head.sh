#!/bin/sh
# fusebox @VERSION@ for @SYSTEM@ in one file: this head, then Deno and the program, packed. The first
# start unpacks them into the cache folder, later ones go straight on. MIT licence.

# Names of ours that nobody exports: what is assigned to an exported one would reach the servers.
_fb_named=
case ${XDG_CACHE_HOME-} in
/*) _fb_named=$XDG_CACHE_HOME _fb_cache=$XDG_CACHE_HOME/fusebox ;;
*) _fb_cache=${HOME:+$HOME/@CACHES@/fusebox} ;;
esac
_fb_own=$_fb_cache/program/@KEY@

# A folder that is named may be one that others write to as well, as /tmp is: what they left there is
# not started, nor what their link leads to.
# shellcheck disable=SC3067  # Every sh that is used as one has -O.
_fb_is_ours() {
  [ -n "$_fb_named" ] || return 0
  for _fb_why in "$_fb_cache" "$_fb_cache/program" "$_fb_own"; do
    [ -O "$_fb_why" ] || [ ! -e "$_fb_why" ] || return 1
  done
  [ -O "$_fb_named" ] || [ ! -L "$_fb_cache" ]
}

# All files are there, and the two that matter most are older than the mark: nobody touched them.
# shellcheck disable=SC3013  # Every sh that is used as one has -nt, and it starts no process.
_fb_is_whole() {
  [ $# -eq "@FILES@" ] && [ -x "$_fb_own/deno" ] && [ ! "$_fb_own/deno" -nt "$_fb_own/whole" ] &&
    [ ! "$_fb_own/main.mjs" -nt "$_fb_own/whole" ]
}

_fb_stop() { # CODE MESSAGE [HINT]
  printf 'fusebox: %s\n' "$2" >&2
  [ -z "${3-}" ] || printf '  %s\n' "$3" >&2
  exit "$1"
}

_fb_cannot() { # WHAT WHY: the system's words, of which the last line but tar's farewell tells most
  _fb_line='
'
  _fb_why=${2%"$_fb_line"tar: E*}
  _fb_why=${_fb_why##*"$_fb_line"}
  _fb_stop 74 "Cannot $1 $_fb_cache: ${_fb_why##*: }" \
    "It takes @MEGABYTES@ MB in a folder that programs may start from; XDG_CACHE_HOME names another"
}

_fb_unpack() {
  [ -n "$_fb_cache" ] ||
    _fb_stop 2 "Cannot unpack: HOME is not set" "XDG_CACHE_HOME=/a/folder does as well"
  _fb_why=$(uname -s -m)
  [ "$_fb_why" = "@SYSTEM@" ] || _fb_stop 2 "Cannot start: this file is for @SYSTEM@, not for $_fb_why"
  _fb_file=$0
  [ -f "$_fb_file" ] || _fb_file=$(command -v -- "$0")
  _fb_why=
  [ ! -r "$_fb_file" ] || { read -r _ && read -r _fb_why; } 2>/dev/null <"$_fb_file"
  case $_fb_why in
  '# fusebox '*) ;;
  *) _fb_stop 2 "Cannot unpack: a shell that reads it from elsewhere can't find it" \
    "Start it by its path, as ./fusebox" ;;
  esac

  _fb_mask=$(umask)
  umask 077
  _fb_why=$(LC_ALL=C mkdir -p "$_fb_cache/program" 2>&1) || _fb_cannot "unpack to" "$_fb_why"
  _fb_new=$(LC_ALL=C mktemp -d "$_fb_cache/program/.new.XXXXXX" 2>&1) ||
    _fb_cannot "unpack to" "$_fb_new"
  trap 'rm -rf "$_fb_new" "$_fb_new.old"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  trap 'exit 129' HUP

  # Written in pieces of 128 KiB it lies in larger pages, and starts faster; from 1 MiB on these count
  # as memory of ours.
  _fb_large='-b 256'
  case $(tar --version 2>&1) in *[Bb]usy[Bb]ox*) _fb_large= ;; esac

  # The mark is the last file of the archive: without it something was cut off.
  # shellcheck disable=SC2086  # It is two words, or none.
  _fb_why=$({
    tail -c "@BYTES@" -- "$_fb_file" | { gzip -dc 2>/dev/null || true >"$_fb_new/cut"; } |
      LC_ALL=C tar $_fb_large -xmf - -C "$_fb_new"
  } 2>&1) || true >"$_fb_new/cut"
  if [ ! -e "$_fb_new/whole" ] || [ -e "$_fb_new/cut" ]; then
    tail -c "@BYTES@" -- "$_fb_file" | gzip -t 2>/dev/null ||
      _fb_stop 74 "Cannot unpack: $_fb_file is damaged" "Download it again"
    _fb_cannot "unpack to" "$_fb_why"
  fi
  _fb_why=$(LC_ALL=C "$_fb_new/deno" --version 2>&1) || _fb_cannot "start from" "$_fb_why"
  true >"$_fb_new/whole"

  # Somebody may have been faster. Who is slower by a moment moves its own into theirs, and takes it away.
  if ! _fb_is_whole "$_fb_own"/*; then
    [ ! -e "$_fb_own" ] || mv "$_fb_own" "$_fb_new.old"
    _fb_why=$(LC_ALL=C mv "$_fb_new" "$_fb_own" 2>&1) || _fb_cannot "unpack to" "$_fb_why"
  fi
  rm -rf "$_fb_new" "$_fb_new.old" "${_fb_own:?}/${_fb_new##*/}"
  trap - EXIT INT TERM HUP

  # What was used last, and what before that, stays; so does what others are unpacking now.
  (
    cd "$_fb_cache/program" || exit
    find . -name '.new.*' -prune -mmin +60 -exec rm -rf {} +
    # shellcheck disable=SC2012  # The names are ours, and nothing else sorts by time.
    ls -t [0-9a-f]*/whole | {
      read -r _
      read -r _
      while read -r _fb_old; do rm -rf "${_fb_old%/whole}"; done
    }
  ) 2>/dev/null
  umask "$_fb_mask"
}

_fb_is_ours || _fb_stop 74 "Cannot start from $_fb_cache: it is somebody else's" \
  "XDG_CACHE_HOME names another folder, which is yours"
_fb_is_whole "$_fb_own"/* || _fb_unpack </dev/null
# The time of its last use. In a cache that can't be written it does not matter.
[ ! -w "$_fb_own/whole" ] || true 2>/dev/null >"$_fb_own/whole"
# A cache of its own, which goes with it: there may be no other Deno here, and where there is one its
# cache is large. Servers are told of none of this.
[ -z "${DENO_DIR-}" ] || export FUSEBOX_DENO_DIR="$DENO_DIR"
export DENO_DIR="$_fb_own/.deno" "DENO_NO_UPDATE_CHECK=${DENO_NO_UPDATE_CHECK-fusebox}"
exec "$_fb_own/deno" @FLAGS@ "$_fb_own/main.mjs" "$@"
exit 126
