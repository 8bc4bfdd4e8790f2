/**
 * Keeps secrets out of the log. Works on the finished line, so it covers whatever was logged: fields, messages, stacks, paths.
 * decisions-api §5 lists the names.
 */

const NAMES = 'authorization|x-api-key|cookie|set-cookie|signingSecret|clientSecret|client_secret|code_verifier|access_token|token|secret';
const HIDDEN = '[hidden]';

/** The part of a key after its public prefix. */
const KEY = /(pk_(?:test|live)_[0-9A-Za-z]{8})[0-9A-Za-z]+/gu;
/** `"name":"value"`, the value with its escapes. */
const FIELD = new RegExp(String.raw`("(?:${NAMES})"\s*:\s*")(?:[^"\\]|\\.)+`, 'giu');
/** The same in a string that is JSON itself: every quote has a backslash before it. */
const NESTED = new RegExp(String.raw`(\\"(?:${NAMES})\\"\s*:\s*\\")(?:[^"\\]|\\\\\\?.)+`, 'giu');
/** `code` is also the name of error codes, which are upper case; an authorization code never is. */
const CODE = /(\\?"code\\?"\s*:\s*\\?")(?![A-Z][A-Z0-9_]*\\?")(?:[^"\\]|\\[^"])+/gu;
const PARAMETER = new RegExp(String.raw`((?:^|[?&\s"'])(?:${NAMES}|code)=)[^&\s"'\\]+`, 'giu');
const CREDENTIALS = /\b((?:Bearer|Basic) +)[\w.~+/=-]{8,}/giu;

/** The line with every secret in it replaced. */
export function redact(line: string): string {
  return line
    .replace(FIELD, `$1${HIDDEN}`)
    .replace(NESTED, `$1${HIDDEN}`)
    .replace(CODE, `$1${HIDDEN}`)
    .replace(PARAMETER, `$1${HIDDEN}`)
    .replace(KEY, '$1…')
    .replace(CREDENTIALS, `$1${HIDDEN}`);
}
