/**
 * Answers a plain call of a tool without the SDK. For a page of items the SDK's work is many times the page's own: it sets up a server
 * for each request and takes the rows apart and together again. Like `http/plain` beside joi, this refuses nothing and decides nothing
 * that is in doubt: whatever is not plainly a valid call, in either era, is left to the SDK. A test holds both to the same answers.
 */
import { type Outcome, callTool } from './call.ts';
import type { Exchange } from './endpoint.ts';
import { twice } from './quoted.ts';
import { type ToolSet, serverInfo, toolNamed } from './tool-set.ts';

/** Of the era in which a connection begins with `initialize`. */
export const OLDER_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
/** Of the era in which every request says all about itself. */
export const NEWER_VERSION = '2026-07-28';

const META = 'io.modelcontextprotocol/';
const REQUEST_FIELDS = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAM_FIELDS = new Set(['name', 'arguments', '_meta']);
const META_FIELDS = new Set(['progressToken', `${META}protocolVersion`, `${META}clientInfo`, `${META}clientCapabilities`]);

/** The whole JSON-RPC answer, or undefined when the SDK has to look. */
export async function shortWay(set: ToolSet, { body, headers, caller }: Exchange): Promise<Uint8Array | undefined> {
  if (!isObject(body, REQUEST_FIELDS) || body['jsonrpc'] !== '2.0' || body['method'] !== 'tools/call') return undefined;
  const { id, params } = body;
  if (!(typeof id === 'string' || Number.isSafeInteger(id)) || !isObject(params, PARAM_FIELDS)) return undefined;
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  const tool = toolNamed(set, name);
  if (!tool || !isObject(args) || !isObject(meta, META_FIELDS)) return undefined;
  const { progressToken } = meta;
  if (progressToken !== undefined && !(typeof progressToken === 'string' || Number.isSafeInteger(progressToken))) return undefined;
  const isNewer = Object.keys(meta).some((key) => key.startsWith(META));
  if (!(isNewer ? isNewerCall(headers, tool.name, meta) : isOlderCall(headers))) return undefined;
  const outcome = await callTool(tool, args, caller);
  return bytesOf(outcome, `${isNewer ? `,${ending(set)}` : ''}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`);
}

/** Joined as text: the body of the answer is JSON already. `after` closes it. */
function bytesOf({ texts, isData, isError }: Outcome, after: string): Uint8Array {
  const [first = ''] = texts;
  if (isData) return twice('{"result":{"content":[{"type":"text","text":"', first, '"}],"structuredContent":', after);
  const content = JSON.stringify(texts.map((text) => ({ type: 'text', text })));
  return Buffer.from(`{"result":{"content":${content}${isError ? ',"isError":true' : ''}${after}`);
}

const ending = (set: ToolSet): string => `"resultType":"complete","_meta":{"${META}serverInfo":${JSON.stringify(serverInfo(set))}}`;

function isOlderCall(headers: Exchange['headers']): boolean {
  const version = headers['mcp-protocol-version'];
  return version === undefined || OLDER_VERSIONS.includes(version);
}

function isNewerCall(headers: Exchange['headers'], name: string, meta: Readonly<Record<string, unknown>>): boolean {
  const { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': named } = headers;
  const { [`${META}protocolVersion`]: claimed, [`${META}clientInfo`]: info, [`${META}clientCapabilities`]: capabilities } = meta;
  return (
    version === NEWER_VERSION &&
    claimed === NEWER_VERSION &&
    method === 'tools/call' &&
    named === name &&
    isObject(info, CLIENT_FIELDS) &&
    typeof info['name'] === 'string' &&
    typeof info['version'] === 'string' &&
    (info['title'] === undefined || typeof info['title'] === 'string') &&
    isObject(capabilities) &&
    Object.entries(capabilities).every(([capability, facets]) => isObject(facets) && Object.entries(facets).every(isKnownFacet(capability)))
  );
}

/** `{"roots": {"listChanged": true}, "elicitation": {"form": {}}}` and the like; the tools ask nothing of any of them. */
const isKnownFacet =
  (capability: string) =>
  ([name, facet]: [string, unknown]): boolean =>
    capability === 'roots' ? name === 'listChanged' && typeof facet === 'boolean' : isObject(facet, NO_FIELDS);

const CLIENT_FIELDS = new Set(['name', 'title', 'version']);
const NO_FIELDS = new Set<string>();

/** A plain object, and with `fields` one that has no other fields than these. */
function isObject(value: unknown, fields?: ReadonlySet<string>): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return fields === undefined || Object.keys(value).every((key) => fields.has(key));
}
