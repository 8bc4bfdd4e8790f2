/** Checks that no item contains itself (D-25). */
import { type Finding, Findings } from './findings.ts';
import { type TenantReader, readPages } from './table-walk.ts';
import type { ReadTx } from '../tables.ts';

/** Items as numbers, and the ingredients of each, so that the bills of materials of a large tenant fit into memory. */
interface Graph {
  readonly ids: readonly string[];
  /** By item: where its ingredients start in `children`; one more entry than items. */
  readonly starts: Uint32Array;
  readonly children: Uint32Array;
}

/** One walk over the table. Rows may change meanwhile, so an item that seems to contain itself is read again. */
export async function checkIngredientCycles(read: TenantReader): Promise<Finding> {
  const findings = new Findings('ingredients');
  const graph = await readGraph(read);
  for (const item of graph.ids.keys()) if (graph.starts[item] !== graph.starts[item + 1]) findings.record(undefined);
  for (const item of listItemsInCycles(graph)) {
    const problem = await read((tx) => findCycle(tx, graph.ids[item]!));
    if (problem !== undefined) findings.record(problem);
  }
  return findings.toFinding();
}

async function readGraph(read: TenantReader): Promise<Graph> {
  const numbers = new Map<string, number>();
  const toNumber = (id: string): number => {
    const number = numbers.get(id) ?? numbers.size;
    numbers.set(id, number);
    return number;
  };
  const edges: number[] = [];
  for await (const { rows } of readPages(read, 'ingredients', () => Promise.resolve()))
    for (const { itemId, ingredientItemId } of rows) edges.push(toNumber(itemId), toNumber(ingredientItemId));
  const starts = new Uint32Array(numbers.size + 1);
  for (let at = 0; at < edges.length; at += 2) starts[edges[at]! + 1]! += 1;
  for (let item = 0; item < numbers.size; item += 1) starts[item + 1]! += starts[item]!;
  const children = new Uint32Array(edges.length / 2);
  const next = starts.slice();
  for (let at = 0; at < edges.length; at += 2) children[next[edges[at]!]!++] = edges[at + 1]!;
  return { ids: [...numbers.keys()], starts, children };
}

/** Of each cycle one item: a depth-first search that visits each item once. */
function listItemsInCycles({ ids, starts, children }: Graph): number[] {
  const found = new Set<number>();
  const next = starts.slice(0, -1);
  const isOnPath = new Uint8Array(ids.length);
  for (const start of ids.keys()) {
    const path = [start];
    for (let item = path.at(-1); item !== undefined; item = path.at(-1)) {
      if (next[item] === starts[item + 1]) {
        isOnPath[item] = 0;
        path.pop();
        continue;
      }
      isOnPath[item] = 1;
      const child = children[next[item]!++]!;
      if (isOnPath[child] === 1 || child === item) found.add(child);
      // A child that was visited has no ingredients left.
      else path.push(child);
    }
  }
  return [...found];
}

const MAX_INGREDIENTS = 10_000;

/** The path on which an item contains itself, as a sentence. */
async function findCycle(tx: ReadTx, start: string): Promise<string | undefined> {
  const cameFrom = new Map<string, string>();
  const open = [start];
  for (let itemId = open.pop(); itemId !== undefined; itemId = open.pop()) {
    const { rows } = await tx.ingredients.listAfter({ where: [{ field: 'itemId', equals: itemId }], limit: MAX_INGREDIENTS });
    for (const { ingredientItemId: child } of rows) {
      if (child === start) return `item ${start} contains itself through ${listPath(cameFrom, start, itemId).join(', ')}`;
      if (cameFrom.has(child)) continue;
      cameFrom.set(child, itemId);
      open.push(child);
    }
  }
  return undefined;
}

function listPath(cameFrom: ReadonlyMap<string, string>, start: string, end: string): string[] {
  const path = [end];
  for (let id = end; id !== start; id = cameFrom.get(id)!) path.unshift(cameFrom.get(id)!);
  return path;
}
