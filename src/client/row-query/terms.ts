/** Splits a query into its terms, with the position of each. The language: row-query.ts. */

export interface Term {
  /** Of the first character, counted from 1. */
  readonly position: number;
  readonly isInverse: boolean;
  /** `expression`: between slashes. `text`: a word or a quoted text. `field`: `name:value`. */
  readonly kind: 'text' | 'expression' | 'field';
  readonly name: string;
  readonly value: string;
}

const FIELD = /^([a-z]+):(?!\/\/)/u;
const SPACE = /\s/u;

export function splitTerms(query: string): Term[] {
  const terms: Term[] = [];
  let at = 0;
  while (at < query.length) {
    if (SPACE.test(query[at]!)) at += 1;
    else {
      const { term, end } = readTerm(query, at);
      if (term.value !== '' || term.kind === 'field') terms.push(term);
      at = end;
    }
  }
  return terms;
}

function readTerm(query: string, start: number): { readonly term: Term; readonly end: number } {
  const isInverse = query[start] === '!';
  const at = isInverse ? skipSpaces(query, start + 1) : start;
  const position = start + 1;
  if (query[at] === '/') {
    const { text: value, end } = readExpression(query, at + 1);
    return { term: { position, isInverse, kind: 'expression', name: '', value }, end };
  }
  const name = FIELD.exec(query.slice(at))?.[1];
  const { text: value, end } = readText(query, name === undefined ? at : at + name.length + 1);
  return { term: { position, isInverse, kind: name === undefined ? 'text' : 'field', name: name ?? '', value }, end };
}

function skipSpaces(query: string, start: number): number {
  let at = start;
  while (SPACE.test(query[at] ?? '')) at += 1;
  return at;
}

/** Until a slash at the end of a term, or of the query. */
function readExpression(query: string, start: number): { readonly text: string; readonly end: number } {
  for (let at = start; at < query.length; at += 1) {
    if (query[at] === '\\') at += 1;
    else if (query[at] === '/' && (at + 1 === query.length || SPACE.test(query[at + 1]!)))
      return { text: query.slice(start, at), end: at + 1 };
  }
  return { text: query.slice(start), end: query.length };
}

/** Until a space outside of quotes. */
function readText(query: string, start: number): { readonly text: string; readonly end: number } {
  let text = '';
  let isQuoted = false;
  for (let at = start; at < query.length; at += 1) {
    const character = query[at]!;
    if (character === '"') isQuoted = !isQuoted;
    else if (SPACE.test(character) && !isQuoted) return { text, end: at };
    else text += character;
  }
  return { text, end: query.length };
}
