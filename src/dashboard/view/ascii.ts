/** Replaces the characters that the dashboard draws with by those of ASCII, of the same width. */

const REPLACEMENTS: Readonly<Record<string, string>> = {
  '▁': '_',
  '▂': '_',
  '▃': '-',
  '▄': '-',
  '▅': '=',
  '▆': '=',
  '▇': '#',
  '█': '#',
  '│': '|',
  '…': '~',
  '–': '-',
  '·': '-',
  '→': '>',
  '←': '<',
  '’': "'",
};
const DRAWN = new RegExp(`[${Object.keys(REPLACEMENTS).join('')}]`, 'gu');

export const toAscii = (text: string): string => text.replaceAll(DRAWN, (character) => REPLACEMENTS[character] ?? character);

/** The stream, which writes in ASCII. */
export const toAsciiStream = (stream: NodeJS.WriteStream): NodeJS.WriteStream =>
  new Proxy(stream, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'write')
        return (text: unknown, ...more: unknown[]) =>
          Reflect.apply(target.write, target, [typeof text === 'string' ? toAscii(text) : text, ...more]) as boolean;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
