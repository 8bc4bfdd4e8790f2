/** JSON whose numbers keep all digits: `0.10` stays `0.10`, and nothing is rounded. */

/** `JSON.rawJSON` and the third argument of revivers: in Node since 21, not yet in TypeScript's library. */
interface LosslessJson {
  parse(text: string, reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
}
// The type of the library lacks both, so only `unknown` leads here.
const json = JSON as unknown as LosslessJson;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u;

/** Whether a text is a JSON number. */
export const isJsonNumber = (text: string): boolean => NUMBER.test(text);

/** Converts the text of a number to a value that `JSON.stringify` writes with the same digits. */
export const toLosslessNumber = (text: string): unknown => json.rawJSON(text);

/** The value of a number, lossless or not. */
export const toNumber = (value: unknown): number => Number(JSON.stringify(value));

/** Parses JSON; numbers that a double would change become lossless numbers. Throws SyntaxError. */
export function parseLosslessJson(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  );
}
