/** The tools against part 4 of the contract, and their schemas as strict clients read them. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { STOCK_TOOLS } from '../../src/contract/mcp-stock-tools.ts';
import { TOOLS } from '../../src/contract/mcp-tools.ts';
import { toListedTool } from '../../src/mcp/tool-list.ts';

/** Tool, operation, scope, risk, inputs; an asterisk marks what is required. As the contract lists them. */
const CONTRACT = `
list_items | GET /v1/items | items:read | read_only | page, page_size, search
get_item | GET /v1/items/{item_id} | items:read | read_only | item_id*
get_organization | GET /v1/organization | organization:read | read_only |
list_orders | GET /v1/orders | orders:read | read_only | module*, page, page_size, search, status
list_contacts | GET /v1/contacts | contacts:read | read_only | contact_types, page, page_size, search
get_usage_summary | GET /v1/usage | usage:read | read_only |
list_webhooks | GET /v1/webhooks | webhooks:read | read_only |
get_webhook | GET /v1/webhooks/{webhook_id} | webhooks:read | read_only | webhook_id*
create_webhook | POST /v1/webhooks | webhooks:write | write | confirm*, idempotency_key*, name*, subscribed_events*, target_url*, description, environment, status
update_webhook | PATCH /v1/webhooks/{webhook_id} | webhooks:write | write | confirm*, idempotency_key*, webhook_id*, description, environment, name, status, subscribed_events, target_url
delete_webhook | DELETE /v1/webhooks/{webhook_id} | webhooks:delete | destructive | confirm_delete*, webhook_id*
list_webhook_deliveries | GET /v1/webhooks/{webhook_id}/deliveries | webhooks:deliveries:read | read_only | webhook_id*, page, page_size, status`;

test('the tools are those of the contract, in its order, with its inputs', () => {
  const ours = TOOLS.map(({ name, operation: { method, path, scope }, risk, inputs }) => {
    const names = inputs.map((input) => `${input.name}${input.schema.optional ? '' : '*'}`);
    return `${name} | ${method} ${path} | ${String(scope)} | ${risk} | ${names.join(', ')}`.trim();
  });
  expect(ours).toEqual(CONTRACT.trim().split('\n'));
});

describe.for([...TOOLS, ...STOCK_TOOLS].map((tool) => [tool.name, tool] as const))('%s', ([, tool]) => {
  const { inputSchema, outputSchema, annotations, description } = toListedTool(tool);

  test('has schemas that a strict validator takes, with an object at the top', () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
    addFormats.default(ajv);
    expect(() => ajv.compile(inputSchema)).not.toThrow();
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    if (tool.operation.result === null) expect(outputSchema).toBeUndefined();
    else expect(() => ajv.compile({ ...outputSchema })).not.toThrow();
  });

  test('has inputs of one type each, with enums of texts and patterns of every engine', () => {
    const withoutTexts = JSON.stringify(inputSchema, (key, value: unknown) => (key === 'description' ? undefined : value));
    expect(withoutTexts).not.toMatch(/"type":\[|null|anyOf|oneOf|allOf|\\\\u/u);
    for (const property of Object.values(inputSchema['properties'] as Record<string, { enum?: unknown[] }>))
      for (const value of property.enum ?? []) expect(value).toBeTypeOf('string');
  });

  test('asks for a yes before it changes something', () => {
    const asked = tool.inputs.find(({ place }) => place === 'confirmation');
    expect(asked === undefined).toBe(tool.risk === 'read_only');
    if (asked) expect((inputSchema['properties'] as Record<string, object>)[asked.name]).toMatchObject({ type: 'boolean' });
  });

  test('says what it does to the world', () => {
    expect(annotations.readOnlyHint).toBe(tool.operation.method === 'GET');
    expect(annotations.destructiveHint).toBe({ PUT: true, PATCH: true, DELETE: true, POST: false, GET: undefined }[tool.operation.method]);
    expect(annotations.idempotentHint).toBe(tool.operation.method === 'GET' ? undefined : true);
    expect(annotations.openWorldHint).toBe(['create_webhook', 'update_webhook'].includes(tool.name));
    expect(description).toContain(String(tool.operation.scope));
  });
});
