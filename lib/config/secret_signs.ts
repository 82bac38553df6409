/** By what a value is taken for a secret: the name it has, or its look. @module */

const NAMES_A_SECRET =
  /key|token|secret|passw|passphrase|passcode|pwd|auth|credential|private|session|cookie|signature|bearer|jwt|webhook|pass$|(?:^|[_-])(?:pass|pat|pin|otp)(?:$|[_-])/i;
/** What such a name says something about, and is not. */
const NAMES_A_CIRCUMSTANCE =
  /(?:path|file|dir|folder|sock|home|url|uri|endpoint|host|name|user|type|method|mode|version|algorithm|scope|region|provider|header|prefix|limit|count|size|ttl|timeout|expiry|enabled|required)s?$/i;
/** Letters and digits without a break: nobody wrote that by hand. */
const LOOKS_RANDOM = /^(?=.*\d)(?=.*[A-Za-z])[\w+/=.~-]{20,}$/;
const IS_PATH = /^(?:[./~]|[A-Za-z]:\\)/;
/** Shorter ones would be found in half of all words. */
const SHORTEST = 8;
/** And these where they stand by themselves. */
const SHORTEST_WORD = 4;
/** Letters and digits, or a sign that is in no word: no text has it by chance. */
const IS_NO_WORD = /^(?=.*[A-Za-z\d])(?:(?=.*[A-Za-z])(?=.*\d)|(?=.*[!#$%&*+=?@^|~]))\S+$/;
/** `1.2.3`, `v2`, `30s`, `10MB`, `12:30`. */
const IS_NUMBER = /^v?\d[\d.:/_-]*[A-Za-z]{0,3}$/i;
/** Who has one of these for a password has none, and hiding the word would make every text unreadable. */
const COMMON = new Set(
  ("anonymous automatic certificate changeme default1 development disabled enabled123 interactive " +
    "keychain lm-studio localhost not-needed optional password password1 passwordless postgres " +
    "preferred production required undefined username aes128 aes256 argon2 base64 ed25519 es256 " +
    "es384 es512 hs256 hs384 hs512 http1 http2 ipv4 ipv6 oauth1 oauth2 rs256 rs384 rs512 saml2 " +
    "sha1 sha256 sha384 sha512 tls12 tls13 utf8 utf16 utf-8 x509").split(" "),
);

/** Whether a variable, a header or a flag of this name holds one. */
export function namesSecret(name: string): boolean {
  return NAMES_A_SECRET.test(name) && !NAMES_A_CIRCUMSTANCE.test(name);
}

/** Whether it gives itself away wherever it stands, in any other text. */
export function isLong(value: string): boolean {
  return value.length >= SHORTEST && !COMMON.has(value.toLowerCase());
}

/** Whether no text has it by chance where it stands by itself. */
export function isKnownBySight(value: string): boolean {
  const isShort = value.length >= SHORTEST_WORD && IS_NO_WORD.test(value) &&
    !IS_NUMBER.test(value) && !COMMON.has(value.toLowerCase());
  return isLong(value) || isShort;
}

/** Whether nobody wrote it by hand, and it is no path. */
export function looksRandom(value: string): boolean {
  return !IS_PATH.test(value) && LOOKS_RANDOM.test(value);
}
