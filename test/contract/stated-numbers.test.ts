/** Numbers in documents that the code defines. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as limits from '../../src/contract/limits.ts';
import { MAX_ROWS } from '../../src/dashboard/state/ring-buffer.ts';
import { FORMATS } from '../../src/store/file/formats.ts';
import { MAX_CONNECTIONS } from '../../src/store/postgres/database.ts';
import { SCHEMA_VERSION } from '../../src/store/postgres/schema.ts';
import { LEASE_LIFETIME_MS } from '../../src/store/postgres/shared-state/leases.ts';
import { TABLE_HEAD } from '../bench/report.ts';

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const count = (value: number): string => value.toLocaleString('en-US');
const seconds = (value: number): string =>
  value % 3_600 === 0 ? `${String(value / 3_600)} h` : value % 60 === 0 ? `${String(value / 60)} min` : `${String(value)} s`;

const stated: Record<string, readonly string[]> = {
  'docs/decisions.md': [
    //
    `nesting beyond ${count(limits.BODY_MAX_DEPTH)} levels`,
    `over ${count(limits.PROBLEMS_MAX)} unknown fields`,
    `at \`/mcp\`, over ${count(limits.BODY_MAX_VALUES)}`,
    `for exactly ${count(limits.IDEMPOTENCY_VALIDITY_H)} hours`,
    `Windows of ${count(limits.RATE_WINDOW_S)} seconds`,
    `limited to ${count(limits.ADDRESS_REQUESTS_PER_MIN)} requests per minute and address`,
    `at most ${count(limits.ROTATION_OVERLAP_H)} hours and cannot be rotated again`,
    `Requests wait ${count(limits.CONSENT_LIFETIME_MIN)} minutes. Beyond ${count(limits.PENDING_CONSENTS_MAX)},`,
    `beyond ${count(limits.PENDING_CONSENTS_PER_APPLICATION_MAX)} of one application`,
    `${count(limits.AUTHORIZATION_CODE_KEY_DAYS)} days by code, ${count(limits.CLIENT_CREDENTIALS_KEY_H)} hours by client credentials`,
    `Beyond ${count(limits.ISSUED_KEYS_MAX)} live ones`,
    //
    `\`page_size\` defaults to ${count(limits.PAGE_SIZE_DEFAULT)}`,
    // W-1 to W-7
    `leases of ${count(LEASE_LIFETIME_MS / 1_000)} seconds`,
    `then after ${limits.RETRY_SCHEDULE_S.map(seconds).join(', ')}, each`,
    `timeouts at least ${count(limits.OVERLOAD_DELAY_S)} seconds pass`,
    `honored up to ${count(limits.RETRY_AFTER_MAX_H)} hours`,
    `${count(limits.DELIVERY_CONNECT_TIMEOUT_S)} s to connect, ${count(limits.DELIVERY_TIMEOUT_S)} s in all`,
    `${count(limits.ENDPOINT_DELIVERY_CONCURRENCY)} attempts at a time per endpoint, ${count(limits.DELIVERY_CONCURRENCY)} in all`,
    `the newest ${count(limits.HELD_MAX_ROWS)} deliveries, up to ${count(limits.HELD_MAX_H)} hours`,
    `${count(limits.AUTO_DISABLE_H)} hours of failure with at least ${count(limits.AUTO_DISABLE_MIN_ATTEMPTS)} attempts`,
    `limit of ${count(limits.WEBHOOKS_MAX)} endpoints is configurable up to ${count(limits.WEBHOOKS_CEILING)}`,
    `An event beyond ${count(limits.EVENT_MAX_BYTES / 1_024)} KiB`,
    `A rotation overlaps ${count(limits.ROTATION_OVERLAP_H)} hours`,
    // D-23 to T-6
    `Beyond ${count(limits.STOCK_EFFECTS_MAX)} levels`,
    `The store's format is ${count(FORMATS.current)}; older`,
    `At most ${count(limits.CONNECTIONS_MAX)} connections`,
    `header after ${count(limits.REQUEST_HEADER_TIMEOUT_S)} seconds`,
    `at most ${count(MAX_ROWS)} rows of each kind`,
    `its last ${count(limits.RECENT_REQUESTS_MAX)} or more requests`,
    `at most ${count(limits.RESPONSE_MAX_BYTES / 1_048_576)} MiB (\`maxResponseBytes\`) and ${count(limits.RESPONSE_MAX_DEPTH)} levels`,
  ],
  'docs/contract.md': [
    `fixed windows of ${count(limits.RATE_WINDOW_S)} seconds: ${count(limits.TIERS.standard)} requests in tier \`standard\`, ${count(limits.TIERS.elevated)} in`,
    `\`page_size\` is at most ${count(limits.PAGE_SIZE_MAX)}`,
    `at most ${count(limits.AUDIT_LIMIT_MAX)} (default ${count(limits.AUDIT_LIMIT_DEFAULT)})`,
    `at most ${count(limits.BODY_MAX_BYTES / 1_048_576)} MiB`,
    `up to ${count(limits.SIGNATURE_TOLERANCE_S)} seconds old`,
  ],
  'docs/durability.md': [`Formats ${count(FORMATS.upgrades[0]!.from)} to ${count(FORMATS.current)} are read`],
  'docs/performance.md': [`| ${TABLE_HEAD.join(' | ')} |`],
  'docs/scale-out.md': [`A daemon opens up to ${count(MAX_CONNECTIONS)} for requests`, `Version ${count(SCHEMA_VERSION.current)} adds`],
};

test.each(Object.entries(stated))('%s states the numbers of the code', (path, texts) => {
  const text = read(path);
  expect(texts.filter((stating) => !text.includes(stating))).toEqual([]);
});
