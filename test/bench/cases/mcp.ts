/** A page of items as a call of the tool `list_items`, beside the same page as a plain request, in both protocol eras. */
import { deepStrictEqual } from 'node:assert';
import { API_KEY } from '../../../src/contract/headers.ts';
import { MCP_PATH } from '../../../src/contract/mcp-tools.ts';
import { STATELESS_VERSION, LEGACY_VERSIONS } from '../../../src/mcp/fast-path.ts';
import type { Arm } from '../servers.ts';
import type { Case } from '../bench.ts';
import type { Load, Shot } from '../load-generator.ts';
import type { Finding } from '../report.ts';
import { measure, median, pairedRatio } from '../rounds.ts';
import { listPages } from '../requests.ts';
import { getRate } from './http.ts';

const MOST = 2;
const CONNECTIONS = 16;

export const mcpCase: Case = {
  name: 'mcp',
  about: 'list_items over MCP beside the plain request',
  async run(bench) {
    const { keys, copy } = await bench.data();
    return bench.using([bench.daemon({ directory: copy() })], async (daemon) => {
      const plain = listPages(keys, bench.rows);
      const [older, newer] = [plain.map((shot) => asCall(shot, false)), plain.map((shot) => asCall(shot, true))];
      for (const calls of [older, newer]) {
        for (let at = 0; at < 20; at += 1) await samePage(daemon, plain[at] as Shot, calls[at] as Shot);
      }
      const findings: Finding[] = [];
      for (const connections of [1, CONNECTIONS]) {
        bench.say(`list_items, ${String(connections)} connections`);
        const contenders = [plain, older, newer].map((shots) => ({ arm: daemon, job: { connections, shots } }));
        const [base = [], ...eras] = await measure(bench.load, contenders, bench.effort);
        findings.push(...eras.map((loads, at) => finding(at === 0 ? 'with initialize' : 'stateless', connections, loads, base)));
      }
      return findings;
    });
  },
};

/** The page of a plain request as a call of the tool. */
function asCall({ path, headers }: Shot, isNewer: boolean): Shot {
  const page = Number(new URL(path, 'http://localhost').searchParams.get('page'));
  const version = isNewer ? STATELESS_VERSION : String(LEGACY_VERSIONS[0]);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'list_items', arguments: { page }, ...(isNewer ? { _meta: meta } : {}) };
  return {
    method: 'POST',
    path: MCP_PATH,
    status: 200,
    headers: {
      [API_KEY]: headers[API_KEY] ?? '',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      ...(isNewer ? { 'mcp-method': 'tools/call', 'mcp-name': 'list_items' } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  };
}

async function samePage({ url }: Arm, plain: Shot, call: Shot): Promise<void> {
  const ask = async ({ method, path, headers, body }: Shot): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    return response.json();
  };
  const toolReply = (await ask(call)) as { result: { structuredContent: unknown } };
  deepStrictEqual(toolReply.result.structuredContent, await ask(plain), `${plain.path}: the tool returns something else`);
}

/** With one connection the time that a caller waits counts, with many what the server can do. */
function finding(era: string, connections: number, mine: readonly Load[], plain: readonly Load[]): Finding {
  const isOne = connections === 1;
  const waits = (loads: readonly Load[]) => loads.map(({ p50 }) => p50);
  const costs = (loads: readonly Load[]) => loads.map(({ rate }) => 1 / rate);
  const figure = (loads: readonly Load[]) => (isOne ? { value: median(waits(loads)), unit: 'ms' as const } : getRate(loads));
  const cost = isOne ? waits : costs;
  return {
    case: `mcp-${String(connections)}`,
    what: `list_items over MCP (${era}), ${String(connections)} connection${isOne ? ', p50' : 's, cost of a call'}, over the plain request`,
    ours: figure(mine),
    baseline: figure(plain),
    ratio: pairedRatio(cost(mine), cost(plain)),
    target: { of: 'ratio', atMost: MOST },
    detail: { mine, plain },
  };
}
