/**
 * The twelve tools for assistants, each bound to one operation of /v1. Contract part 4, "MCP tool server"; decisions-api §7.
 * Their inputs are fields of the operation under snake_case names, so a limit or an enum is stated once, in the operation.
 */
import { listContacts } from './contacts.ts';
import { getItem, listItems } from './items.ts';
import { IDEMPOTENCY_KEY_MAX_CHARS } from './limits.ts';
import type { Operation } from './operation.ts';
import { listOrders } from './orders.ts';
import { getOrganization } from './organization.ts';
import { type AnySchema, t } from './schema.ts';
import { SCOPES, type Scope } from './scopes.ts';
import { getUsage } from './usage.ts';
import { createWebhook, deleteWebhook, getWebhook, listDeliveries, listWebhooks, updateWebhook } from './webhooks.ts';

/** Where the daemon serves the tools over streamable HTTP. */
export const MCP_PATH = '/mcp';

/** Where the value of an input goes: into a part of the request, or nowhere when it only confirms. */
export type InputPlace = 'path' | 'query' | 'body' | 'idempotency key' | 'confirmation';

export interface ToolInput {
  readonly name: string;
  readonly place: InputPlace;
  /** Its name in that part of the request. */
  readonly field: string;
  readonly schema: AnySchema;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model that chooses: what it does, what it needs, what to beware of. */
  readonly description: string;
  readonly operation: Operation;
  readonly risk: 'read_only' | 'write' | 'destructive';
  /** Reaches something beyond the service. */
  readonly reachesOut?: true;
  /** Takes away or overwrites what was there. */
  readonly overwrites?: true;
  readonly inputs: readonly ToolInput[];
  /** Sent with every call. */
  readonly query: Readonly<Record<string, number>>;
}

const confirmation = (what: string) => t.about(t.bool(), { description: `Must be true: the person has agreed to ${what}.` });

/** Inputs that are no field of the operation. */
const OWN_INPUTS: Readonly<Record<string, Pick<ToolInput, 'place' | 'schema'>>> = {
  confirm: { place: 'confirmation', schema: confirmation('this change') },
  confirm_delete: { place: 'confirmation', schema: confirmation('this deletion') },
  idempotency_key: {
    place: 'idempotency key',
    schema: t.about(
      t.string({
        min: 1,
        max: IDEMPOTENCY_KEY_MAX_CHARS,
        pattern: '^[\\u0021-\\u007e]+$',
        hint: 'visible ASCII characters without blanks',
      }),
      { description: 'A new text of your choice for every new change; repeat it to repeat the same request safely.' },
    ),
  },
};

type Facts = Omit<Tool, 'inputs' | 'query' | 'description' | 'risk'> & {
  readonly inputs?: readonly string[];
  readonly risk?: Tool['risk'];
  readonly more?: string;
};

function tool({ inputs = [], more = '', risk = 'read_only', ...facts }: Facts): Tool {
  const { scope, plan, summary } = facts.operation;
  const needs = `Needs the scope ${String(scope)}${plan === undefined ? '' : ` and the plan ${plan}`}.`;
  return {
    ...facts,
    risk,
    description: [`${summary}.`, more, needs].filter(Boolean).join(' '),
    inputs: inputs.map((name) => inputOf(facts.operation, name)),
    query: inputs.includes('page_size') ? {} : largestPage(facts.operation),
  };
}

/** Nobody can ask for a second page where there is no input for it. */
function largestPage({ query }: Operation): Tool['query'] {
  const size = query?.properties['page_size'];
  return size?.kind === 'number' && size.max !== undefined ? { page_size: size.max } : {};
}

function inputOf({ id, params, query, body }: Operation, name: string): ToolInput {
  const own = OWN_INPUTS[name];
  if (own) return { name, field: name, ...own };
  const field = name.replaceAll(/_(\w)/gu, (_whole, letter: string) => letter.toUpperCase());
  const places = [
    { place: 'path', field: name, schema: params?.properties[name] },
    { place: 'query', field: name, schema: query?.properties[name] },
    { place: 'body', field, schema: body?.properties[field] },
  ] as const;
  for (const { schema, ...place } of places) if (schema) return { name, ...place, schema };
  throw new Error(`${id} has no field for the input ${name}`);
}

const PAGES = ['page', 'page_size'] as const;
const WEBHOOK_FIELDS = ['description', 'environment'] as const;

/** In the order of the contract, which is the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  tool({ name: 'list_items', title: 'List items', operation: listItems, inputs: [...PAGES, 'search'] }),
  tool({ name: 'get_item', title: 'Read an item', operation: getItem, inputs: ['item_id'] }),
  tool({ name: 'get_organization', title: 'Read the organization', operation: getOrganization }),
  tool({ name: 'list_orders', title: 'List orders', operation: listOrders, inputs: ['module', ...PAGES, 'search', 'status'] }),
  tool({ name: 'list_contacts', title: 'List contacts', operation: listContacts, inputs: ['contact_types', ...PAGES, 'search'] }),
  tool({ name: 'get_usage_summary', title: 'Read the usage summary', operation: getUsage }),
  tool({ name: 'list_webhooks', title: 'List webhook endpoints', operation: listWebhooks }),
  tool({ name: 'get_webhook', title: 'Read a webhook endpoint', operation: getWebhook, inputs: ['webhook_id'] }),
  tool({
    name: 'create_webhook',
    title: 'Create a webhook endpoint',
    operation: createWebhook,
    risk: 'write',
    reachesOut: true,
    more: 'The answer holds the signing secret, which then stands in this conversation: hand it to the person, and do not repeat it. From then on events are sent to the address.',
    inputs: ['confirm', 'idempotency_key', 'name', 'subscribed_events', 'target_url', ...WEBHOOK_FIELDS, 'status'],
  }),
  tool({
    name: 'update_webhook',
    title: 'Change a webhook endpoint',
    operation: updateWebhook,
    risk: 'write',
    reachesOut: true,
    overwrites: true,
    more: 'Fields left out stay as they are. The signing secret cannot be rotated here.',
    inputs: ['confirm', 'idempotency_key', 'webhook_id', ...WEBHOOK_FIELDS, 'name', 'status', 'subscribed_events', 'target_url'],
  }),
  tool({
    name: 'delete_webhook',
    title: 'Delete a webhook endpoint',
    operation: deleteWebhook,
    risk: 'destructive',
    overwrites: true,
    inputs: ['confirm_delete', 'webhook_id'],
  }),
  tool({
    name: 'list_webhook_deliveries',
    title: 'List the deliveries of a webhook endpoint',
    operation: listDeliveries,
    inputs: ['webhook_id', ...PAGES, 'status'],
  }),
];

/** What a key needs for all of them. */
export const TOOL_SCOPES: readonly Scope[] = SCOPES.filter((scope) => TOOLS.some(({ operation }) => operation.scope === scope));
