/**
 * Answers ordinary tool calls without the SDK, which creates a server for each request, and parses and serializes every row again: for a
 * page of items, that costs many times as much as the page itself. This path rejects nothing: a request that is not certainly a valid call
 * is left to the SDK. A test checks that both give the same replies.
 */
import { type ToolResult, callTool } from './call-tool.ts';
import type { McpRequest } from './http-endpoint.ts';
import { type ToolSet, getServerInfo, findTool } from './tool-set.ts';

/** Protocol versions in which a connection starts with `initialize`. */
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
/** The protocol version without connection state: every request has its version and client info. */
export const STATELESS_VERSION = '2026-07-28';

const META = 'io.modelcontextprotocol/';
const REQUEST_FIELDS = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAM_FIELDS = new Set(['name', 'arguments', '_meta']);
const META_FIELDS = new Set(['progressToken', `${META}protocolVersion`, `${META}clientInfo`, `${META}clientCapabilities`]);

/** Returns the JSON-RPC response, or undefined if the SDK has to handle the request. */
export async function tryFastPath(set: ToolSet, { body, headers, caller }: McpRequest): Promise<Uint8Array | undefined> {
  if (!isObject(body, REQUEST_FIELDS) || body['jsonrpc'] !== '2.0' || body['method'] !== 'tools/call') return undefined;
  const { id, params } = body;
  if (!(typeof id === 'string' || Number.isSafeInteger(id)) || !isObject(params, PARAM_FIELDS)) return undefined;
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  const tool = findTool(set, name);
  if (!tool || !isObject(args) || !isObject(meta, META_FIELDS)) return undefined;
  const { progressToken } = meta;
  if (progressToken !== undefined && !(typeof progressToken === 'string' || Number.isSafeInteger(progressToken))) return undefined;
  const isStateless = Object.keys(meta).some((key) => key.startsWith(META));
  if (!(isStateless ? isStatelessCall(headers, tool.name, meta) : isLegacyCall(headers))) return undefined;
  const result = await callTool(tool, args, caller);
  return encodeResult(result, `${isStateless ? `,${buildResultSuffix(set)}` : ''}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`);
}

/** Concatenates text, because the body of the reply is JSON already. `suffix` ends the response. */
function encodeResult({ texts, isData, isError }: ToolResult, suffix: string): Uint8Array {
  const content = JSON.stringify(texts.map((text) => ({ type: 'text', text })));
  const rest = isData ? `,"structuredContent":${texts[0] ?? ''}` : isError ? ',"isError":true' : '';
  return Buffer.from(`{"result":{"content":${content}${rest}${suffix}`);
}

const buildResultSuffix = (set: ToolSet): string =>
  `"resultType":"complete","_meta":{"${META}serverInfo":${JSON.stringify(getServerInfo(set))}}`;

function isLegacyCall(headers: McpRequest['headers']): boolean {
  const version = headers['mcp-protocol-version'];
  return version === undefined || LEGACY_VERSIONS.includes(version);
}

function isStatelessCall(headers: McpRequest['headers'], name: string, meta: Readonly<Record<string, unknown>>): boolean {
  const { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': named } = headers;
  const { [`${META}protocolVersion`]: claimed, [`${META}clientInfo`]: info, [`${META}clientCapabilities`]: capabilities } = meta;
  return (
    version === STATELESS_VERSION &&
    claimed === STATELESS_VERSION &&
    method === 'tools/call' &&
    named === name &&
    isObject(info, CLIENT_FIELDS) &&
    typeof info['name'] === 'string' &&
    typeof info['version'] === 'string' &&
    (info['title'] === undefined || typeof info['title'] === 'string') &&
    isObject(capabilities) &&
    Object.entries(capabilities).every(
      ([capability, options]) => isObject(options) && Object.entries(options).every(isKnownOption(capability)),
    )
  );
}

/** Accepts capabilities such as `{"roots": {"listChanged": true}, "elicitation": {"form": {}}}`. The tools use none of them. */
const isKnownOption =
  (capability: string) =>
  ([name, option]: [string, unknown]): boolean =>
    capability === 'roots' ? name === 'listChanged' && typeof option === 'boolean' : isObject(option, NO_FIELDS);

const CLIENT_FIELDS = new Set(['name', 'title', 'version']);
const NO_FIELDS = new Set<string>();

/** Whether a value is an object; with `fields`, whether it has no other fields. */
function isObject(value: unknown, fields?: ReadonlySet<string>): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return fields === undefined || Object.keys(value).every((key) => fields.has(key));
}
