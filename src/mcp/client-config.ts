/** Configuration snippets for MCP clients. They never contain a key, because such files are shared and backed up. */

/** How a client reaches the server: by starting a command, or over HTTP. */
export type ServerConnection =
  | { readonly command: string; readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  | { readonly url: string };

interface ClientSpec {
  readonly label: string;
  /** The file that the snippet belongs in. */
  readonly location: string;
  /** The placeholder with which this client inserts the API key. Absent if the client does not support HTTP servers. */
  readonly keyPlaceholder?: string;
  readonly wrap: (server: object) => object;
}

const SERVER_NAME = 'stockroom';
const wrapInMcpServers = (server: object): object => ({ mcpServers: { [SERVER_NAME]: server } });

export const CLIENTS = {
  'claude-code': {
    label: 'Claude Code',
    location: '.mcp.json in the project',
    keyPlaceholder: '${STOCKROOM_API_KEY}',
    wrap: wrapInMcpServers,
  },
  'claude-desktop': { label: 'Claude Desktop', location: 'claude_desktop_config.json (Settings, Developer)', wrap: wrapInMcpServers },
  cursor: {
    label: 'Cursor',
    location: '.cursor/mcp.json in the project or in the home directory',
    keyPlaceholder: '${env:STOCKROOM_API_KEY}',
    wrap: wrapInMcpServers,
  },
  vscode: {
    label: 'VS Code',
    location: '.vscode/mcp.json in the project',
    keyPlaceholder: '${input:stockroom-key}',
    wrap: (server) => ({
      servers: { [SERVER_NAME]: server },
      ...('url' in server
        ? { inputs: [{ type: 'promptString', id: 'stockroom-key', description: 'Stockroom API key', password: true }] }
        : {}),
    }),
  },
} as const satisfies Readonly<Record<string, ClientSpec>>;

export type ClientName = keyof typeof CLIENTS;
export const CLIENT_NAMES = Object.keys(CLIENTS) as readonly ClientName[];
export const getClient = (name: ClientName): ClientSpec => CLIENTS[name];

/** Undefined if the client does not support HTTP servers. */
export function buildClientConfig(name: ClientName, connection: ServerConnection): object | undefined {
  const { keyPlaceholder, wrap: around } = getClient(name);
  if (!('url' in connection)) return around({ type: 'stdio', ...connection });
  if (keyPlaceholder === undefined) return undefined;
  return around({ type: 'http', url: connection.url, headers: { Authorization: `Bearer ${keyPlaceholder}` } });
}
