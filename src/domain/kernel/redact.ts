/**
 * Removes secrets from text: lines of the log, and bodies of recorded requests. It covers fields, messages, stack traces and paths.
 * A-5 lists the names.
 */

const NAMES = 'authorization|x-api-key|cookie|set-cookie|signingSecret|clientSecret|client_secret|code_verifier|access_token|token|secret';
const HIDDEN = '[hidden]';

/** An API key: group 1 is its public prefix. */
const KEY = /(pk_(?:test|live)_[0-9A-Za-z]{8})[0-9A-Za-z]+/gu;
/** `"name":"value"`; the value may contain escapes. */
const FIELD = new RegExp(String.raw`("(?:${NAMES})"\s*:\s*")(?:[^"\\]|\\.)+`, 'giu');
/** The same inside a JSON string, where every quote is escaped. */
const NESTED = new RegExp(String.raw`(\\"(?:${NAMES})\\"\s*:\s*\\")(?:[^"\\]|\\\\\\?.)+`, 'giu');
/** `code` is also the name of error codes, which are upper case; authorization codes never are. */
const CODE = /(\\?"code\\?"\s*:\s*\\?")(?![A-Z][A-Z0-9_]*\\?")(?:[^"\\]|\\[^"])+/gu;
const PARAMETER = new RegExp(String.raw`((?:^|[?&\s"'])(?:${NAMES}|code)=)[^&\s"'\\]+`, 'giu');
const CREDENTIALS = /\b((?:Bearer|Basic) +)[\w.~+/=-]{8,}/giu;

/** Returns the line with every secret replaced by `[hidden]`. */
export function redact(line: string): string {
  return line
    .replace(FIELD, `$1${HIDDEN}`)
    .replace(NESTED, `$1${HIDDEN}`)
    .replace(CODE, `$1${HIDDEN}`)
    .replace(PARAMETER, `$1${HIDDEN}`)
    .replace(KEY, '$1…')
    .replace(CREDENTIALS, `$1${HIDDEN}`);
}
