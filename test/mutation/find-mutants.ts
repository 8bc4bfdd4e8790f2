/**
 * Finds the places of a source file where one small change makes a mutant. The changed code stays beside the original,
 * behind a switch (`mutant-switch.ts`), so that one transformed file serves all mutants:
 *
 *   if (a < b) f();        becomes        if ((mutant(7) ? (a <= b) : (a < b))) f();
 */
import { parseSync } from 'rolldown/utils';

export const OPERATORS = ['negated condition', 'off by one', 'dropped call', 'swapped constant', 'early return', 'removed await'] as const;
export type Operator = (typeof OPERATORS)[number];

/** One change of one place: `[start, end)` is replaced. Equal offsets insert. */
export interface Mutation {
  readonly operator: Operator;
  readonly start: number;
  readonly end: number;
  /** What the place becomes, with the call that asks the switch. */
  readonly replace: (isActive: string, original: string) => string;
  /** For people: the changed text. */
  readonly description: string;
}

/** A mutation outside of all functions runs when its file is imported, once for all tests of a process. */
export interface PlacedMutation extends Mutation {
  readonly runsAtImport: boolean;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [property: string]: unknown;
}

const SWAPPED_OPERATORS: Readonly<Record<string, readonly [Operator, string]>> = {
  '<': ['off by one', '<='],
  '<=': ['off by one', '<'],
  '>': ['off by one', '>='],
  '>=': ['off by one', '>'],
  '===': ['negated condition', '!=='],
  '!==': ['negated condition', '==='],
  '&&': ['negated condition', '||'],
  '||': ['negated condition', '&&'],
};
/** Nodes with types and with names of properties, which no mutant changes. */
const SKIPPED_NODES = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'TSTypeAliasDeclaration', 'TSInterfaceDeclaration']);
const EXPRESSIONS_OF_TYPESCRIPT = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression', 'TSInstantiationExpression']);

/** All mutations of a TypeScript source, in the order of the file. */
export function findMutations(path: string, source: string): PlacedMutation[] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message ?? 'cannot be parsed'}`);
  const mutations: Mutation[] = [];
  const functions: Node[] = [];
  visit(program as unknown as Node, undefined, (node, parent) => {
    if (isFunction(node)) functions.push(node);
    mutations.push(...mutationsAt(node, parent, source));
  });
  return mutations
    .map((mutation) => ({
      ...mutation,
      runsAtImport: !functions.some(({ start, end }) => start < mutation.start && mutation.end < end + 1),
    }))
    .toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/** The source with all of these mutations, which must not overlap, behind the switch. */
export function addMutations(source: string, mutations: readonly { readonly id: number; readonly mutation: Mutation }[]): string {
  let changed = source;
  for (const { id, mutation } of mutations.toSorted((a, b) => b.mutation.start - a.mutation.start)) {
    const { start, end, replace } = mutation;
    changed = changed.slice(0, start) + replace(`globalThis.isActiveMutant(${String(id)})`, changed.slice(start, end)) + changed.slice(end);
  }
  return changed;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const isFunction = ({ type }: Node): boolean => FUNCTIONS.has(type);

function visit(node: Node, parent: Node | undefined, onNode: (node: Node, parent: Node | undefined) => void): void {
  if (SKIPPED_NODES.has(node.type)) return;
  if (node.type.startsWith('TS') && !EXPRESSIONS_OF_TYPESCRIPT.has(node.type)) return;
  onNode(node, parent);
  for (const [name, value] of Object.entries(node)) {
    if (name === 'key' && node['computed'] !== true) continue;
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) if (isNode(child)) visit(child, node, onNode);
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

function mutationsAt(node: Node, parent: Node | undefined, source: string): Mutation[] {
  const text = source.slice(node.start, node.end);
  const instead = (operator: Operator, replacement: string): Mutation => ({
    operator,
    start: node.start,
    end: node.end,
    replace: (isActive, original) => `(${isActive} ? (${replacement}) : (${original}))`,
    description: `${text} → ${replacement}`,
  });
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const [operator, swapped] = SWAPPED_OPERATORS[node['operator'] as string] ?? [];
      const { left, right } = node as unknown as { left: Node; right: Node };
      return operator === undefined
        ? offByOne(node, source)
        : [instead(operator, `(${textOf(left, source)}) ${swapped ?? ''} (${textOf(right, source)})`)];
    }
    case 'UnaryExpression':
      return node['operator'] === '!' ? [instead('negated condition', textOf(node['argument'] as Node, source))] : [];
    case 'Literal':
      return isReplaceableLiteral(node, parent) ? swappedConstant(node, instead) : [];
    case 'AwaitExpression':
      return [instead('removed await', textOf(node['argument'] as Node, source))];
    case 'IfStatement':
    case 'ConditionalExpression':
      return isPlainCondition(node['test'] as Node) ? [negated(node['test'] as Node, source)] : [];
    case 'ExpressionStatement':
      return isCall(node['expression'] as Node) ? [droppedCall(node, text)] : [];
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return earlyReturn(node, parent, source);
    default:
      return [];
  }
}

const textOf = (node: Node, source: string): string => source.slice(node.start, node.end);

/** `a + 1` and `a - 1`: the constant goes. Other arithmetic stays. */
function offByOne(node: Node, source: string): Mutation[] {
  const right = node['right'] as Node;
  if ((node['operator'] !== '+' && node['operator'] !== '-') || right.type !== 'Literal' || right['value'] !== 1) return [];
  const left = textOf(node['left'] as Node, source);
  return [
    {
      operator: 'off by one',
      start: node.start,
      end: node.end,
      replace: (isActive, original) => `(${isActive} ? (${left}) : (${original}))`,
      description: `${textOf(node, source)} → ${left}`,
    },
  ];
}

/** Comparisons and logical expressions have mutants of their own. */
const isPlainCondition = (test: Node): boolean =>
  !['BinaryExpression', 'LogicalExpression', 'UnaryExpression', 'Literal'].includes(test.type);

function negated(test: Node, source: string): Mutation {
  const text = textOf(test, source);
  return {
    operator: 'negated condition',
    start: test.start,
    end: test.end,
    replace: (isActive, original) => `(${isActive} ? !(${original}) : (${original}))`,
    description: `${text} → !(${text})`,
  };
}

/** Directives, keys and the 1 of `a + 1` are not constants of their own. */
const isReplaceableLiteral = (node: Node, parent: Node | undefined): boolean =>
  (typeof node['value'] === 'number' || typeof node['value'] === 'boolean') &&
  !(parent?.type === 'BinaryExpression' && node['value'] === 1);

/** A small number moves by one. A large one doubles, because no rule depends on one millisecond more. */
function swappedConstant(node: Node, instead: (operator: Operator, replacement: string) => Mutation): Mutation[] {
  const value = node['value'] as number | boolean;
  if (typeof value === 'boolean') return [instead('swapped constant', String(!value))];
  return [instead('swapped constant', String(value < 10 ? value + 1 : value * 2))];
}

function isCall(expression: Node): boolean {
  if (expression.type === 'AwaitExpression') return isCall(expression['argument'] as Node);
  if (expression.type === 'ChainExpression') return isCall(expression['expression'] as Node);
  return expression.type === 'CallExpression' && (expression['callee'] as Node).type !== 'Super';
}

const droppedCall = (node: Node, text: string): Mutation => ({
  operator: 'dropped call',
  start: node.start,
  end: node.end,
  // Braces keep the `else` of an outer `if` where it belongs.
  replace: (isActive, original) => `{ if (!${isActive}) { ${original} } }`,
  description: `${text} → (nothing)`,
});

/** Only functions with something to skip. A constructor has to run. */
function earlyReturn(node: Node, parent: Node | undefined, source: string): Mutation[] {
  const body = node['body'] as Node | null;
  if (body?.type !== 'BlockStatement' || (body['body'] as Node[]).length === 0 || parent?.['kind'] === 'constructor') return [];
  const name = (node['id'] as Node | null) ?? ((parent?.['key'] ?? parent?.['id']) as Node | null | undefined);
  return [
    {
      operator: 'early return',
      start: body.start + 1,
      end: body.start + 1,
      replace: (isActive) => ` if (${isActive}) return undefined; `,
      description: `${name ? textOf(name, source) : 'function'} → return;`,
    },
  ];
}
