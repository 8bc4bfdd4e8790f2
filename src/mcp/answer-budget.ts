/**
 * Keeps the answer of a list within what a model can read: 20,000 tokens are about 48,000 characters of such JSON. Long notes are cut, then
 * rows are left out from the end. The rest has the shape of the reply, and `note` says what is missing.
 */
import type { Tool } from '../contract/mcp-tools.ts';

const ANSWER_MAX_CHARS = 48_000;
const NOTES_MAX_CHARS = 500;
const NOTES: ReadonlySet<string> = new Set(['notes', 'description', 'internalNotes']);

interface List {
  readonly data: readonly unknown[];
  readonly pagination?: { readonly total?: number };
}

export interface Answer {
  readonly text: string;
  readonly note?: string;
}

export function fitAnswer(tool: Tool, text: string): Answer {
  const body = JSON.parse(text, cutNotes) as List | { readonly data: object };
  if (!isList(body)) return { text };
  const rows = countFittingRows(body);
  const kept = JSON.stringify({ ...body, data: body.data.slice(0, rows) });
  const left = body.data.length - rows;
  if (left > 0) return { text: kept, note: explainLeftOut(tool, rows, left) };
  const more = hasPages(tool) ? 0 : (body.pagination?.total ?? rows) - rows;
  return more > 0 ? { text: kept, note: `${String(more)} more exist, which this tool does not list.` } : { text: kept };
}

const isList = (body: { readonly data: unknown }): body is List => Array.isArray(body.data);
const hasPages = ({ inputs }: Tool): boolean => inputs.some(({ name }) => name === 'page_size');

function cutNotes(key: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= NOTES_MAX_CHARS || !NOTES.has(key)) return value;
  const kept = value.slice(0, NOTES_MAX_CHARS).toWellFormed();
  return `${kept}… (${String(value.length - NOTES_MAX_CHARS)} more characters)`;
}

/** At least one. */
function countFittingRows({ data, ...rest }: List): number {
  let left = ANSWER_MAX_CHARS - JSON.stringify(rest).length;
  const end = data.findIndex((row) => (left -= JSON.stringify(row).length + 1) < 0);
  return end === -1 ? data.length : Math.max(1, end);
}

const explainLeftOut = (tool: Tool, rows: number, left: number): string =>
  `The last ${String(left)} rows of this page are left out, because the answer would be too long. ${
    hasPages(tool) ? `Ask again with page_size ${String(rows)}.` : 'This tool does not list them.'
  }`;
