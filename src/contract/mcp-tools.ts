/**
 * The twelve MCP tools, each bound to one operation of /v1. C-4, "MCP tool server"; A-7.
 * Their inputs are fields of the operation under snake_case names, so that limits and enums are defined once, in the operation.
 */
import { listContacts } from './resources/contacts.ts';
import { getItem, listItems } from './resources/items.ts';
import { IDEMPOTENCY_KEY_PATTERN } from './headers.ts';
import { IDEMPOTENCY_KEY_MAX_CHARS } from './limits.ts';
import type { Operation } from './operation.ts';
import { listOrders } from './resources/orders.ts';
import { getOrganization } from './resources/organization.ts';
import { type AnySchema, describe, t } from './schema/builder.ts';
import { SCOPES, type Scope } from './scopes.ts';
import { getUsage } from './resources/usage.ts';
import { createWebhook, deleteWebhook, getWebhook, listDeliveries, listWebhooks, updateWebhook } from './resources/webhooks.ts';

/** Path where the daemon serves the tools over streamable HTTP. */
export const MCP_PATH = '/mcp';

/** The part of the request that an input belongs to; a confirmation and what concerns a preview are not sent. */
export type InputPlace = 'path' | 'query' | 'body' | 'idempotency key' | 'confirmation' | 'preview';

export interface ToolInput {
  readonly name: string;
  readonly place: InputPlace;
  /** Field name in that part of the request. */
  readonly field: string;
  readonly schema: AnySchema;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model: effect, requirements and cautions. */
  readonly description: string;
  readonly operation: Operation;
  readonly risk: 'read_only' | 'write' | 'destructive';
  /** Interacts with systems outside the service. */
  readonly isOpenWorld?: true;
  /** Deletes or overwrites existing data. */
  readonly isDestructive?: true;
  readonly inputs: readonly ToolInput[];
  /** Query parameters sent with every call. */
  readonly query: Readonly<Record<string, string | number | boolean>>;
  /** Fields of the body sent with every call. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** A change has to be previewed first, as a dry run; the call that makes it names the preview. */
  readonly isPreviewed?: true;
}

const confirmationInput = (what: string) => t.annotate(t.bool(), { description: `Must be true: the user has approved ${what}.` });

/** Inputs that are not fields of the operation. */
const TOOL_INPUTS: Readonly<Record<string, Pick<ToolInput, 'place' | 'schema'>>> = {
  confirm: { place: 'confirmation', schema: confirmationInput('this change') },
  confirm_delete: { place: 'confirmation', schema: confirmationInput('this deletion') },
  idempotency_key: {
    place: 'idempotency key',
    schema: t.annotate(
      t.string({
        min: 1,
        max: IDEMPOTENCY_KEY_MAX_CHARS,
        pattern: IDEMPOTENCY_KEY_PATTERN,
        hint: 'characters that an HTTP header can have, without white space around them',
      }),
      { description: 'Unique string for each new change. Reuse it only to retry the same request safely.' },
    ),
  },
};

/** How long a preview can be applied. */
export const PREVIEW_MIN = 10;

/** Inputs of a tool whose changes are previewed: the call checks which of them it needs. */
export const PREVIEW_INPUTS = ['preview', 'preview_token', 'confirm', 'idempotency_key'] as const;
const previewInputs: Readonly<Record<string, Pick<ToolInput, 'place' | 'schema'>>> = {
  preview: {
    place: 'preview',
    schema: t.annotate(t.bool(), {
      description: `true: change nothing, and return the effect and a preview_token, which is valid for ${String(PREVIEW_MIN)} minutes.`,
    }),
  },
  preview_token: {
    place: 'preview',
    schema: describe(t.string({ min: 1, max: 200 }), 'That of the preview with the same inputs, which the user has seen.'),
  },
};

type ToolDefinition = Omit<Tool, 'inputs' | 'query' | 'description' | 'risk'> & {
  readonly inputs?: readonly string[];
  readonly query?: Tool['query'];
  readonly risk?: Tool['risk'];
  readonly guidance?: string;
  /** Instead of that of the operation, of which the tool can do less. */
  readonly summary?: string;
};

export function defineTool({
  inputs = [],
  query,
  guidance: more = '',
  risk = 'read_only',
  summary: own,
  ...definition
}: ToolDefinition): Tool {
  const { scope, plan, summary } = definition.operation;
  const requirements = `Requires the scope ${String(scope)}${plan === undefined ? '' : ` and the plan ${plan}`}.`;
  return {
    ...definition,
    risk,
    description: [`${own ?? summary}.`, more, requirements].filter(Boolean).join(' '),
    inputs: [
      ...inputs.map((name) => resolveInput(definition.operation, name)),
      ...(definition.isPreviewed ? PREVIEW_INPUTS.map((name) => toOptional(resolveInput(definition.operation, name))) : []),
    ],
    query: { ...(inputs.includes('page_size') ? {} : limitPageSize(definition.operation)), ...query },
  };
}

/** Rows of a list without page inputs. */
const LIST_ROWS = 25;
const limitPageSize = ({ query }: Operation): Tool['query'] => (query?.properties['page_size'] ? { page_size: LIST_ROWS } : {});

function resolveInput({ id, params, query, body }: Operation, name: string): ToolInput {
  const toolInput = TOOL_INPUTS[name] ?? previewInputs[name];
  if (toolInput) return { name, field: name, ...toolInput };
  const field = name.replaceAll(/_(\w)/gu, (_whole, letter: string) => letter.toUpperCase());
  const places = [
    { place: 'path', field: name, schema: params?.properties[name] },
    { place: 'query', field: name, schema: query?.properties[name] },
    { place: 'body', field, schema: body?.properties[field] },
  ] as const;
  for (const { schema, ...place } of places) if (schema) return { name, ...place, schema };
  throw new Error(`${id} has no field for the input ${name}`);
}

const toOptional = (input: ToolInput): ToolInput => ({ ...input, schema: t.optional(input.schema) });

export const PAGE_INPUTS = ['page', 'page_size'] as const;
const WEBHOOK_INPUTS = ['description', 'environment'] as const;

/** In the order of the contract, in which clients list them. */
export const TOOLS: readonly Tool[] = [
  defineTool({ name: 'list_items', title: 'List items', operation: listItems, inputs: [...PAGE_INPUTS, 'search'] }),
  defineTool({ name: 'get_item', title: 'Get an item', operation: getItem, inputs: ['item_id'] }),
  defineTool({ name: 'get_organization', title: 'Get the organization', operation: getOrganization }),
  defineTool({ name: 'list_orders', title: 'List orders', operation: listOrders, inputs: ['module', ...PAGE_INPUTS, 'search', 'status'] }),
  defineTool({
    name: 'list_contacts',
    title: 'List contacts',
    operation: listContacts,
    inputs: ['contact_types', ...PAGE_INPUTS, 'search'],
  }),
  defineTool({ name: 'get_usage_summary', title: 'Get the usage summary', operation: getUsage }),
  defineTool({ name: 'list_webhooks', title: 'List webhook endpoints', operation: listWebhooks }),
  defineTool({ name: 'get_webhook', title: 'Get a webhook endpoint', operation: getWebhook, inputs: ['webhook_id'] }),
  defineTool({
    name: 'create_webhook',
    title: 'Create a webhook endpoint',
    operation: createWebhook,
    risk: 'write',
    isOpenWorld: true,
    guidance:
      'The response contains the signing secret, shown only once: give it to the user and do not repeat it. Events are sent to the URL from then on.',
    inputs: ['confirm', 'idempotency_key', 'name', 'subscribed_events', 'target_url', ...WEBHOOK_INPUTS, 'status'],
  }),
  defineTool({
    name: 'update_webhook',
    title: 'Update a webhook endpoint',
    operation: updateWebhook,
    risk: 'write',
    isOpenWorld: true,
    isDestructive: true,
    summary: 'Update a webhook endpoint',
    guidance:
      'Omitted fields are unchanged. Status disabled discards the deliveries that wait to be sent; discardedDeliveries says how many. This tool cannot rotate the signing secret.',
    inputs: ['confirm', 'idempotency_key', 'webhook_id', ...WEBHOOK_INPUTS, 'name', 'status', 'subscribed_events', 'target_url'],
  }),
  defineTool({
    name: 'delete_webhook',
    title: 'Delete a webhook endpoint',
    operation: deleteWebhook,
    risk: 'destructive',
    isDestructive: true,
    inputs: ['confirm_delete', 'webhook_id'],
  }),
  defineTool({
    name: 'list_webhook_deliveries',
    title: 'List the deliveries of a webhook endpoint',
    operation: listDeliveries,
    inputs: ['webhook_id', ...PAGE_INPUTS, 'status'],
  }),
];

/** Scopes that a key needs to use all tools. */
export const TOOL_SCOPES: readonly Scope[] = SCOPES.filter((scope) => TOOLS.some(({ operation }) => operation.scope === scope));
