#!/bin/sh
# Installs fusebox @VERSION@ for you alone: downloads one file, checks its SHA-256 sum, and puts it into
# FUSEBOX_BIN, which is ~/.local/bin unless you say otherwise. Needs curl or wget, and no root.
{ # To the last line: what comes through a pipe and is cut off must do nothing.
set -eu

version='@VERSION@'
# Where the files are; a mirror may hold them as well, for the sums are here.
url=${FUSEBOX_URL:-'@URL@'}
# As sha256sum prints them. The script of a release has them; without one nothing is installed.
sums='
@SUMS@
'

stop() { # MESSAGE [HINT]
  printf 'fusebox: %s\n' "$1" >&2
  [ -z "${2-}" ] || printf '  %s\n' "$2" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

case $(uname -s -m) in
'Linux x86_64') target=x86_64-unknown-linux-gnu ;;
'Linux aarch64' | 'Linux arm64') target=aarch64-unknown-linux-gnu ;;
'Darwin x86_64') target=x86_64-apple-darwin ;;
'Darwin arm64') target=aarch64-apple-darwin ;;
*) stop "Cannot install fusebox: there is no file for $(uname -s -m)" \
  "On Windows: download fusebox-x86_64-pc-windows-msvc.exe; elsewhere it may run from its source" ;;
esac
file=fusebox-$target

wanted=$(printf '%s\n' "$sums" | while read -r sum name; do
  [ "$name" != "$file" ] || printf '%s' "$sum"
done)
[ "${#wanted}" -eq 64 ] ||
  stop "Cannot install fusebox: this script knows no SHA-256 sum of $file" "Take install.sh of a release"
if has sha256sum; then
  sum() { sha256sum; }
elif has shasum; then
  sum() { shasum -a 256; }
else
  stop "Cannot check $file: there is neither sha256sum nor shasum"
fi

folder=${FUSEBOX_BIN:-${HOME:+$HOME/.local/bin}}
[ -n "$folder" ] || stop 'Cannot install fusebox: HOME is not set' 'FUSEBOX_BIN names the folder as well'
# As it stands in a PATH.
case $folder in /*) ;; *) folder=$PWD/$folder ;; esac
folder=${folder%/}
mkdir -p "$folder" || stop "Cannot install fusebox to $folder" 'FUSEBOX_BIN names another folder'
[ ! -d "$folder/fusebox" ] ||
  stop "Cannot install fusebox to $folder: there is a folder of that name" 'FUSEBOX_BIN names another folder'
draft=$(mktemp "$folder/.fusebox.XXXXXX") ||
  stop "Cannot install fusebox to $folder" 'FUSEBOX_BIN names another folder'
trap 'rm -f "$draft"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

if has curl; then
  curl -fsSL --retry 3 -o "$draft" "$url/$file" || stop "Cannot download $url/$file"
elif has wget; then
  # Not every wget has a flag for what went wrong and no more.
  said=$(wget -O "$draft" "$url/$file" 2>&1) ||
    stop "Cannot download $url/$file" "$(printf '%s\n' "$said" | tail -n 1)"
else
  stop "Cannot download $file: there is neither curl nor wget"
fi

found=$(sum <"$draft")
found=${found%% *}
[ "$found" = "$wanted" ] || stop "Cannot install fusebox: $url/$file is not what was released" \
  "Its SHA-256 sum is $found, not $wanted"

chmod 755 "$draft"
"$draft" --version >/dev/null || stop "Cannot install fusebox: $file does not run here" \
  'On Linux it needs glibc, and a folder from which programs may start'
mv -f "$draft" "$folder/fusebox"
printf 'fusebox %s is in %s\n' "$version" "$folder"
case :${PATH-}: in
*:"$folder":*) ;;
*) printf '  That folder is not in your PATH: export PATH="%s:%s"\n' "$folder" "\$PATH" ;;
esac
exit
}
