/** The published documents: committed copies, lint, extensions, and validation of bodies. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EMITTED_EVENTS, events } from '../../src/contract/events.ts';
import { OPERATIONS } from '../../src/contract/index.ts';
import { toJoi } from '../../src/contract/schema/joi.ts';
import { DEFAULT_URL } from '../../src/platform/local-paths.ts';
import { buildApiDocument } from '../../src/contract/openapi/api-document.ts';
import { buildControlDocument } from '../../src/contract/openapi/control-document.ts';
import { buildWebhooksDocument } from '../../src/contract/openapi/webhooks-document.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { listAuditEvents } from '../../src/contract/resources/audit.ts';
import { t } from '../../src/contract/schema/builder.ts';
import { validate as validatePart } from '../../src/http/steps/validate-request.ts';
import {
  type ApiDocument,
  type WebhookDocument,
  answerChecker,
  bodyValidators,
  eventChecker,
  parameterValidators,
} from '../support/contract/openapi-checks.ts';
import { near, right } from '../support/contract/schema-arbitraries.ts';
import { checkProperty } from '../support/property.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const redocly = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'));
const operations = OPERATIONS as readonly Operation[];
const api = buildApiDocument(DEFAULT_URL) as unknown as ApiDocument;
const webhooks = buildWebhooksDocument() as unknown as WebhookDocument;
const SOME_ID = '0197a3c0-5b1e-7c33-9a51-3f2b9d6c1e70';
const FILES = { 'docs/openapi.json': api, 'docs/webhooks.openapi.json': webhooks };

async function lint(file: string) {
  const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await execa({
    cwd: root,
    env,
    reject: false,
    node: true,
  })`${redocly} lint --extends=recommended-strict --format=json ${file}`;
  return JSON.parse(stdout) as {
    totals: { errors: number; warnings: number; ignored: number };
    problems: { ruleId: string; message: string }[];
  };
}

describe.each(Object.entries(FILES))('%s', (file, document) => {
  test('matches the contract; UPDATE=1 regenerates it', () => {
    const text = `${JSON.stringify(document, null, 2)}\n`;
    const path = `${root}/${file}`;
    if (process.env['UPDATE']) writeFileSync(path, text);
    expect(existsSync(path) && readFileSync(path, 'utf8') === text, `${file} is out of date: run this test with UPDATE=1`).toBe(true);
  });

  test('passes the strictest rules of the linter', async () => {
    const { totals, problems } = await lint(file);
    // `{item_id}` is a UUID, so it is never `by-external-id`.
    const isDistinct = ({ ruleId, message }: (typeof problems)[number]) =>
      ruleId === 'no-ambiguous-paths' && message.includes('/v1/items/by-external-id/{external_id}');
    expect(problems.filter((problem) => !isDistinct(problem))).toEqual([]);
    expect(totals).toEqual({ errors: problems.length, warnings: 0, ignored: 0 });
  }, 60_000);
});

test('the document of the control port passes the strictest rules of the linter', async () => {
  const path = join(tmpdir(), `control-${String(process.pid)}.openapi.json`);
  writeFileSync(path, JSON.stringify(buildControlDocument(DEFAULT_URL)));
  onTestFinished(() => rmSync(path));
  expect(await lint(path)).toMatchObject({ problems: [], totals: { errors: 0, warnings: 0, ignored: 0 } });
}, 60_000);

describe('openapi.json', () => {
  test('has what generators of clients read alike: portable patterns, no null among the values of enums, and no lists of types', () => {
    const found: unknown[] = [];
    JSON.parse(JSON.stringify(api), (key, value: unknown) => {
      if (key === 'pattern' && typeof value === 'string' && value.includes(String.raw`\u`)) found.push(value);
      if (key === 'enum' && Array.isArray(value) && value.includes(null)) found.push(value);
      if (key === 'type' && Array.isArray(value)) found.push(value);
      return value;
    });
    expect(found).toEqual([]);
  });

  test('has an example of the audit list whose cursor is that of its last row, as the description says', () => {
    const { responses } = describedAs(listAuditEvents);
    const example = responses[200]?.content?.['application/json'].example as {
      data: { id: string; createdAt: string }[];
      pagination: { nextCursor: unknown };
    };
    const last = example.data.at(-1);
    expect(example.pagination.nextCursor).toEqual({ createdAt: last?.createdAt, id: last?.id });
  });

  test('has exactly the operations of the contract, with examples of requests and responses', () => {
    const found = Object.entries(api.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    );
    expect(found.toSorted()).toEqual(operations.map(({ id, method, path }) => `${id} ${method} ${path}`).toSorted());
    for (const op of operations) {
      const { requestBody, responses, parameters = [] } = describedAs(op);
      if (op.body) expect(requestBody?.content['application/json'].example, op.id).toEqual(op.example?.body);
      if (op.result) expect(responses[op.status]?.content?.['application/json'].example, op.id).toBeDefined();
      for (const each of parameters.filter((parameter) => parameter.in === 'path'))
        expect(each.example, `${op.id} ${each.name ?? ''}`).toBeDefined();
    }
  });

  test('declares the scope of each operation for OAuth and both key headers', () => {
    for (const op of operations) {
      const { security } = describedAs(op);
      expect(security).toEqual([{ apiKey: [] }, { bearer: [] }, { oauth2: op.scope === null ? [] : [op.scope] }]);
    }
  });

  test('marks exactly the extensions beyond the contract', () => {
    const { schemas } = api.components as { schemas: Record<string, { properties: Record<string, unknown> }> };
    for (const [name, fields] of Object.entries(GIVEN_FIELDS)) {
      const marked = Object.entries(schemas[name]?.properties ?? {}).filter(
        ([, schema]) => (schema as { 'x-extension'?: true })['x-extension'],
      );
      const beyond = Object.keys(schemas[name]?.properties ?? {}).filter((field) => !fields.includes(field));
      expect([name, marked.map(([field]) => field)]).toEqual([name, beyond]);
    }
    for (const [id, names] of Object.entries(GIVEN_QUERY)) {
      const { parameters = [] } = describedAs(operations.find((each) => each.id === id));
      for (const each of parameters.filter((parameter) => parameter.in === 'query'))
        expect([id, each.name, each['x-extension'] === true]).toEqual([id, each.name, !names.includes(each.name ?? '')]);
    }
  });
});

describe('the response check of the API tests', () => {
  const getFaults = answerChecker(api);
  const headers = { 'x-request-id': 'r1' };
  const own = { currency: 'EUR', timezone: 'Europe/Lisbon', eventRetention: { days: 30, maxEvents: 1_000 } };
  const profile = {
    data: { id: SOME_ID, name: 'Kestrel', slug: 'kestrel', plan: 'free', ...own, createdAt: '2026-03-31T14:00:00.000Z' },
  };
  const answer = (body: unknown, more: { status?: number; headers?: Record<string, string> } = {}) => ({
    status: 200,
    headers,
    text: JSON.stringify(body),
    body,
    ...more,
  });
  const refusal = (code: string, status: number) => answer({ error: { code, message: 'no', status, requestId: 'r1' } }, { status });

  test('accepts described responses and ignores undescribed ones', () => {
    expect(getFaults('GET', '/v1/organization', answer(profile))).toEqual([]);
    expect(getFaults('GET', '/v1/organization?x=1', refusal('SCOPE_REQUIRED', 403))).toEqual([]);
    expect(getFaults('GET', '/healthz', answer('anything'))).toEqual([]);
  });

  test.each([
    ['a missing field', answer({ data: { ...profile.data, slug: undefined } })],
    ['a value of another type', answer({ data: { ...profile.data, plan: 'golden' } })],
    ['null where it may not be', answer({ data: { ...profile.data, name: null } })],
    ['no body', answer(undefined)],
    ['a status that is not described', answer(profile, { status: 202 })],
    ['a refusal that the operation cannot meet', refusal('BOM_CYCLE', 409)],
    ['a code under another status', refusal('SCOPE_REQUIRED', 400)],
    ['a missing header', answer(profile, { headers: {} })],
    ['a header that is not described', answer(profile, { headers: { ...headers, 'x-surprise': '1' } })],
  ])('finds %s', (_name, reply) => {
    const text = reply.body === undefined ? '' : JSON.stringify(reply.body);
    expect(getFaults('GET', '/v1/organization', { ...reply, text, body: text === '' ? undefined : JSON.parse(text) })).not.toEqual([]);
  });
});

interface Described {
  readonly security: unknown;
  readonly parameters?: readonly {
    readonly in?: string;
    readonly name?: string;
    readonly example?: unknown;
    readonly 'x-extension'?: boolean;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: unknown } } };
  readonly responses: Readonly<Record<string, { readonly content?: { readonly 'application/json': { readonly example?: unknown } } }>>;
}

function describedAs(op: Operation | undefined): Described {
  const found = op && api.paths[op.path]?.[op.method.toLowerCase()];
  if (!found) throw new Error(`${op?.id ?? 'it'} is not in the document`);
  return found as unknown as Described;
}

/** Part 2 of the given contract, for the resources whose fields it states. */
const GIVEN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Item: 'id name itemType sku mpn barcode categoryId unitId supplierId salePrice purchasePrice supplierCode notes isActive category supplier updatedAt'.split(
    ' ',
  ),
  Order: 'id module orderNumber status contactId orderDate dueDate siteId priority assignedTo contact site createdAt updatedAt'.split(' '),
  Contact: 'id name email phone company contactType country contactGroup isPrimaryContact isActive updatedAt'.split(' '),
  Organization: 'id name slug plan createdAt'.split(' '),
  Webhook: 'id name targetUrl subscribedEvents status environment description createdAt updatedAt'.split(' '),
  WebhookDelivery: 'id eventType status attempts lastError lastHttpStatus createdAt updatedAt'.split(' '),
  AuditEvent: 'id actorType actorId action resourceType resourceId metadata ipAddress createdAt'.split(' '),
};
/** Part 4 of the given contract, for the lists whose parameters it states. */
const GIVEN_QUERY: Readonly<Record<string, readonly string[]>> = {
  'items.list': ['page', 'page_size', 'search'],
  'orders.list': ['module', 'status', 'page', 'page_size', 'search'],
  'contacts.list': ['contact_types', 'page', 'page_size', 'search'],
  'audit.list': ['since', 'until', 'action_prefix', 'actor_type', 'limit', 'cursor_created_at', 'cursor_id'],
  'webhooks.list': ['page', 'page_size', 'search'],
  'webhooks.deliveries.list': ['page', 'page_size', 'status'],
};

describe('webhooks.openapi.json', () => {
  test('has every event with a valid example', () => {
    expect(Object.keys(webhooks.webhooks)).toEqual(Object.keys(events));
    const getFaults = eventChecker(webhooks);
    for (const { post } of Object.values(webhooks.webhooks)) {
      const { example } = post.requestBody.content['application/json'] as unknown as { example: unknown };
      expect(getFaults(JSON.stringify(example))).toEqual([]);
    }
  });

  test('rejects a body that lacks fields of its event', () => {
    const getFaults = eventChecker(webhooks);
    for (const event of EMITTED_EVENTS) expect(getFaults(JSON.stringify({ event, data: {} })), event).not.toEqual([]);
  });

  test('declares webhook.test unsigned and every other delivery signed', () => {
    for (const [name, { post }] of Object.entries(webhooks.webhooks)) {
      const names = post.parameters.map(({ $ref }) => $ref.split('/').at(-1));
      expect([name, names.includes('XServiceSignature')]).toEqual([name, name !== 'webhook.test']);
    }
  });
});

/** Patterns that not every engine reads, and names of keys, about which OpenAPI 3.0 cannot say anything. */
const LEFT_TO_SERVICE = ['string.pattern.base', 'object.keys'];

const bodies = bodyValidators(api);

describe.each(operations.filter(({ body }) => body !== undefined).map((op) => [op.id, op] as const))('%s', (id, { body }) => {
  test('service and document accept the same bodies, but for rules that the document cannot state', async () => {
    const validate = bodies.get(id);
    if (!body || !validate) throw new Error(`${id} has no body in the document`);
    const joi = toJoi(body);
    await checkProperty(
      fc.property(near(body), (value) => {
        const { error } = joi.validate(value, { convert: false, abortEarly: false });
        const { details = [] } = error ?? {};
        const isLeftToService = details.length > 0 && details.every(({ type }) => LEFT_TO_SERVICE.includes(type));
        const accepted = error === undefined;
        expect({ value, accepted, why: error?.message }).toMatchObject({ accepted: isLeftToService ? accepted : validate(value) });
      }),
      { shortRuns: 40, longRuns: 400 },
    );
  });
});

/** Parameters as a caller has them, and as they stand in a query string. */
const inQuery = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(',') : String(value));

describe.each(operations.filter(({ query }) => query !== undefined).map((op) => [op.id, op] as const))('%s', (id, op) => {
  test('service and document accept the same query parameters', async () => {
    const { parameters = [] } = describedAs(op);
    const validators = parameterValidators(api, op.path, op.method);
    for (const [name, schema] of Object.entries(op.query?.properties ?? {})) {
      const validate = validators.get(name);
      if (!validate) throw new Error(`${id} has no parameter ${name} in the document`);
      expect([name, parameters.find((each) => each.name === name)?.in]).toEqual([name, 'query']);
      const spec = t.object({ [name]: schema });
      const accepts = (value: unknown): boolean => {
        try {
          validatePart('query', spec, { [name]: inQuery(value) });
          return true;
        } catch {
          return false;
        }
      };
      // A comma separates values, which are texts, and a list of none is the empty text.
      const sendable = (value: unknown): boolean =>
        !Array.isArray(value) || (value.length > 0 && value.every((entry) => typeof entry === 'string' && !entry.includes(',')));
      await checkProperty(
        fc.property(right(schema).filter(sendable), (value) => {
          expect({ name, value, accepted: accepts(value) }).toMatchObject({ accepted: validate(value) });
        }),
        { shortRuns: 10 },
      );
    }
  });
});
