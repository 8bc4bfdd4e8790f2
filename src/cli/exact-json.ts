/** JSON whose numbers keep every digit they were written with: `0.10` stays `0.10`, and nothing is rounded on the way. */

/** What `JSON.rawJSON` makes: `JSON.stringify` writes its text as it is. In Node since 21; not yet in TypeScript's library. */
interface ExactJson {
  parse(text: string, reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
}
// For that reason nothing in the library's type leads here.
const json = JSON as unknown as ExactJson;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u;

/** Whether a text is a number as JSON writes it. */
export const isNumberText = (text: string): boolean => NUMBER.test(text);

/** A number from its text, for `JSON.stringify` only. */
export const exactNumber = (text: string): unknown => json.rawJSON(text);

/** Parses JSON; numbers that a double would change become exact ones. Throws SyntaxError. */
export function parseExact(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  );
}
